import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { LogKey } from "../../core/log/Log.ts"
import { program } from "../../core/process/program.ts"
import type { Check } from "../../core/proof/check.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { isDay } from "../../core/readings/read/parameters.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import type { Surroundings } from "../../http/client/verifier/src/cli/inputs.ts"
import { parse, type Values } from "../../http/client/verifier/src/cli/options.ts"
import { mark } from "../../http/client/verifier/src/cli/print.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { exportRun, unpack } from "../derivation/export.ts"
import { underSignedHead } from "../derivation/headOfRun.ts"
import { exitOf, exportedIn, rederive } from "../derivation/rederive.ts"
import { type DayReport, rederiveDay } from "../derivation/rederiveDay.ts"
import { onDisk } from "../outside/disk.ts"

const runId = Argument.String("run").pipe(Argument.withDescription("Run id, as listed by /v1/derivation"))

const exporting = Command.make(
  "export",
  {
    run: runId,
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Target folder; created if it does not exist")
    )
  },
  ({ folder, run }) =>
    operate(
      Effect.gen(function* () {
        const { exchanges, files } = yield* exportRun(run, resolve(folder))
        yield* Console.log(
          `wrote ${exchanges.length} exchanges, ${files === undefined ? "no sources (not kept)" : `${files.length} sources`}; check with: ${program} verify derivation ${run} --from ${folder}`
        )
      }),
      ["derivation", "export", run, resolve(folder)]
    )
).pipe(Command.withDescription("Write a run and everything it was derived from into a folder"))

/** `plumbline derivation`: runs and their inputs. */
export const derivation = Command.make("derivation").pipe(
  Command.withDescription("Export runs with everything they were derived from"),
  Command.withSubcommands([exporting])
)

const temporary = Effect.acquireRelease(
  onDisk(() => mkdtemp(join(tmpdir(), "plumbline-run-"))),
  (folder) => Effect.ignore(onDisk(() => rm(folder, { recursive: true, force: true })))
)

const verdicts = { 0: "holds", 1: "does not hold", 2: "not proved: some parts are not available" } as const

const say = Effect.fnUntraced(function* (checks: ReadonlyArray<Check>, json: boolean) {
  const exit = exitOf(checks)
  if (json) yield* Console.log(JSON.stringify({ verdict: verdicts[exit], exit, checks }))
  else {
    for (const { detail, name, ok } of checks) yield* Console.log(`${mark(ok)}  ${name}: ${detail}`)
    yield* Console.log(verdicts[exit])
  }
  if (exit !== 0) return yield* new NotPassed({ code: exit })
})

/** The options of `verify` that say whom the caller trusts. */
const trusted = {
  key: Flag.String("key").pipe(
    Flag.withDescription("A log key that the operator published elsewhere (kid, hex or verifier key)"),
    Flag.atLeast(0)
  ),
  url: Flag.String("url").pipe(
    Flag.withDescription("The service, to take the head of the log from it and not from the export"),
    Flag.optional
  ),
  pins: Flag.String("pins").pipe(
    Flag.withDescription("File of what is remembered of operators, or none"),
    Flag.optional
  ),
  witness: Flag.String("witness").pipe(
    Flag.withDescription("Verifier key of a witness whose cosignatures count"),
    Flag.atLeast(0)
  ),
  quorum: Flag.String("quorum").pipe(
    Flag.withDescription("How many of the given witnesses must have cosigned (1)"),
    Flag.optional
  ),
  policy: Flag.String("policy").pipe(
    Flag.withDescription("Keys of logs, witnesses and their quorum from a file (C2SP tlog-policy)"),
    Flag.optional
  )
}

/** The same as the options of `verify`. */
const valuesOf = (flags: {
  readonly key: ReadonlyArray<string>
  readonly url: Option.Option<string>
  readonly pins: Option.Option<string>
  readonly witness: ReadonlyArray<string>
  readonly quorum: Option.Option<string>
  readonly policy: Option.Option<string>
}) =>
  parse([
    ...flags.key.map((key) => `--key=${key}`),
    ...flags.witness.map((witness) => `--witness=${witness}`),
    ...(["url", "pins", "quorum", "policy"] as const).flatMap((name) =>
      Option.match(flags[name], { onNone: () => [], onSome: (value) => [`--${name}=${value}`] })
    )
  ]).values

const io: Surroundings = { print: (line) => console.log(line), env: process.env, get }

/** `plumbline verify derivation`: the only verification that needs the runtime. */
export const verifyDerivation = Command.make(
  "derivation",
  {
    run: runId,
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "Folder written by `derivation export`, or a saved derivation_replay response (default: the local store)"
      ),
      Flag.optional
    ),
    ...trusted,
    json: asJson
  },
  ({ from, json, run, ...flags }) => {
    const values = valuesOf(flags)
    const verified = Effect.fnUntraced(function* (folder: string, trust: Values) {
      const checks = yield* rederive(folder, run)
      return [...checks, ...(yield* underSignedHead(yield* exportedIn(folder), trust, io))]
    })
    return Option.isSome(from)
      ? Effect.gen(function* () {
          const path = resolve(from.value)
          const isFile = yield* Effect.match(
            onDisk(() => stat(path)),
            { onFailure: () => false, onSuccess: (stats) => stats.isFile() }
          )
          const folder = isFile ? yield* temporary : path
          if (isFile) yield* unpack(path, folder)
          yield* say(yield* verified(folder, values), json)
        }).pipe(Effect.scoped)
      : operate(
          Effect.gen(function* () {
            const folder = yield* temporary
            yield* exportRun(run, folder)
            // Who looks into his own store knows his own keys.
            const own = (yield* LogKey).keys().filter(({ purpose }) => purpose === "log")
            const key = [...values.key, ...own.map(({ publicKey }) => thumbprint(publicKey))]
            yield* say(yield* verified(folder, { ...values, key, pins: "none" }), json)
          }).pipe(Effect.scoped)
        )
  }
).pipe(
  Command.withDescription(
    "Derive a run's rows again from its payloads and sources, compare them, and check that the log has the run under a signed head"
  )
)

/** What the batch of the day was held to. */
const batchLine = ({ batch, unsealed }: DayReport): string => {
  if (batch === "open") return "batch: not checked, it is not closed in the copy"
  if (batch === "lacking") return "batch: not checked, the copy lacks its leaves"
  return `batch: ${unsealed} readings of these runs are not in it, nor a later one in their place`
}

const dayLines = (report: DayReport): ReadonlyArray<string> => [
  `${report.day}: ${report.looked} of ${report.runs} runs in ${report.hours} hours derived again, ${report.same} as the log has them, ${report.differing} otherwise, ${report.unavailable} without all that they need; ${report.skipped} were skipped`,
  ...(report.lacking.length === 0
    ? []
    : [`  the copy lacks the leaves of ${report.lacking.join(", ")}: copy them with log mirror`]),
  ...report.named.map(({ plugin, run, why }) => `  ${plugin} ${run}: ${why}`),
  ...(report.otherCode === 0
    ? []
    : [
        `  ${report.otherCode} of them with code that is not that of this checkout: \`verify derivation <run>\` names the files`
      ]),
  batchLine(report),
  ...report.missing.map((line) => `  ${line}`)
]

/** `plumbline verify derivations`: all runs of a day, as a copy of the log names them. */
export const verifyDerivations = Command.make(
  "derivations",
  {
    day: Argument.String("day").pipe(Argument.withDescription("UTC day, YYYY-MM-DD")),
    mirror: Flag.String("mirror").pipe(
      Flag.withDescription("Folder that `log mirror` keeps: the runs are those that it names")
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("At most so many runs (default: 10000, more than a day has)"),
      Flag.withDefault(10_000)
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ day, json, limit, mirror }) {
    if (!isDay(day)) return yield* new UsageError({ message: `"${day}" must be a day, as 2026-09-01` })
    const folder = resolve(mirror)
    yield* operate(
      Effect.gen(function* () {
        const report = yield* rederiveDay({
          day,
          mirror: folder,
          limit,
          progress: (looked, of) => (json ? Effect.void : Console.error(`${looked} of ${of} runs`))
        })
        yield* Console.log(json ? JSON.stringify(report) : dayLines(report).join("\n"))
        if (report.differing + report.unsealed > 0) return yield* new NotPassed({ code: 1 })
        if (report.unavailable + report.lacking.length > 0) return yield* new NotPassed({ code: 2 })
      }),
      [
        "verify",
        "derivations",
        day,
        "--mirror",
        folder,
        "--limit",
        String(limit),
        ...(json ? ["--json"] : [])
      ]
    )
  })
).pipe(
  Command.withDescription(
    "Derive all runs of a day again and compare each with its leaf in a copy of the log. Bodies and sources come from the store, which may be a restored backup; each is held to the hash that the log has"
  ),
  Command.withShortDescription("Derive all runs of a day again, as a copy of the log names them")
)

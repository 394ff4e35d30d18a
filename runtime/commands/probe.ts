import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { program } from "../../core/process/program.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { needsAttention, type Probed } from "../contributor/probe/Probed.ts"
import { probeAll } from "../contributor/probe/probeAll.ts"
import * as Report from "../contributor/probe/report.ts"
import { onDisk } from "../outside/disk.ts"
import { Egress } from "../upstream/Egress.ts"
import { parseMap } from "../upstream/map.ts"
import { contained } from "./contained.ts"
import { lastKnown } from "./lastKnown.ts"

/** Nothing was reached at all: that says more about the way there than about the upstreams. */
const sawNothing = (all: ReadonlyArray<Probed>): boolean =>
  all.some(({ outcome }) => outcome === "failed") &&
  all.every(({ hosts }) => hosts.every(({ answers }) => Object.keys(answers).length === 0))

/** `plumbline probe`: runs collectors once against the real world and reports what came. Nothing is stored. */
export const probe = Command.make(
  "probe",
  {
    plugins: Argument.String("plugin").pipe(
      Argument.withDescription("Folder names of plugins"),
      Argument.variadic()
    ),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Probe all plugins, also those that are off by default"),
      Flag.withDefault(false)
    ),
    report: Flag.String("report").pipe(
      Flag.withDescription("Write a report in Markdown to this file"),
      Flag.optional
    ),
    capture: Flag.Boolean("capture").pipe(
      Flag.withDescription("Record each run as the case `captured` of its plugin"),
      Flag.withDefault(false)
    ),
    proof: Flag.Boolean("proof").pipe(
      Flag.withDescription("Ask for the proofs of chains as well, and say what the nodes answer"),
      Flag.withDefault(false)
    ),
    state: Flag.String("state").pipe(
      Flag.withDescription(
        "Where results are stored until the probe ends: an interrupted one resumes from there (default: plumbline-probe.jsonl)"
      ),
      Flag.withDefault("plumbline-probe.jsonl")
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ all, capture, json, plugins: named, proof, report, state }) {
    if (proof && capture) {
      return yield* new UsageError({
        message: "--proof cannot be combined with --capture: cases have no proofs"
      })
    }
    if (all === named.length > 0) {
      return yield* new UsageError({
        message: `name the plugins to probe, or use --all (${program} plugin list shows them)`
      })
    }
    const names = all ? yield* Plugins.names() : [...new Set(named)]
    const plugins = yield* Effect.forEach(names, (name) => contained(name))
    // Not `Config`: the plugins decide which variables are read.
    const environment = process.env
    const map = yield* parseMap(environment["UPSTREAM_MAP"] ?? "")
    const stored = yield* lastKnown
    const say = json ? Console.error : Console.log
    yield* say(
      stored === undefined
        ? "no database in DATA_DIR or DATABASE_URL: values are not compared with earlier ones"
        : `comparing with the last known values of ${stored.ranges.size} series`
    )
    const digits = String(plugins.length).length
    const results = yield* probeAll(plugins, {
      fixtures: Fixtures.root,
      environment,
      ranges: stored?.ranges ?? new Map(),
      contracts: stored?.contracts ?? [],
      capture,
      proof,
      stateFile: resolve(state),
      mapped: map.size > 0,
      onDone: (probed, done) =>
        say(`[${String(done).padStart(digits)}/${plugins.length}] ${Report.line(probed)}`)
    }).pipe(Effect.provide([Egress.layer({ map }), SecureRandom.layerWebCrypto]))
    if (Option.isSome(report)) {
      yield* onDisk(() => writeFile(report.value, `${Report.markdown(results)}\n`))
    }
    yield* json ? Console.log(JSON.stringify(results, null, 2)) : Console.log(Report.summary(results))
    if (sawNothing(results)) {
      yield* Console.error("plumbline: no upstream answered; check the network of this machine")
      return yield* new NotPassed({ code: 2 })
    }
    if (results.some(needsAttention)) return yield* new NotPassed({ code: 1 })
  })
).pipe(
  Command.withDescription(
    "Run plugins once against their upstreams, within each host's rate limit, and report the results: rows, refusals, fields missing from the fixtures, values far from the last known ones. Stores nothing. Exits with 0 if all is well, 1 if a person should look, 2 if no upstream answered"
  ),
  Command.withShortDescription("Run plugins once against their upstreams and report the results")
)

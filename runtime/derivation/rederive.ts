/**
 * Derives an exported run again and says of each part whether it is what the run recorded. The sources run in a child
 * process that may read the folder of the export and the dependencies, and has no network, processes or files beside.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { Refusal } from "../../core/plugin/Plugin.ts"
import { minute } from "../../core/plugin/time.ts"
import { Observation } from "../../core/plugin/Value.ts"
import { guarded } from "../../core/process/guarded.ts"
import { type Check, failed, notChecked } from "../../core/proof/check.ts"
import type { RanLeaf } from "../../core/proof/runLeaf.ts"
import { rowsHash } from "../../core/readings/ingest/runs/lines.ts"
import { UsageError } from "../cli/usage.ts"
import * as CodeHash from "../collector/codeHash.ts"
import { onDisk } from "../outside/disk.ts"
import { Exported, Stored, within } from "./export.ts"
import { asPublished, inLog, underRoot } from "./inLog.ts"
import { checkOwnCode, ownCodeName } from "./ownCode.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))

/** Beside the kept sources: what runs them, from this checkout. */
const machinery = ["runtime/derivation/derive.child.ts", "runtime/upstream/replay.ts"]

/** Checks without which a derivation is one all the same. */
const optionalChecks: ReadonlySet<string> = new Set(["chain of runs", "dependencies", ownCodeName])

/** What the child may take. */
const patience = minute
const heap = 1024

const Outcome = Schema.Union([
  Schema.Struct({ observations: Schema.Array(Observation), refused: Schema.Array(Refusal) }),
  Schema.Struct({ error: Schema.Struct({ tag: Schema.String, message: Schema.String }) })
])

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const readMaybe = (path: string | undefined): Promise<Uint8Array | undefined> =>
  path === undefined ? Promise.resolve(undefined) : readFile(path).catch(() => undefined)

const fine = (name: string, detail: string): Check => ({ name, ok: true, detail })
const wrong = (name: string, detail: string): Check => failed(name, detail, "contradiction")

const parsed = <S extends Schema.Codec<unknown, unknown>>(schema: S, folder: string, file: string) =>
  Effect.tryPromise(() => readFile(join(folder, file), "utf8")).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(schema))),
    Effect.mapError((error) => new UsageError({ message: `${join(folder, file)}: ${error.message}` }))
  )

const bodyChecks = async (folder: string, run: Exported): Promise<ReadonlyArray<Check>> => {
  const checks: Array<Check> = []
  const look = async (name: string, hash: string, size: number | undefined) => {
    const bytes = await readMaybe(join(folder, "bodies", hash))
    if (bytes === undefined) checks.push(notChecked(name, `${hash} is no longer kept`))
    else if (sha256(bytes) !== hash)
      checks.push(wrong(name, `its SHA-256 is ${sha256(bytes)}, the run recorded ${hash}`))
    else if (size !== undefined && bytes.length !== size)
      checks.push(wrong(name, `it has ${bytes.length} bytes, the run recorded ${size}`))
    else checks.push(fine(name, `${bytes.length} bytes, ${hash}`))
  }
  await look("targets", run.targets_sha256, undefined)
  for (const { method, n, sha256, size, url } of run.exchanges) {
    await look(`body of exchange ${n}, ${method} ${url}`, sha256, size)
  }
  return checks
}

const codeChecks = async (folder: string, run: Exported): Promise<ReadonlyArray<Check>> => {
  const { files } = run
  if (files === undefined) return [notChecked("code", `code not available: ${run.code_hash} is not kept`)]
  const checks: Array<Check> = []
  const sources: Array<CodeHash.Source> = []
  for (const { path, sha256: recorded } of files) {
    const bytes = await readMaybe(within(folder, path))
    if (bytes === undefined) checks.push(notChecked("code", `code not available: ${path} is missing`))
    else if (sha256(bytes) !== recorded)
      checks.push(wrong("code", `${path} was changed: its SHA-256 is ${sha256(bytes)}, not ${recorded}`))
    else sources.push({ path, sha256: recorded, bytes })
  }
  if (checks.length > 0) return checks
  const hash = CodeHash.codeHash(sources, run.settings)
  const dependencies = await readFile(CodeHash.lockFile ?? join(top, "package-lock.json"))
  return [
    hash === run.code_hash
      ? fine("code", `${sources.length} files and the settings hash to ${hash}`)
      : wrong("code", `files and settings hash to ${hash}, the run recorded ${run.code_hash}`),
    files.some(
      ({ path, sha256: lockHash }) => path === "package-lock.json" && lockHash === sha256(dependencies)
    )
      ? fine("dependencies", "this checkout's package-lock.json is that of the run")
      : notChecked("dependencies", "using those of this checkout; the run had a different package-lock.json"),
    await checkOwnCode(files)
  ]
}

/** Runs the sources over the bodies; the child's last line, or why there is none. */
const derive = Effect.fnUntraced(function* (folder: string, run: Exported) {
  const place = yield* Effect.acquireRelease(
    onDisk(async () => realpath(await mkdtemp(join(tmpdir(), "plumbline-derive-")))),
    (temporary) => Effect.ignore(onDisk(() => rm(temporary, { recursive: true, force: true })))
  )
  const modules = yield* onDisk(() => realpath(join(top, "node_modules")))
  yield* onDisk(async () => {
    const copy = async (from: string, path: string) => {
      const to = within(place, path)
      if (to === undefined) return
      await mkdir(dirname(to), { recursive: true })
      await copyFile(from, to)
    }
    const bodies = new Set([run.targets_sha256, ...run.exchanges.map((exchange) => exchange.sha256)])
    for (const hash of bodies) await copy(join(folder, "bodies", hash), join("bodies", hash))
    for (const { path } of run.files ?? []) await copy(join(folder, path), path)
    for (const path of machinery) await copy(join(top, path), path)
    await writeFile(join(place, "run.json"), JSON.stringify(run))
    // A run from before `package.json` was among its sources has none.
    if (!(run.files ?? []).some(({ path }) => path === "package.json"))
      await writeFile(join(place, "package.json"), '{"type":"module"}')
    await symlink(modules, join(place, "node_modules"))
  })
  return yield* Effect.callback<string>((resume) => {
    const child = spawn(
      process.execPath,
      [
        "--permission",
        `--allow-fs-read=${place}`,
        `--allow-fs-read=${modules}`,
        `--max-old-space-size=${heap}`,
        join(place, "runtime/derivation/derive.child.ts")
      ],
      { cwd: place, env: {}, stdio: ["ignore", "pipe", "pipe"], timeout: patience, killSignal: "SIGKILL" }
    )
    const output = { out: "", err: "" }
    child.stdout.on(
      "data",
      guarded("a derivation", (part: Buffer) => {
        output.out += part.toString("utf8")
        if (output.out.length > 256 * 1024 * 1024) child.kill("SIGKILL")
      })
    )
    child.stderr.on(
      "data",
      guarded("a derivation", (part: Buffer) => {
        output.err = `${output.err}${part.toString("utf8")}`.slice(-4000)
      })
    )
    child.on("error", ({ message }) => resume(Effect.succeed(message)))
    child.on("close", (code, signal) =>
      resume(
        Effect.succeed(
          code === 0
            ? (output.out.trimEnd().split("\n").at(-1) ?? "")
            : `the sources exited with ${signal ?? code}: ${output.err.trim()}`
        )
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
}, Effect.scoped)

const keyOf = (row: Pick<Stored, "symbol" | "metric" | "source" | "as_of">) =>
  `${row.symbol} ${row.metric} ${row.source} ${row.as_of}`

const storedCheck = (
  stored: ReadonlyArray<Stored>,
  rows: ReadonlyArray<Observation>
): ReadonlyArray<Check> => {
  const derived = new Map(rows.map((row) => [keyOf(row), row]))
  const other = stored.flatMap((row): ReadonlyArray<Check> => {
    const again = derived.get(keyOf(row))
    const exact = (text: string | null | undefined, value: number) => text ?? String(value)
    if (again !== undefined && again.value === row.value && (again.value_text ?? null) === row.value_text)
      return []
    const now = again === undefined ? "gives none" : `gives ${exact(again.value_text, again.value)}`
    return [
      wrong(`row ${keyOf(row)}`, `the store has ${exact(row.value_text, row.value)}, the derivation ${now}`)
    ]
  })
  return other.length > 0
    ? other.slice(0, 20)
    : [fine("stored rows", `${stored.length} stored readings match the derivation`)]
}

const rowChecks = Effect.fnUntraced(function* (
  run: Exported,
  stored: ReadonlyArray<Stored>,
  outcome: typeof Outcome.Type,
  leaf: RanLeaf | undefined
) {
  if ("error" in outcome) {
    const { message, tag } = outcome.error
    if (run.status === "ok") return [wrong("rows", `the derivation fails: ${tag}: ${message}`)]
    // A time limit or a flood is of the day, not of the payloads.
    return run.error?.tag === tag
      ? [fine("rows", `the run failed, and fails again: ${tag}`)]
      : [notChecked("rows", `the run failed with ${run.error?.tag}, the derivation with ${tag}`)]
  }
  if (run.status === "failed")
    return [notChecked("rows", `the run failed with ${run.error?.tag}; its payloads give rows today`)]
  const { observations } = outcome
  const hash = yield* rowsHash(observations)
  return [
    hash === run.rows_sha256 && observations.length === run.n_rows
      ? fine("rows", `${observations.length} rows, ${hash}: identical`)
      : wrong(
          "rows",
          `${observations.length} rows hash to ${hash}; the run recorded ${run.n_rows} and ${run.rows_sha256}`
        ),
    ...underRoot(leaf, observations),
    ...storedCheck(stored, observations)
  ]
})

/** What a folder holds. Fails with `UsageError` where it holds no export. */
export const exportedIn = (folder: string) => parsed(Exported, folder, "run.json")

/** What was checked of a run, and the rows that it gives again; none where it was not derived. */
export interface Again {
  readonly checks: ReadonlyArray<Check>
  readonly rows: ReadonlyArray<Observation>
}

/** Checks an export (`exportRun`) of the run by a leaf that was checked before, or by its own proof. */
export const deriveAgain = Effect.fn("Derivation.deriveAgain")(function* (
  folder: string,
  id: string,
  leaf?: RanLeaf
) {
  const run = yield* exportedIn(folder)
  if (run.id !== id) return yield* new UsageError({ message: `${folder} holds the run ${run.id}, not ${id}` })
  const stored = yield* parsed(Schema.Array(Stored), folder, "stored.json")
  const published = leaf === undefined ? inLog(run) : { check: asPublished(run, leaf), leaf }
  const checks = [
    published.check,
    ...(yield* onDisk(() => bodyChecks(folder, run))),
    ...(yield* onDisk(() => codeChecks(folder, run)))
  ]
  const without = (why: Check): Again => ({ checks: [...checks, why], rows: [] })
  if (checks.some(({ name, ok }) => ok !== true && !optionalChecks.has(name)))
    return without(notChecked("rows", "not derived: some inputs are missing or changed"))
  const line = yield* derive(folder, run)
  const outcome = yield* Effect.option(Schema.decodeUnknownEffect(Schema.fromJsonString(Outcome))(line))
  if (outcome._tag === "None") return without(wrong("rows", line.slice(0, 1000)))
  const again: Again = {
    checks: [...checks, ...(yield* rowChecks(run, stored, outcome.value, published.leaf))],
    rows: "error" in outcome.value ? [] : outcome.value.observations
  }
  return again
})

/** The same without the rows. Fails with `UsageError` where the folder is no export. */
export const rederive = (folder: string, id: string, leaf?: RanLeaf) =>
  Effect.map(deriveAgain(folder, id, leaf), ({ checks }) => checks)

/** 0 when all holds, 2 when something is not proved, or not there to be checked, 1 when something failed. */
export const exitOf = (checks: ReadonlyArray<Check>): 0 | 1 | 2 =>
  checks.some(({ ok }) => ok === false)
    ? 1
    : checks.some(
          ({ name, ok }) => ok === "not proved" || (ok === "not checked" && !optionalChecks.has(name))
        )
      ? 2
      : 0

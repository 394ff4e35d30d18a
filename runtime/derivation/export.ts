/**
 * A run as a folder, with all that its rows came from: `run.json`, `bodies/<sha256>` (answers and targets), the sources
 * at their paths, and `stored.json`, the readings that the run brought into the store.
 */
import { createHash } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { cosignatureLines } from "../../core/log/record/cosignatures.ts"
import { type derivationOf, provenDerivationOf } from "../../core/log/record/derivation.ts"
import { checkpointAt } from "../../core/log/record/files.ts"
import { publishedKeys } from "../../core/log/record/keys.ts"
import { Sources } from "../../core/log/Sources.ts"
import { day } from "../../core/plugin/time.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { DerivationReplay, type RawBody } from "../../core/products/derivation_replay/definition.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { RunExchange } from "../../core/readings/ingest/Run.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { Observed } from "../../core/wire/log/observed.ts"
import { UsageError } from "../cli/usage.ts"
import { onDisk } from "../outside/disk.ts"

const decompress = promisify(zstdDecompress)

/** `run.json` of an export. */
export const Exported = Schema.Struct({
  id: Schema.String,
  plugin: Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]*$/)),
  now: Schema.String,
  status: Schema.Literals(["ok", "failed"]),
  error: Schema.optionalKey(Schema.Struct({ tag: Schema.String, message: Schema.String })),
  code_hash: Schema.String,
  targets_sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  settings: Schema.Record(Schema.String, Schema.String),
  n_rows: Schema.Natural,
  rows_sha256: Schema.String,
  /** The proof that the log has the run, once it has its hour. */
  observed: Schema.optionalKey(Observed),
  /** The head of that proof as it was signed, with what witnesses said of it (lines) and the public-key document. */
  head: Schema.optionalKey(
    Schema.Struct({
      checkpoint: Schema.String,
      cosignatures: Schema.optionalKey(Schema.Array(Schema.String)),
      keys: Schema.Unknown
    })
  ),
  exchanges: Schema.Array(RunExchange),
  /** The files behind `code_hash`; none where they are not kept. */
  files: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, sha256: Schema.String })))
})
export interface Exported extends Schema.Schema.Type<typeof Exported> {}

/** A line of `stored.json`. */
export const Stored = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  as_of: Schema.String,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String)
})
export interface Stored extends Schema.Schema.Type<typeof Stored> {}

const storedRows = rowsOf({ ...Stored.fields, as_of: Schema.Date })

/** How far before its run a reading may lie and still be looked up one by one. */
const reach = 40 * day

/** The path of a file of an export, or undefined where it would lie outside of the folder. */
export const within = (folder: string, path: string): string | undefined => {
  const whole = resolve(folder, path)
  return whole.startsWith(`${resolve(folder)}${sep}`) ? whole : undefined
}

const writerInto = (folder: string) => (path: string, content: string | Uint8Array) =>
  onDisk(async () => {
    const file = within(folder, path)
    if (file === undefined) return
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  })

type Files = Exported["files"]

const runFile = (
  run: Omit<DerivationReplay["run"], "n_exchanges">,
  exchanges: ReadonlyArray<Omit<DerivationReplay["exchanges"][number], "body">>,
  files: Files,
  head?: Exported["head"]
): Exported => ({
  id: run.id,
  plugin: run.plugin,
  now: run.now,
  status: run.status,
  ...(run.error === undefined ? {} : { error: run.error }),
  code_hash: run.code_hash,
  targets_sha256: run.targets_sha256,
  settings: run.settings,
  n_rows: run.n_rows,
  rows_sha256: run.rows_sha256,
  ...(run.observed === undefined ? {} : { observed: run.observed }),
  ...(head === undefined ? {} : { head }),
  exchanges: exchanges.map(({ headers, method, ...exchange }) => ({
    ...exchange,
    method: method === "POST" || method === "LISTEN" ? method : "GET",
    headers: headers ?? {}
  })),
  ...(files === undefined ? {} : { files: files.map(({ path, sha256 }) => ({ path, sha256 })) })
})

/** The head of `size` entries, which is served; undefined where it is not signed, as in no log that is whole. */
const headOf = Effect.fnUntraced(function* (size: number) {
  const note = yield* Effect.option(checkpointAt(String(size)))
  if (Option.isNone(note)) return undefined
  const cosignatures = yield* cosignatureLines(size)
  return {
    checkpoint: note.value,
    ...(cosignatures.length === 0 ? {} : { cosignatures }),
    keys: yield* publishedKeys
  }
})

/**
 * Writes a run and what it came from into a folder; what is no longer kept is left out. By default with the proof that the log has it,
 * which `derivationOf` leaves out.
 */
export const exportRun = Effect.fn("Derivation.exportRun")(function* (
  id: string,
  folder: string,
  read: typeof provenDerivationOf | typeof derivationOf = provenDerivationOf
) {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const run: Effect.Success<ReturnType<typeof provenDerivationOf>> = yield* read(id)
  const code = yield* (yield* Sources).find(run.code_hash)
  const write = writerInto(folder)
  const writeBlob = Effect.fnUntraced(function* (sha256: string, path: string) {
    const blob = yield* blobs.get(sha256)
    if (Option.isNone(blob)) return
    // A body that cannot be unpacked is not the one that was kept; the verification names it.
    const bytes = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => decompress(blob.value)),
      () => Buffer.from(blob.value)
    )
    yield* write(path, bytes)
  })
  for (const sha256 of new Set([run.targets_sha256, ...run.exchanges.map((exchange) => exchange.sha256)])) {
    yield* writeBlob(sha256, join("bodies", sha256))
  }
  const files = Option.match(code, { onNone: () => undefined, onSome: (source) => source.files })
  for (const { path, sha256 } of files ?? []) yield* writeBlob(sha256, path)
  const now = Date.parse(run.now)
  const stored = yield* sql`
    select s.symbol, s.metric, s.source, o.as_of, o.value, o.value_text
    from series s join observation o on o.series = s.id
    where s.plugin = ${run.plugin} and o.run = ${run.id}
      and o.as_of between ${new Date(now - reach)} and ${new Date(now + day)}
    order by s.symbol, s.metric, s.source, o.as_of limit 200000`.pipe(storedRows)
  const exported = runFile(
    run,
    run.exchanges.map(({ body_kept: _, ...exchange }) => exchange),
    files,
    run.observed === undefined ? undefined : yield* headOf(run.observed.log.size)
  )
  yield* write("run.json", `${JSON.stringify(exported, null, 2)}\n`)
  yield* write(
    "stored.json",
    `${JSON.stringify(
      stored.map((row): Stored => ({ ...row, as_of: isoTime(row.as_of.getTime()) })),
      null,
      1
    )}\n`
  )
  return exported
})

const Bought = Schema.Union([Schema.Struct({ data: DerivationReplay }), DerivationReplay])

const bytesOf = ({ content, encoding }: RawBody): Uint8Array | undefined =>
  content === null ? undefined : Buffer.from(content, encoding === "base64" ? "base64" : "utf8")

const top = fileURLToPath(new URL("../../", import.meta.url))

/**
 * Writes what a saved answer of the product `derivation_replay` delivers into a folder, with this checkout's sources
 * if they match those of the run. Fails with `UsageError` if the file is not such a response.
 */
export const unpack = Effect.fn("Derivation.unpack")(function* (saved: string, folder: string) {
  const response = yield* Effect.tryPromise(() => readFile(saved, "utf8")).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(Bought))),
    Effect.mapError(
      () => new UsageError({ message: `${saved} is not a response of the product derivation_replay` })
    )
  )
  const { exchanges, files, run, targets } = "data" in response ? response.data : response
  const write = writerInto(folder)
  for (const { body, sha256 } of [targets, ...exchanges]) {
    const bytes = bytesOf(body)
    if (bytes !== undefined) yield* write(join("bodies", sha256), bytes)
  }
  for (const { path, sha256 } of files ?? []) {
    const here = within(top, path)
    const bytes =
      here === undefined
        ? undefined
        : yield* Effect.orElseSucceed(
            onDisk(() => readFile(here)),
            () => undefined
          )
    const same = bytes !== undefined && createHash("sha256").update(bytes).digest("hex") === sha256
    if (same) yield* write(path, bytes)
  }
  yield* write(
    "run.json",
    JSON.stringify(
      runFile(
        run,
        exchanges.map(({ body: _, ...each }) => each),
        files ?? undefined
      )
    )
  )
  yield* write("stored.json", "[]")
})

/** The log and its batches as plain files, so that anyone can mirror them (C2SP tlog-tiles). */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { toHex, utf8 } from "../../proof/bytes.ts"
import { withLines } from "../../proof/cosignature.ts"
import { GrowingRoot, hashLength } from "../../proof/merkle.ts"
import { hourBegins } from "../../proof/runLeaf.ts"
import { hour as hourName } from "../../proof/shape.ts"
import { entryBundle, parseTilePath, tileAt, tileBytes, tileWidth } from "../../proof/tiles.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { isDay } from "../../readings/read/parameters.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotFound } from "../../wire/problems/request.ts"
import { Unavailable } from "../../wire/problems/service.ts"
import { noteSealed } from "../archive/requireIntact.ts"
import { Log } from "../Log.ts"
import { sha256 } from "../leaves.ts"
import { isSealedAbsences, isSealedAgreement, isSealedRuns, sealedBatch } from "../sealed.ts"
import { cosignatureLines } from "./cosignatures.ts"

const decompress = promisify(zstdDecompress)

const textRows = rowsOf({ text: Schema.String })
const portionRows = rowsOf({ text: Schema.String, hashes: Schema.Uint8Array })
const batchRows = rowsOf({ id: Schema.Int, tree_size: Schema.Int, absent: Schema.String })
const documentRows = rowsOf({ body: Schema.String, media_type: Schema.String })
const leavesRows = rowsOf({ leaves: Schema.String })
const proofRows = rowsOf({ proof: Schema.Uint8Array, final: Schema.Boolean })
const noteRows = rowsOf({ note: Schema.String })

/** The served checkpoint as a signed note, with the cosignatures of witnesses. */
export const checkpoint = Effect.gen(function* () {
  const log = yield* Log
  const { note, size } = yield* log.served
  if (note === null) {
    const message =
      (yield* log.waiting) === undefined
        ? "the log is still empty; the first batch closes at 08:00 UTC"
        : "no head of the log has the cosignatures yet without which this service serves none"
    return yield* new NotFound({ message })
  }
  return withLines(note, yield* cosignatureLines(size))
})

/** A tile or an entry bundle by the path after `tile/`. */
export const tile = Effect.fn("Log.tile")(function* (path: string) {
  const requestedTile = parseTilePath(path)
  const { size, tree } = yield* (yield* Log).served
  const level = requestedTile?.level === "entries" ? 0 : (requestedTile?.level ?? -1)
  const there =
    requestedTile === undefined || level < 0 ? undefined : tileAt(size, level, requestedTile.index)
  if (requestedTile === undefined || there === undefined || requestedTile.width > there.width) {
    return yield* new NotFound({ message: `no tile/${path.slice(0, 60)} in a log of ${size} entries` })
  }
  if (requestedTile.level !== "entries") return tileBytes(tree, { ...there, width: requestedTile.width })
  const sql = yield* SqlClient.SqlClient
  const first = requestedTile.index * tileWidth
  const rows = yield* sql`
    select text from log_entry where place >= ${first} and place < ${first + requestedTile.width} order by place limit 256`.pipe(
    textRows
  )
  return entryBundle(rows.map(({ text }) => utf8(text)))
})

const batchOf = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const [batch] = isDay(day)
    ? yield* sql`
        select id, tree_size, absent from batch where day = ${day}::date and log_index < ${size}::int`.pipe(
        batchRows
      )
    : []
  return (
    batch ??
    (yield* new NotFound({
      message: `no batch for day ${day.slice(0, 20)}; /v1/attestations lists all batches`
    }))
  )
})

/** So many leaves are read at a time, about half a megabyte. */
const leavesAtOnce = 1000

/** Notes whether a file is what the log commits to; fails with what it is if it is not. */
const requireCommitted = Effect.fnUntraced(function* (
  path: string,
  words: string,
  fault: string | undefined
) {
  yield* noteSealed(path, fault)
  if (fault === undefined) return
  return yield* new Unavailable({
    message: `The stored ${words} are not those that the log commits to, so they are not sent. The operator was told, and brings them back from a backup; until then any mirror of the log has them.`
  })
})

/** Fails unless these are the leaves that the log commits to. */
const requireRoot = Effect.fnUntraced(function* (day: string, leaves: GrowingRoot) {
  const entry = yield* sealedBatch(day)
  const differs = entry?.tree_size !== leaves.size || entry.root !== toHex(leaves.root)
  const fault = differs ? `${leaves.size} leaves have the root ${toHex(leaves.root)}` : undefined
  yield* requireCommitted(`batches/${day}/leaves`, `leaves of ${day}`, fault)
})

/**
 * All leaves of a batch in order, one canonical JSON document per line, in portions that the database joins: a day of a
 * million leaves neither fills the memory nor holds the event loop. The stream fails in the end if these are not the leaves that
 * the log commits to, so that nothing of it is sent before.
 */
export const leaves = Effect.fn("Log.leaves")(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const { id, tree_size } = yield* batchOf(day)
  return Stream.suspend(() => {
    const root = new GrowingRoot(sha256)
    const portions = Stream.paginate(0, (from) =>
      sql`
        select coalesce(string_agg(text || chr(10), '' order by place), '') as text,
          coalesce(string_agg(sha256('\\x00'::bytea || convert_to(text, 'UTF8')), ''::bytea order by place), ''::bytea) as hashes
        from leaf where batch = ${id} and place >= ${from} and place < ${from + leavesAtOnce}`.pipe(
        portionRows,
        Effect.map((rows) => {
          for (const { hashes } of rows)
            for (let at = 0; at < hashes.length; at += hashLength)
              root.add(hashes.subarray(at, at + hashLength))
          const next = from + leavesAtOnce
          return [rows.map(({ text }) => text), next < tree_size ? Option.some(next) : Option.none()] as const
        })
      )
    )
    return Stream.concat(portions, Stream.drain(Stream.fromEffect(requireRoot(day, root))))
  })
})

/** The file of an hour's leaves as it is stored; undefined where it is no longer kept. */
const storedRunLeaves = Effect.fnUntraced(function* (hour: string) {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const [row] = hourName.is(hour)
    ? yield* sql`
        select leaves from runs_hour
        where hour = ${new Date(hourBegins(hour))} and log_index < ${size}::int`.pipe(leavesRows)
    : []
  if (row === undefined) {
    return yield* new NotFound({
      message: `no runs are published of the hour ${hour.slice(0, 20)}; the log has an entry of kind runs for each hour that has any, YYYY-MM-DDTHH`
    })
  }
  const blob = yield* (yield* Blobs).get(row.leaves)
  return Option.isNone(blob) ? undefined : yield* unpacked(blob.value)
})

const unpacked = (blob: Uint8Array) =>
  Effect.map(Effect.orDie(Effect.tryPromise(() => decompress(blob))), (bytes) => bytes.toString("utf8"))

/** All leaves of the runs of an hour, `YYYY-MM-DDTHH`, one canonical JSON document a line, in tree order. */
export const runLeaves = Effect.fn("Log.runLeaves")(function* (hour: string) {
  const lines = yield* storedRunLeaves(hour)
  if (lines === undefined) {
    return yield* new NotFound({
      message: `the runs of the hour ${hour} are no longer kept; their root is in the log`
    })
  }
  const fault = (yield* isSealedRuns(hour, lines)) ? undefined : "its leaves have another root"
  yield* requireCommitted(`runs/${hour}/leaves`, `runs of the hour ${hour}`, fault)
  return lines
})

/** The file of a day's comparisons as it is stored: whoever takes a line of it checks its hash. */
export const storedAgreementLeaves = Effect.fn("Log.storedAgreementLeaves")(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const [row] = isDay(day)
    ? yield* sql`
        select leaves from agreement_day where day = ${day}::date and log_index < ${size}::int`.pipe(
        leavesRows
      )
    : []
  const blob = row === undefined ? Option.none<Uint8Array>() : yield* (yield* Blobs).get(row.leaves)
  if (Option.isNone(blob)) {
    return yield* new NotFound({
      message: `no comparison with other operators is published of the day ${day.slice(0, 20)}; the log has an entry of kind agreement for each day that has one, YYYY-MM-DD`
    })
  }
  return yield* unpacked(blob.value)
})

/** All comparisons of a day with other operators, one canonical JSON document a line, in tree order. */
export const agreementLeaves = Effect.fn("Log.agreementLeaves")(function* (day: string) {
  const lines = yield* storedAgreementLeaves(day)
  const fault = (yield* isSealedAgreement(day, lines)) ? undefined : "its leaves have another root"
  yield* requireCommitted(`agreements/${day}/leaves`, `comparisons of ${day}`, fault)
  return lines
})

/** The list of declared series with no reading of the day: the bytes the absence leaf commits to. */
export const absent = Effect.fn("Log.absent")(function* (day: string) {
  const { absent: list } = yield* batchOf(day)
  const fault = (yield* isSealedAbsences(day, list)) ? undefined : "its hash is another one"
  yield* requireCommitted(`batches/${day}/absent`, `absences of ${day}`, fault)
  return list
})

/** A published document by its hash in the log. */
export const document = Effect.fn("Log.document")(function* (sha256: string) {
  const sql = yield* SqlClient.SqlClient
  // Checked first: a text with a NUL is no text to the database.
  const [stored] = /^[0-9a-f]{64}$/.test(sha256)
    ? yield* sql`
        select body, media_type from document where sha256 = ${sha256}`.pipe(documentRows)
    : []
  return stored ?? (yield* new NotFound({ message: "no document with this hash in the log" }))
})

/** The OpenTimestamps proof of a checkpoint; the most advanced one if it was stamped again. Only a final one stays as it is. */
export const timestamp = Effect.fn("Log.timestamp")(function* (name: string) {
  const size = /^(\d{1,9})\.ots$/.exec(name)?.[1]
  const sql = yield* SqlClient.SqlClient
  const served = yield* (yield* Log).served
  const [anchor] = yield* sql`
    select proof, state = 'final' as final from anchor where size = ${Number(size ?? -1)} and size <= ${served.size}::int and state <> 'lost'
    order by case state when 'final' then 0 when 'confirmed' then 1 else 2 end, id limit 1`.pipe(proofRows)
  return (
    anchor ??
    (yield* new NotFound({
      message: "no timestamp for this checkpoint; see /v1/attestations for the reason"
    }))
  )
})

/** An earlier checkpoint as signed then, which its timestamp covers. */
export const checkpointAt = Effect.fn("Log.checkpointAt")(function* (size: string) {
  const sql = yield* SqlClient.SqlClient
  const served = yield* (yield* Log).served
  const [checkpoint] =
    /^\d{1,9}$/.test(size) && Number(size) <= served.size
      ? yield* sql`select note from checkpoint where size = ${Number(size)}`.pipe(noteRows)
      : []
  return (
    checkpoint?.note ??
    (yield* new NotFound({ message: `no checkpoint was signed at size ${size.slice(0, 20)}.` }))
  )
})

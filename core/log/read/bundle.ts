/** `/v1/attest?format=bundle`: one file that proves a value offline, even years later. */
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../data/rows.ts"
import { isoTime } from "../../plugin/Value.ts"
import { type Bundle, bundleTag } from "../../proof/bundle.ts"
import { toBase64 } from "../../proof/bytes.ts"
import { keyDocument } from "../../proof/keys.ts"
import { parseLeaf, readingLine } from "../../proof/leaf.ts"
import { Log, LogKey } from "../Log.ts"
import { anchorOf } from "./anchor.ts"
import { type Asked, answerOf, proofOf } from "./attest.ts"
import { cosignatureLines } from "./cosignatures.ts"

const readingRows = rowsOf({
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String)
})
const stampRows = rowsOf({
  proof: Schema.Uint8Array,
  block_height: Schema.NullOr(Schema.Int),
  block_header: Schema.NullOr(Schema.String)
})
const checkpointRows = rowsOf({ note: Schema.String, size: Schema.Int })

/** The bundle of a day's value. Fails like `attest`. */
export const bundle = Effect.fn("Log.bundle")(function* (asked: Asked) {
  const sql = yield* SqlClient.SqlClient
  // One reading of the proof for row and path: a batch that closes meanwhile cannot come between them.
  const proof = yield* proofOf(asked.symbol, asked.metric, asked.date)
  const { value } = yield* answerOf(proof)
  const { day, leaf, path } = proof
  const row = parseLeaf(leaf.text)
  if (row.kind === "absent") return yield* Effect.die("an absence leaf stands for a row")
  const published = new Date(row.recorded_at)
  const kept = yield* sql`
    select distinct on (o.as_of) o.as_of, o.value, o.value_text
    from series s join observation o on o.series = s.id
    where s.symbol = ${proof.symbol} and s.metric = ${asked.metric} and s.source = ${leaf.source}
      and o.as_of >= ${new Date(`${day}T00:00:00Z`)} and o.as_of < ${new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000)}
      and o.recorded_at <= ${published}
      and not exists (
        select 1 from exclusion e join incident i on i.id = e.incident
        where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.opened_at <= ${published}
          and (i.closed_at is null or i.closed_at > ${published})
      )
    order by o.as_of, o.version desc limit 20000`.pipe(readingRows)
  const complete = kept.length === row.n_observations
  const response: Bundle = {
    v: bundleTag,
    row: value,
    leaf: leaf.text,
    // Readings go with their partition: without all of them the lines would not give the hash.
    ...(complete
      ? {
          readings: kept.map(({ as_of, value, value_text }) =>
            readingLine({
              as_of: isoTime(as_of.getTime()),
              value,
              ...(value_text === null ? {} : { value_text })
            })
          )
        }
      : {}),
    batch: { index: leaf.place, size: leaf.tree_size, path, entry: leaf.entry },
    ...(yield* standing(leaf.log_index))
  }
  return response
})

/**
 * A log entry's inclusion under the stamped checkpoint (or the newest, if none is stamped yet), with its anchor and the
 * keys. This part of a bundle is the same for every leaf of a batch.
 */
export const standing = Effect.fn("Log.standing")(function* (place: number) {
  const sql = yield* SqlClient.SqlClient
  const key = yield* LogKey
  const log = yield* Log
  const head = yield* log.head
  const anchor = yield* anchorOf(place)
  const [stamp] = yield* sql`
    select proof, block_height, block_header from anchor
    where size = ${anchor.checkpoint_size ?? -1} and state = ${anchor.state} order by id limit 1`.pipe(
    stampRows
  )
  const [stamped] = yield* sql`
    select note, size from checkpoint where size = ${anchor.checkpoint_size ?? head.size}`.pipe(
    checkpointRows
  )
  const { note, size } = stamped ?? head
  const cosignatures = yield* cosignatureLines(size, "first")
  return {
    log: {
      index: place,
      size,
      path: yield* log.inclusion(place, size),
      checkpoint: note ?? "",
      ...(cosignatures.length === 0 ? {} : { cosignatures })
    },
    anchor: {
      network: anchor.network === "bitcoin-regtest-fixture" ? "bitcoin-regtest-fixture" : "bitcoin",
      status: anchor.state,
      ...(anchor.reason === undefined ? {} : { reason: anchor.reason }),
      ...(stamp === undefined ? {} : { ots: toBase64(stamp.proof) }),
      ...(stamp?.block_header == null || stamp.block_height === null
        ? {}
        : { header: { height: stamp.block_height, hex: stamp.block_header } })
    },
    keys: keyDocument({
      origin: key.origin,
      keys: key.history(),
      now: yield* Clock.currentTimeMillis
    })
  } satisfies Pick<Bundle, "log" | "anchor" | "keys">
})

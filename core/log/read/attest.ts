/** `/v1/attest`: the value of one day with its proof. */
import { Context, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { excludedBy } from "../../data/read/excluded.ts"
import { dayOf, knownSymbol } from "../../data/read/parameters.ts"
import { pickSource } from "../../data/read/pickSource.ts"
import { rowsOf } from "../../data/rows.ts"
import { isoTime } from "../../plugin/Value.ts"
import { toHex } from "../../proof/bytes.ts"
import { parseLeaf } from "../../proof/leaf.ts"
import type { AttestResponse, Excluded } from "../../wire/log/attest.ts"
import { Log } from "../Log.ts"
import { pathColumn, pathFrom } from "../storedPath.ts"
import { anchorFields, anchorFrom, bestAnchor } from "./anchor.ts"
import { notAttested, type Wanted } from "./notAttested.ts"
import { remembering } from "./remembering.ts"

/** The public URL of this service, for the commands in a response. */
export const PublicAddress = Context.Reference<string>("core/log/read/PublicAddress", {
  defaultValue: () => "<address of the service>"
})

const leafRows = rowsOf({
  series: Schema.Int,
  source: Schema.String,
  incident: Schema.Int,
  value: Schema.Finite,
  as_of: Schema.Date,
  version: Schema.Int,
  text: Schema.String,
  hash: Schema.Uint8Array,
  place: Schema.Int,
  batch: Schema.Int,
  batch_day: Schema.String,
  tree_size: Schema.Int,
  root: Schema.String,
  log_index: Schema.Int,
  entry: Schema.String,
  path: Schema.Array(Schema.String),
  excluded_by: Schema.NullOr(Schema.Int),
  excluded_reason: Schema.NullOr(Schema.String),
  excluded_at: Schema.NullOr(Schema.Date),
  ...anchorFields
})

/** The requested value; `date` is `YYYYMMDD` or `YYYY-MM-DD`. Without `source`, the service picks one (`pickSource`). */
export interface Asked {
  readonly symbol: string
  readonly metric: string
  readonly date: string
  readonly source?: string | undefined
}

/** The stored value and proof of a day, before formatting. */
export const proofOf = Effect.fn("attest.proofOf")(function* (asked: Asked) {
  const { metric, source } = asked
  const day = yield* dayOf("date", asked.date)
  const symbol = yield* knownSymbol("symbol", asked.symbol)
  const log = yield* Log
  const head = yield* log.head
  const asName = JSON.stringify([symbol, metric, source ?? null, day])
  const found = yield* published(asName, sealed({ symbol, metric, source, day }))
  return {
    symbol,
    day,
    ...found,
    head,
    logPath: yield* log.inclusion(found.leaf.log_index, head.size)
  }
})

/**
 * What the batches published of a day, with the path to the batch's root, the anchor, and the open incident that excludes
 * the value now, else the one that excluded it when it was published: all of it in one statement.
 */
const sealed = Effect.fnUntraced(function* ({ day, metric, source, symbol }: Wanted) {
  const sql = yield* SqlClient.SqlClient
  const excluded = excludedBy(sql, {
    series: sql`l.series`,
    incident: sql`l.incident`,
    as_of: sql`d.as_of`,
    value: sql`d.value`
  })
  // Leaves of excluded readings come last: they answer only where nothing else was published.
  const rows = yield* sql`
    select s.id as series, s.source, l.incident, d.value, d.as_of, l.version, l.text, l.hash, l.place, l.batch,
      b.day::text as batch_day, b.tree_size, b.root, b.log_index, e.text as entry, ${pathColumn(sql)} as path,
      x.id as excluded_by, x.reason as excluded_reason, x.opened_at as excluded_at, anchored.*
    from series s join leaf l on l.series = s.id and l.day = ${day}::date
      join daily d on d.series = l.series and d.day = l.day and d.incident = l.incident and d.version = l.version
      join batch b on b.id = l.batch and b.closed_at is not null join log_entry e on e.place = b.log_index
      cross join lateral ${bestAnchor(sql, sql`b.log_index`)} anchored
      left join lateral ${excluded} x on true
    where s.symbol = ${symbol} and s.metric = ${metric} and (${source ?? null}::text is null or s.source = ${source ?? null})
    order by s.source, l.incident > 0, l.version desc, l.incident desc limit 500`.pipe(leafRows)
  const newest = [...Map.groupBy(rows, ({ source }) => source).values()].flatMap(([first]) => first ?? [])
  const leaf = pickSource(
    symbol,
    metric,
    newest.map((row) => ({ ...row, asOf: row.as_of.getTime() }))
  )
  if (leaf === undefined) return yield* notAttested({ symbol, metric, source, day })
  return {
    leaf,
    path: yield* pathFrom(leaf),
    versions: rows.filter((row) => row.series === leaf.series && row.incident === leaf.incident),
    excluded: excludedFrom(leaf),
    anchor: yield* anchorFrom(leaf)
  }
})

const excludedFrom = ({
  excluded_at: at,
  excluded_by: incident,
  excluded_reason: reason
}: {
  readonly excluded_by: number | null
  readonly excluded_reason: string | null
  readonly excluded_at: Date | null
}): Excluded | undefined =>
  incident === null || reason === null || at === null
    ? undefined
    : { incident, reason, opened_at: isoTime(at.getTime()) }

const published = remembering<Effect.Success<ReturnType<typeof sealed>>>(2000)

/** The value of a day and its proof. Fails with `BadParameter`, `UnknownSymbol` and `NotAttested`. */
export const attest = Effect.fn("Log.attest")(function* (asked: Asked) {
  return yield* answerOf(yield* proofOf(asked))
})

/** A source's label as one word of a shell. */
const shellWord = (text: string): string =>
  /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The proof in the format of `/v1/attest`. */
export const answerOf = Effect.fnUntraced(function* ({
  anchor,
  day,
  excluded,
  head,
  leaf,
  logPath,
  path,
  versions
}: Effect.Success<ReturnType<typeof proofOf>>) {
  const row = parseLeaf(leaf.text)
  if (row.kind === "absent") return yield* Effect.die("found an absence leaf instead of a value leaf")
  const { as_of, metric, simulated, source, symbol, unit, value, value_text, verify_url } = row
  const response: AttestResponse = {
    value: {
      symbol,
      metric,
      value,
      ...(value_text === undefined ? {} : { value_text }),
      // Written by `Ingest` from a manifest, whose type holds the units.
      unit: unit as AttestResponse["value"]["unit"],
      source,
      verify_url,
      as_of,
      ...(simulated === undefined ? {} : { simulated })
    },
    date: day,
    ...(excluded === undefined ? {} : { excluded }),
    leaf: leaf.text,
    leaf_hash: toHex(leaf.hash),
    batch: {
      day: leaf.batch_day,
      index: leaf.place,
      tree_size: leaf.tree_size,
      hash_algorithm: "sha-256, RFC 9162",
      proof: path,
      root: leaf.root,
      entry: leaf.entry
    },
    log: {
      index: leaf.log_index,
      tree_size: head.size,
      hash_algorithm: "sha-256, RFC 9162",
      proof: logPath,
      root: head.root
    },
    checkpoint: head.note ?? "",
    anchor,
    versions: versions.map((version) => {
      const published = parseLeaf(version.text)
      return {
        version: version.version,
        kind: published.kind === "absent" ? "reading" : published.kind,
        value: published.kind === "absent" ? value : published.value,
        as_of: published.kind === "absent" ? as_of : published.as_of,
        leaf: version.text,
        leaf_hash: toHex(version.hash),
        batch_day: version.batch_day
      }
    }),
    how_to_check:
      `npx plumbline verify value --symbol ${symbol} --metric ${metric} --date ${day.replaceAll("-", "")} ` +
      `--source ${shellWord(source)} --url ${yield* PublicAddress} --key=LOG_KEY`
  }
  return response
})

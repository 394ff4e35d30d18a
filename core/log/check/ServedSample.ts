/**
 * Compares what is served with the log and the readings, a part each time, and opens incidents for what differs. What a
 * reader left out already comes first.
 */
import { Array as Arr, Context, Effect, Layer, Random, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { day as dayMs } from "../../plugin/time.ts"
import { equalBytes, fromHex, Malformed, utf8 } from "../../proof/bytes.ts"
import { isBatch, parseEntry } from "../../proof/entry.ts"
import type { Difference } from "../../proof/finding.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { leafHash, verifyInclusion } from "../../proof/merkle.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { Incidents } from "../../readings/ingest/Incidents.ts"
import { differingOf } from "../../readings/read/differing.ts"
import { rowsOf } from "../../sql/rows.ts"
import { sha256 } from "../leaves.ts"
import { storedPath } from "../storedPath.ts"
import { compareRow, sealedFields } from "./compareRow.ts"
import { type DifferingRow, differingRowsOf } from "./differingRows.ts"

/** Batches and leaves of each that one round looks at. */
const batchesAtOnce = 2
const leavesAtOnce = 50

/** Series whose recent days and latest row one round looks at. */
const seriesAtOnce = 2000
/** Incidents that one round opens for rows. */
const mostIncidents = 50

const idRows = rowsOf({ id: Schema.Int })
const batchRows = rowsOf({ id: Schema.Int, entry: Schema.String })
const rowRows = rowsOf({
  place: Schema.Int,
  text: Schema.String,
  hash: Schema.Uint8Array,
  ...sealedFields
})

export class ServedSample extends Context.Service<
  ServedSample,
  {
    /**
     * Compares one part. A row that differs from its leaf, or from the newest reading, goes under an automatic incident, which
     * takes its readings out of service, and is logged once. Returns the number of rows that differ.
     */
    readonly run: Effect.Effect<number, SqlError>
  }
>()("core/log/check/ServedSample") {
  static readonly layer = Layer.effect(
    ServedSample,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const incidents = yield* Incidents
      /** What this process logged already. */
      const reported = new Set<string>()

      const report = Effect.fnUntraced(function* ({ finding, leaf }: Different) {
        const { expected, found: actual, where } = finding
        if (reported.has(where)) return
        const { day, metric, source, symbol } = leaf
        const from = Date.parse(day)
        const incident = yield* incidents.hold(
          { symbol, metric, source, from, to: from + dayMs - 1 },
          `the served row differs from its leaf: ${actual} instead of ${expected}`
        )
        reported.add(where)
        yield* Effect.logError("a served row differs from its published leaf; opened an incident", {
          where,
          expected,
          found: actual,
          incident
        })
      })

      const reportRow = Effect.fnUntraced(function* (row: DifferingRow) {
        const { as_of, day, metric, source, symbol } = row
        const where = nameOf(row)
        const from = day === null ? as_of.getTime() : Date.parse(day)
        const incident = yield* incidents.hold(
          { symbol, metric, source, from, to: day === null ? from : from + dayMs - 1 },
          day === null
            ? "the latest row differs from the newest reading"
            : "a stored day differs from its leaf or its readings"
        )
        reported.add(where)
        yield* Effect.logError("a stored row differs from what was sealed or read; opened an incident", {
          where,
          incident
        })
      })

      let after = 0
      const nextSeries = Effect.gen(function* () {
        const rows = yield* sql`
          select id from series where id > ${after} order by id limit ${seriesAtOnce}`.pipe(idRows)
        after = rows.length < seriesAtOnce ? 0 : (rows.at(-1)?.id ?? 0)
        return rows.map(({ id }) => id)
      })

      const compareRows = Effect.gen(function* () {
        const series = new Set([...differingOf(sql).map((row) => row.series), ...(yield* nextSeries)])
        const rows = yield* differingRowsOf([...series])
        const unreported = rows.filter((row) => !reported.has(nameOf(row)))
        yield* Effect.forEach(unreported.slice(0, mostIncidents), reportRow, { discard: true })
        return rows.length
      })

      const run = Effect.gen(function* () {
        const ofRows = yield* compareRows
        const batches = yield* sql`
          select b.id, e.text as entry from batch b join log_entry e on e.place = b.log_index
          where b.closed_at is not null order by random() limit ${batchesAtOnce}`.pipe(batchRows)
        const different = yield* Effect.forEach(batches, ({ entry, id }) => compareSome(id, entry))
        const all = different.flat()
        yield* Effect.forEach(all, report, { discard: true })
        return ofRows + all.length
      })

      return ServedSample.of({
        run: run.pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.withSpan("ServedSample.run"))
      })
    })
  )
}

const nameOf = ({ day, metric, source, symbol }: DifferingRow): string =>
  `${symbol} ${metric} of ${source}${day === null ? "" : ` on ${day}`}`

interface Different {
  readonly finding: Difference
  readonly leaf: RowLeaf
}

/** Compares some rows of a batch that are served with their leaves, if these are in the batch of the log. */
const compareSome = Effect.fnUntraced(function* (batch: number, text: string) {
  const entry = parseEntry(text)
  if (!isBatch(entry)) return []
  const places = yield* Effect.forEach(Arr.range(1, leavesAtOnce), () =>
    Random.nextIntBetween(0, entry.tree_size)
  )
  const rows = yield* servedRows(batch, [...new Set(places)])
  const different = rows.flatMap(
    ({ hash, place, text, ...row }): ReadonlyArray<Different & { place: number }> => {
      const leaf = leafOf(text, hash)
      const finding = leaf === undefined ? undefined : compareRow(leaf, row)
      return leaf === undefined || finding === undefined ? [] : [{ finding, leaf, place }]
    }
  )
  // Only a leaf that the log commits to says what the row should be; an altered one is found by `plumbline log check`.
  return yield* Effect.filter(different, ({ place }) =>
    Effect.gen(function* () {
      const hash = rows.find((row) => row.place === place)?.hash
      const path = yield* storedPath(batch, entry.tree_size, place)
      return (
        hash !== undefined &&
        verifyInclusion({
          leaf: hash,
          index: place,
          size: entry.tree_size,
          path: path.map((node) => fromHex(node, 32)),
          root: fromHex(entry.root, 32)
        })
      )
    })
  )
})

/** The leaves at these places whose daily row is the one that is served: accepted, with readings, and the newest. */
const servedRows = Effect.fnUntraced(function* (batch: number, places: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select l.place, l.text, l.hash, d.as_of, d.value, d.value_text, d.n_observations, d.verify_url, d.recorded_at,
      d.readings_sha256
    from unnest(${ints(places)}) as p(place)
      join leaf l on l.batch = ${batch} and l.place = p.place and l.incident = 0
      join daily d on d.series = l.series and d.day = l.day and d.incident = 0 and d.version = l.version
        and d.n_observations > 0
    where not exists (
      select 1 from daily n where n.series = l.series and n.day = l.day and n.incident = 0 and n.version > l.version
    )`.pipe(rowRows)
})

const leafOf = (text: string, hash: Uint8Array): RowLeaf | undefined => {
  try {
    const leaf = parseLeaf(text)
    return leaf.kind === "absent" || !equalBytes(leafHash(utf8(text), sha256), hash) ? undefined : leaf
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** What happened since the feed was last written, as events without id, time and signature. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { bySymbol } from "../catalog/Catalog.ts"
import { isSuppressed } from "../catalog/suppressed.ts"
import { otsPath } from "../log/record/anchor.ts"
import { incidentsOf } from "../log/record/incidents.ts"
import { isoTime, Unit } from "../plugin/Value.ts"
import { ints } from "../readings/ingest/arrays.ts"
import { definedLatest } from "../readings/read/byDefinition.ts"
import { latestHolds } from "../readings/read/differing.ts"
import { takeDisagreements } from "../readings/read/disagreeingPairs.ts"
import { methodChangesOf } from "../readings/read/methodChanges.ts"
import { revisionsOf } from "../readings/read/revisions.ts"
import { rightsBySource, withRights } from "../readings/read/rights.ts"
import { unconfirmedSeries } from "../readings/read/standings.ts"
import { marksOf } from "../readings/read/valueRow.ts"
import { rowsOf } from "../sql/rows.ts"
import type { ValueRow } from "../wire/data/valueRow.ts"
import { type EventData, EventKind } from "../wire/events/event.ts"
import { newObserverDisagreements } from "./observerDisagreements.ts"

/** Latest values in one pass, and other things that happened. */
const mostValues = 2000
const mostOthers = 500

/** Values or revisions in one event. */
const mostRows = 100

/** An event that is not in the feed yet. */
export type Draft = {
  readonly [Kind in EventKind]: {
    readonly kind: Kind
    readonly symbol?: string
    readonly data: EventData[Kind]
  }
}[EventKind]

const valueRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  verify_url: Schema.String,
  as_of: Schema.Date,
  simulated: Schema.Boolean,
  unconfirmed: Schema.Boolean,
  by_definition: Schema.NullOr(Schema.String),
  changed: Schema.Finite,
  holds: Schema.Boolean
})
const dueRows = rowsOf({ id: Schema.Int, kind: EventKind, ref: Schema.Int })
const batchRows = rowsOf({
  id: Schema.Int,
  day: Schema.String,
  closed_at: Schema.Date,
  late: Schema.Boolean,
  log_index: Schema.Int,
  root: Schema.String,
  tree_size: Schema.Int,
  n_readings: Schema.Int,
  n_late: Schema.Int,
  n_revisions: Schema.Int,
  n_absent: Schema.Int
})
const anchorRows = rowsOf({
  id: Schema.Int,
  size: Schema.Int,
  network: Schema.String,
  block_height: Schema.Int,
  block_hash: Schema.String,
  block_time: Schema.Date
})

const parts = <A>(rows: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(rows.length / mostRows) }, (_, n) =>
    rows.slice(n * mostRows, (n + 1) * mostRows)
  )

/**
 * The values that changed after a number of `latest.changed`, by network, and the number up to which they were read. If
 * values changed twice since, only the newest is seen.
 */
export const changedValues = Effect.fn("events.changedValues")(function* (after: number) {
  const sql = yield* SqlClient.SqlClient
  const unconfirmed = unconfirmedSeries(sql)
  const rows = yield* sql`
    select s.symbol, s.metric, s.source, s.unit, l.value, l.value_text, l.verify_url, l.as_of, l.simulated,
      ${unconfirmed.column} as unconfirmed, ${sql.literal(definedLatest)} as by_definition,
      l.changed::float8 as changed, ${yield* latestHolds} as holds
    from latest l join series s on s.id = l.series ${unconfirmed.joins}
    where l.changed > ${after} order by l.changed limit ${mostValues}`.pipe(valueRows)
  const served = rows.filter((row) => row.holds && !isSuppressed(row))
  const values = served.map(valueOf).map(withRights(yield* rightsBySource))
  const drafts = [...Map.groupBy(values, ({ symbol }) => symbol)].flatMap(([symbol, of]) =>
    parts(of).map((some): Draft => ({ kind: "values", symbol, data: { values: some } }))
  )
  return { drafts, upTo: rows.at(-1)?.changed ?? after, more: rows.length === mostValues }
})

const valueOf = (row: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly unit: typeof Unit.Type
  readonly value: number
  readonly value_text: string | null
  readonly verify_url: string
  readonly as_of: Date
  readonly simulated: boolean
  readonly unconfirmed: boolean
  readonly by_definition: string | null
}): ValueRow => ({
  symbol: row.symbol,
  metric: row.metric,
  value: row.value,
  ...(row.value_text === null ? {} : { value_text: row.value_text }),
  unit: row.unit,
  source: row.source,
  verify_url: row.verify_url,
  as_of: isoTime(row.as_of.getTime()),
  ...marksOf({ ...row, row, by_definition: row.by_definition ?? undefined })
})

/** What else happened, in that order, and the ids in `event_due` that it stands for. */
export const otherHappenings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const due = yield* sql`select id, kind, ref from event_due order by id limit ${mostOthers}`.pipe(dueRows)
  const refs = (...kinds: ReadonlyArray<EventKind>) =>
    due.filter(({ kind }) => kinds.includes(kind)).map(({ ref }) => ref)
  const batches = yield* closedDays(refs("day_closed"))
  const anchors = yield* confirmedAnchors(refs("anchor_confirmed"))
  const incidents = yield* openedAndClosed(refs("incident_opened", "incident_closed"))
  const revised = yield* restated(refs("revisions"))
  const methods = yield* changedMethods(refs("method_changed"))
  const drafts = due.flatMap(({ kind, ref }): ReadonlyArray<Draft> => {
    switch (kind) {
      case "day_closed":
        return batches.get(ref) ?? []
      case "anchor_confirmed":
        return anchors.get(ref) ?? []
      case "revisions":
        return revised.get(ref) ?? []
      case "method_changed":
        return methods.get(ref) ?? []
      // Found by what the tables hold, not by a row in `event_due`.
      case "disagreement":
      case "observer_disagreement":
      case "values":
        return []
      default: {
        const incident = incidents.get(ref)
        return incident === undefined ? [] : [{ kind, symbol: incident.symbol, data: { incident } }]
      }
    }
  })
  return { drafts, due: due.map(({ id }) => id), more: due.length === mostOthers }
})

/** Pairs of sources that have begun to contradict each other; the feed has each once, until they agree again. */
export const newDisagreements = Effect.gen(function* () {
  const rows = yield* takeDisagreements(mostOthers)
  return rows
    .filter(
      (row) =>
        !isSuppressed(row) && !isSuppressed({ ...row, metric: row.second_metric, source: row.second_source })
    )
    .map(
      (row): Draft => ({
        kind: "disagreement",
        symbol: row.symbol,
        data: {
          disagreement: {
            metric: row.metric,
            source: row.source,
            value: row.value,
            ...(row.value_text === null ? {} : { value_text: row.value_text }),
            unit: row.unit,
            as_of: isoTime(row.as_of.getTime()),
            disagrees_with: {
              source: row.second_source,
              metric: row.second_metric,
              value: row.second_value,
              ...(row.second_value_text === null ? {} : { value_text: row.second_value_text }),
              as_of: isoTime(row.second_as_of.getTime()),
              tolerance: row.tolerance
            },
            why: row.why
          }
        }
      })
    )
})

/** By the first revision of each event: all that one pass finds of a network go into as few events as possible. */
const restated = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const newestFirst = ids.length === 0 ? [] : yield* revisionsOf(ids)
  const oldestFirst = newestFirst.toReversed()
  return new Map(
    [...Map.groupBy(oldestFirst, ({ symbol }) => symbol)].map(([symbol, of]) => [
      of[0]?.id ?? 0,
      parts(of).map((revisions): Draft => ({ kind: "revisions", symbol, data: { revisions } }))
    ])
  )
})

/** What other operators contradict of the days that were compared since. */
export const contradictedByObservers = Effect.map(newObserverDisagreements, (networks) =>
  networks.flatMap(({ disagreements, symbol }) =>
    parts(disagreements).map(
      (some): Draft => ({ kind: "observer_disagreement", symbol, data: { disagreements: some } })
    )
  )
)

const changedMethods = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const changes = ids.length === 0 ? [] : yield* methodChangesOf(ids)
  return new Map(
    changes.map(({ id, ...method }) => [
      id,
      [{ kind: "method_changed", data: { method } }] satisfies ReadonlyArray<Draft>
    ])
  )
})

const openedAndClosed = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const incidents = ids.length === 0 ? [] : yield* incidentsOf([...new Set(ids)])
  return new Map(incidents.map((incident) => [incident.id, incident]))
})

const closedDays = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const batches =
    ids.length === 0
      ? []
      : yield* sql`
          select id, day::text as day, closed_at, late, log_index, root, tree_size, n_readings, n_late, n_revisions,
            n_absent from batch where id = any(${ints(ids)}) order by id limit ${ids.length}`.pipe(batchRows)
  return new Map(
    batches.map(({ closed_at, id, ...batch }) => [
      id,
      [
        { kind: "day_closed", data: { batch: { ...batch, closed_at: isoTime(closed_at.getTime()) } } }
      ] satisfies ReadonlyArray<Draft>
    ])
  )
})

const confirmedAnchors = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const anchors =
    ids.length === 0
      ? []
      : yield* sql`
          select id, size, network, block_height, block_hash, block_time from anchor
          where id = any(${ints(ids)}) and state in ('confirmed', 'final') order by id limit ${ids.length}`.pipe(
          anchorRows
        )
  return new Map(
    anchors.map(({ block_time, id, size, ...block }) => [
      id,
      [
        {
          kind: "anchor_confirmed",
          data: {
            anchor: {
              checkpoint_size: size,
              ...block,
              block_time: isoTime(block_time.getTime()),
              ots_url: otsPath(size)
            }
          }
        }
      ] satisfies ReadonlyArray<Draft>
    ])
  )
})

/** The category of a network; undefined for what is not in the catalog, such as a sector of the physical world. */
export const categoryOf = (symbol: string | undefined): string | undefined =>
  symbol === undefined ? undefined : bySymbol.get(symbol)?.category

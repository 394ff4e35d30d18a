/** Readings that a guard holds back: stored, not served, until something or somebody confirms them. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"

const Row = Schema.Struct({
  incident: Schema.Int,
  fault: Schema.Int,
  guard: Schema.Literals(["bounds", "fall", "rise"]),
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String,
  reason: Schema.String,
  from_as_of: Schema.Date,
  value: Schema.NullOr(Schema.Finite),
  as_of: Schema.Date,
  accepted: Schema.NullOr(Schema.Finite),
  accepted_as_of: Schema.NullOr(Schema.Date)
})

const heldRows = rowsOf(Row.fields)

/** The newest reading of a series that a guard holds back. Times are ISO 8601 UTC. */
export interface Withheld {
  readonly incident: number
  /** The first incident of those that one run opened for one cause. */
  readonly fault: number
  readonly guard: (typeof Row.Type)["guard"]
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly plugin: string
  readonly reason: string
  /** `as_of` of the first one. */
  readonly since: string
  /** Null of one that was held before values were kept with it, and whose reading is gone. */
  readonly value: number | null
  readonly as_of: string
  /** The value that is served meanwhile, if any. */
  readonly accepted: { readonly value: number; readonly as_of: string } | undefined
}

/** One for each open incident of a guard whose cause is not over, the newest first; of one series if it is named. */
export const withheld = Effect.fn("Data.withheld")(function* (
  limit: number,
  of?: { readonly symbol: string; readonly metric: string; readonly source: string }
) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select i.id as incident, coalesce(i.fault, i.id) as fault, i.guard, i.symbol, i.metric, i.source, s.plugin, coalesce(h.reason, i.reason) as reason, i.from_as_of,
      coalesce(h.value, i.held) as value, coalesce(h.as_of, i.to_as_of) as as_of,
      l.value as accepted, l.as_of as accepted_as_of
    from incident i join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
      left join latest l on l.series = s.id
      left join lateral (
        select o.value, o.as_of, e.reason from exclusion e
          join observation o on o.series = e.series and o.as_of = e.as_of and o.version = e.version
        where e.incident = i.id order by o.as_of desc limit 1
      ) h on true
    where i.closed_at is null and i.over_at is null and i.guard is not null and (${of === undefined} or (
      i.symbol = ${of?.symbol ?? null} and i.metric = ${of?.metric ?? null} and i.source = ${of?.source ?? null}
    ))
    order by i.id desc limit ${limit}`.pipe(heldRows)
  return rows.map(
    ({ accepted, accepted_as_of, as_of, from_as_of, ...row }): Withheld => ({
      ...row,
      since: isoTime(from_as_of.getTime()),
      as_of: isoTime(as_of.getTime()),
      accepted:
        accepted === null || accepted_as_of === null
          ? undefined
          : { value: accepted, as_of: isoTime(accepted_as_of.getTime()) }
    })
  )
})

/** Withheld readings of one run and one cause: one fault of an upstream, however many series it met. */
export interface HeldFault {
  /** The first of them. */
  readonly first: Withheld
  readonly all: ReadonlyArray<Withheld>
}

/** Readings of one fault, in the order of their incidents; the newest fault first. */
export const faultsOf = (readings: ReadonlyArray<Withheld>): ReadonlyArray<HeldFault> =>
  [...Map.groupBy(readings, ({ fault }) => fault).values()].flatMap((of) => {
    const all = of.toSorted((a, b) => a.incident - b.incident)
    const [first] = all
    return first === undefined ? [] : [{ first, all }]
  })

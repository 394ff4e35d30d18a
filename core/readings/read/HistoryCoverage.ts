/** How far the daily history of each feed reaches: `history` of `/v1/data-dictionary`. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Array as Arr, Context, Effect, Layer, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { compare } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Changes } from "../Changes.ts"
import { isCountedDay } from "./byDefinition.ts"
import { storedFigure } from "./sharedValue.ts"

const Depth = Schema.Struct({
  /** `YYYY-MM-DD`, over all series of the feed. */
  first: Schema.String,
  last: Schema.String,
  /** Days with a reading in the series that begins first (of those, the one that ends last). */
  days: Schema.Int
})
export interface Depth extends Schema.Schema.Type<typeof Depth> {}

/** By plugin id; a feed without a daily row is absent. */
export type DepthsByFeed = ReadonlyMap<string, Depth>

const reachRows = rowsOf({
  id: Schema.Int,
  plugin: Schema.String,
  first: Schema.NullOr(Schema.String),
  last: Schema.NullOr(Schema.String)
})
const dayRows = rowsOf({ series: Schema.Int, days: Schema.Int })

/** Series of one statement: two look-ups in an index each. */
const chunk = 500

export class HistoryCoverage extends Context.Service<
  HistoryCoverage,
  {
    /** From memory, at most ten minutes old; the same on every process. */
    readonly byFeed: Effect.Effect<DepthsByFeed>
    /** Measures now. */
    readonly refresh: Effect.Effect<void, SqlError>
  }
>()("core/readings/HistoryCoverage") {
  static readonly layer = Layer.effect(
    HistoryCoverage,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const measure = Effect.gen(function* () {
        const reach = new Map<string, Reach>()
        let after = 0
        while (true) {
          const rows = yield* sql`
            select s.id, s.plugin,
              (select d.day from daily d where d.series = s.id and ${sql.literal(isCountedDay)} order by d.day limit 1)::text as first,
              (select d.day from daily d where d.series = s.id and ${sql.literal(isCountedDay)} order by d.day desc limit 1)::text as last
            from series s where s.id > ${after} order by s.id limit ${chunk}`.pipe(reachRows)
          for (const { first, id, last, plugin } of rows) {
            if (first !== null && last !== null) {
              reach.set(
                plugin,
                further(reach.get(plugin), { first, last, series: id, seriesFirst: first, seriesLast: last })
              )
            }
          }
          after = rows.at(-1)?.id ?? after
          if (rows.length < chunk) break
        }
        const days = new Map<number, number>()
        for (const ids of Arr.chunksOf(
          [...reach.values()].map(({ series }) => series),
          50
        )) {
          const rows = yield* sql`
            select d.series, count(*)::int as days from daily d
            where d.series = any(${Result.getOrThrow(PgTypes.array(ids, PgTypes.OID.int4))}) and ${sql.literal(isCountedDay)}
            group by series`.pipe(dayRows)
          for (const row of rows) days.set(row.series, row.days)
        }
        return Object.fromEntries(
          [...reach].map(([plugin, { first, last, series }]) => [
            plugin,
            { first, last, days: days.get(series) ?? 0 }
          ])
        )
      })

      const { read, refresh } = yield* storedFigure({
        name: "depths",
        every: "5 minutes",
        schema: Schema.Record(Schema.String, Depth),
        compute: measure
      })
      return HistoryCoverage.of({
        byFeed: Effect.map(read, (depths): DepthsByFeed => new Map(Object.entries(depths))),
        refresh
      })
    })
  ).pipe(Layer.provide(Changes.layer))
}

interface Reach {
  readonly first: string
  readonly last: string
  /** The series that reaches furthest, with its own ends. */
  readonly series: number
  readonly seriesFirst: string
  readonly seriesLast: string
}

const further = (a: Reach | undefined, b: Reach): Reach => {
  if (a === undefined) return b
  const longer =
    b.seriesFirst < a.seriesFirst || (b.seriesFirst === a.seriesFirst && b.seriesLast > a.seriesLast)
  return {
    ...(longer ? b : a),
    first: compare(a.first, b.first) < 0 ? a.first : b.first,
    last: compare(a.last, b.last) > 0 ? a.last : b.last
  }
}

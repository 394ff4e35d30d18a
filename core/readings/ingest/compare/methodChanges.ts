/** Remembers whose definitions the figures of a feed follow, so that a change of one is an event. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../../clock/DataClock.ts"
import type { Manifest } from "../../../plugin/Manifest.ts"
import { methodsBySource } from "../../../plugin/methods.ts"
import { RecentDays } from "../../read/RecentDays.ts"
import { texts } from "../arrays.ts"
import { changing } from "./confirmation.ts"

/**
 * Takes what the code of a feed says of its methods, before its first run here. Days that were stored before the code knew of a
 * zero by definition are marked now.
 */
export const takeMethods = Effect.fn("Ingest.takeMethods")(function* (manifest: Manifest) {
  const stated = methodsBySource(manifest)
  if (stated.length === 0) return
  yield* changing(
    manifest.id,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const now = new Date(yield* DataClock.now)
      yield* sql`
      insert into figure_method (source, statement, since, replaces)
      select t.source, t.statement, ${now}, m.id
      from unnest(${texts(stated.map(([source]) => source))}, ${texts(stated.map(([, statement]) => statement))})
        as t(source, statement)
        left join lateral (
          select id, statement from figure_method where source = t.source and place is null order by id desc limit 1
        ) m on true
      where t.statement is distinct from m.statement`
      yield* markStored(manifest)
    })
  )
  yield* (yield* RecentDays).reload
})

/** Marks what the manifest says of days that are stored, as a run would have. */
const markStored = Effect.fnUntraced(function* ({ id, methods = {} }: Manifest) {
  const sql = yield* SqlClient.SqlClient
  for (const [source, { spans = [], zeros = [] }] of Object.entries(methods)) {
    for (const { because, from, metrics, source: evidence, symbol } of zeros) {
      yield* sql`
        insert into defined_zero (series, day, reason, run)
        select distinct d.series, d.day, ${`0 ${because} (${evidence})`}, ${`code of ${id}`}
        from series s join daily d on d.series = s.id
        where s.source = ${source} and s.symbol = ${symbol} and s.metric = any(${texts(metrics)})
          and d.value = 0 and d.day >= ${from}::date
        on conflict do nothing`
    }
    for (const [n, metric] of spans.entries()) {
      for (const longer of spans.slice(n + 1)) {
        yield* sql`
          insert into defined_zero (series, day, reason, run)
          select distinct on (d.series, d.day) d.series, d.day,
            '0 beside ' || w.value::text || ' ' || s.unit || ' of ' || l.metric, ${`code of ${id}`}
          from series s join series l on l.symbol = s.symbol and l.source = s.source and l.metric = ${longer}
            join daily d on d.series = s.id join daily w on w.series = l.id and w.day = d.day and w.incident = d.incident
          where s.source = ${source} and s.metric = ${metric} and d.value = 0 and w.value <> 0
          order by d.series, d.day, w.version desc
          on conflict do nothing`
      }
    }
  }
})

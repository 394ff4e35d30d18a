/**
 * Retention of raw bodies: `keep` days in the plugin's manifest. Rows of `exchange` stay forever, so a hash can still be
 * checked against a copy kept elsewhere.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Feeds } from "../Feeds.ts"
import { storedFact } from "../fact.ts"
import { Current } from "../read/Current.ts"
import { rowsOf } from "../rows.ts"
import { texts, times } from "./arrays.ts"
import { Blobs } from "./Blobs.ts"

const hashRows = rowsOf({ sha256: Schema.String })

/** Bodies removed per batch. */
const portion = 500

const factOf = (plugin: string): string => `bodies_removed_until:${plugin}`

/**
 * Removes the bodies whose retention ended before `now` (epoch milliseconds), unless a newer exchange of any plugin still
 * uses them. `keepDays` applies to plugins that set none. Returns how many were removed.
 */
export const removeOld = Effect.fn("bodies.removeOld")(function* (now: number, keepDays: number) {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const current = yield* Current
  const { manifests } = yield* Feeds
  const ends = new Map(manifests.map(({ id, keep = keepDays }) => [id, new Date(now - keep * 86_400_000)]))
  const plugins = [...ends.keys()]
  let removed = 0
  for (const [plugin, end] of ends) {
    const from = new Date(Number((yield* storedFact(factOf(plugin))) ?? 0))
    let after = ""
    while (true) {
      // Under the lock, so that a body being stored again is not removed.
      const last = yield* Effect.gen(function* () {
        const over = yield* sql`
          select distinct e.sha256 from run r join exchange e on e.run = r.id
          where r.plugin = ${plugin} and e.at >= ${from} and e.at < ${end} and e.sha256 > ${after}
            and not exists (
              select 1 from exchange y join run ry on ry.id = y.run
                left join unnest(${texts(plugins)}, ${times(plugins.map((id) => ends.get(id) ?? end))})
                  as k(plugin, ends) on k.plugin = ry.plugin
              where y.sha256 = e.sha256 and y.at >= coalesce(k.ends, ${new Date(now - keepDays * 86_400_000)})
            )
          order by e.sha256 limit ${portion}`.pipe(hashRows)
        yield* blobs.remove(over.map(({ sha256 }) => sha256))
        removed += over.length
        return over.length < portion ? undefined : over.at(-1)?.sha256
      }).pipe(current.change)
      if (last === undefined) break
      after = last
    }
    if (end > from) {
      yield* sql`insert into fact ${sql.insert({ name: factOf(plugin), value: String(end.getTime()) })}
        on conflict (name) do update set value = excluded.value`
    }
  }
  return removed
})

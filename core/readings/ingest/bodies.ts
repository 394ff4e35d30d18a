/**
 * Retention of raw bodies, and of the rows of runs that no leaf is of: `keep` days in the plugin's manifest. Rows of `exchange` stay
 * forever, so a hash can still be checked against a copy kept elsewhere, and so do the rows of runs that gave a leaf: without them
 * nobody could prove the run of the leaf. So does what proves by a chain what such a run read: later no node has that state.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../../plugin/time.ts"
import { storedFact, storeFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Feeds } from "../Feeds.ts"
import type { Due } from "../removing.ts"
import { texts, times } from "./arrays.ts"
import { Blobs } from "./Blobs.ts"
import { removing } from "./runs/bodyLock.ts"

const hashRows = rowsOf({ sha256: Schema.String })

/** The requests whose answers prove by a chain what a run read of it. */
const ofProof = '"(state_getReadProof|chain_getHeader|chain_getBlockHash)"'

/** Bodies of one removal, during which no run is stored. */
const portion = 200

const factOf = (plugin: string): string => `bodies_removed_until:${plugin}`

/**
 * Removes the bodies whose retention is over, unless a newer exchange of any plugin still uses them, or it was read after
 * `attested` (epoch milliseconds): on a day that is still to be sealed. `keepDays` applies to plugins that set none. Returns
 * how many were removed.
 */
export const removeOld = Effect.fn("bodies.removeOld")(function* (
  due: Due,
  { attested, keepDays }: { readonly attested: number; readonly keepDays: number }
) {
  const endOf = (days: number) => new Date(Math.min(due.data - days * day, attested))
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const { manifests } = yield* Feeds
  const ends = new Map(manifests.map(({ id, keep = keepDays }) => [id, endOf(keep)]))
  const plugins = [...ends.keys()]
  let removed = 0
  for (const [plugin, end] of ends) {
    const from = new Date(Number((yield* storedFact(factOf(plugin))) ?? 0))
    let after = ""
    while (true) {
      const over = yield* sql`
        select sha256 from (
          select e.sha256 from run r join exchange e on e.run = r.id
          where r.plugin = ${plugin} and e.at >= ${from} and e.at < ${end} and e.sha256 > ${after}
          union select rows_sha256 from run where plugin = ${plugin} and outcome = 'stored' and not gave_leaf
            and finished_at >= ${from} and finished_at < ${end} and rows_sha256 > ${after}
        ) b order by sha256 limit ${portion}`.pipe(hashRows)
      if (over.length === 0) break
      removed += yield* Effect.gen(function* () {
        const unused = yield* sql`
          select t.sha256 from unnest(${texts(over.map(({ sha256 }) => sha256))}) as t(sha256)
          where not exists (
            select 1 from exchange y join run ry on ry.id = y.run
              left join unnest(${texts(plugins)}, ${times(plugins.map((id) => ends.get(id) ?? end))})
                as k(plugin, ends) on k.plugin = ry.plugin
            where y.sha256 = t.sha256 and (y.at >= coalesce(k.ends, ${endOf(keepDays)})
              or (ry.gave_leaf and y.request_body ~ ${ofProof}))
          ) and not exists (
            select 1 from run y left join unnest(${texts(plugins)}, ${times(plugins.map((id) => ends.get(id) ?? end))})
              as k(plugin, ends) on k.plugin = y.plugin
            where y.rows_sha256 = t.sha256 and y.outcome = 'stored'
              and (y.gave_leaf or y.finished_at >= coalesce(k.ends, ${endOf(keepDays)}))
          )`.pipe(hashRows)
        yield* blobs.remove(unused.map(({ sha256 }) => sha256))
        return unused.length
      }).pipe(removing)
      after = over.at(-1)?.sha256 ?? after
    }
    if (end > from) yield* storeFact(factOf(plugin), String(end.getTime()))
  }
  return removed
})

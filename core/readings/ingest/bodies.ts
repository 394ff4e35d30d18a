/**
 * Retention of raw bodies, and of the rows of runs that no leaf is of: `keep` days in the plugin's manifest. What is stored of exchanges
 * stays forever, later in files (`core/log/runFiles`), so a hash can still be checked against a copy kept elsewhere, and so do the rows of
 * runs that gave a leaf: without them nobody could prove the run of the leaf. So does what proves by a chain what such a run read: later
 * no node has that state.
 */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../../plugin/time.ts"
import { storedFact, storedFactsOf, storeFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Feeds } from "../Feeds.ts"
import type { Due } from "../removing.ts"
import { texts, times } from "./arrays.ts"
import { Blobs } from "./Blobs.ts"
import { removing } from "./runs/bodyLock.ts"
import { provesChain } from "./runs/chainExchanges.ts"

const hashRows = rowsOf({ sha256: Schema.String })

/** Bodies of one removal, during which no run is stored. */
const portion = 200

const facts = "bodies_removed_until:"
const factOf = (plugin: string): string => `${facts}${plugin}`

/** Up to when the bodies of every feed were looked through and removed, epoch milliseconds: exchanges from before name none to remove. */
export const bodiesRemovedUntil = Effect.gen(function* () {
  const { manifests } = yield* Feeds
  const removed = yield* storedFactsOf(facts)
  return Math.min(...manifests.map(({ id }) => Number(removed.get(id) ?? 0)))
})

/** What a removal is told: days up to `attested` (epoch milliseconds) are sealed, and `keepDays` is for plugins that set none. */
export interface Limits {
  readonly attested: number
  readonly keepDays: number
}

/** Until when the bodies of each plugin may go, and those of any other. */
const endsOf = Effect.fnUntraced(function* (due: Due, { attested, keepDays }: Limits) {
  const endOf = (days: number) => new Date(Math.min(due.data - days * day, attested))
  const { manifests } = yield* Feeds
  return {
    ends: new Map(manifests.map(({ id, keep = keepDays }) => [id, endOf(keep)])),
    others: endOf(keepDays)
  }
})

/** Removes those of these bodies that no run of the tables still needs. Returns how many. */
const removeUnused = Effect.fnUntraced(function* (
  hashes: ReadonlyArray<string>,
  { ends, others }: Effect.Success<ReturnType<typeof endsOf>>
) {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const plugins = [...ends.keys()]
  const endOfPlugin = sql`unnest(${texts(plugins)}, ${times([...ends.values()])}) as k(plugin, ends)`
  return yield* Effect.gen(function* () {
    const unused = yield* sql`
      select t.sha256 from unnest(${texts(hashes)}) as t(sha256)
      where not exists (
        select 1 from exchange y join run ry on ry.id = y.run left join ${endOfPlugin} on k.plugin = ry.plugin
        where y.sha256 = t.sha256 and (y.at >= coalesce(k.ends, ${others})
          or ry.gave_leaf and ${sql.literal(provesChain("y"))})
      ) and not exists (
        select 1 from run y left join ${endOfPlugin} on k.plugin = y.plugin
        where y.rows_sha256 = t.sha256 and y.outcome = 'stored'
          and (y.gave_leaf or y.finished_at >= coalesce(k.ends, ${others}))
      )`.pipe(hashRows)
    yield* blobs.remove(unused.map(({ sha256 }) => sha256))
    return unused.length
  }).pipe(removing)
})

/**
 * Removes the bodies whose retention is over, unless a newer exchange of any plugin still uses them, or it was read after
 * `attested`: on a day that is still to be sealed. Returns how many were removed.
 */
export const removeOld = Effect.fn("bodies.removeOld")(function* (due: Due, limits: Limits) {
  const sql = yield* SqlClient.SqlClient
  const all = yield* endsOf(due, limits)
  let removed = 0
  for (const [plugin, end] of all.ends) {
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
      const hashes = over.map(({ sha256 }) => sha256)
      removed += yield* removeUnused(hashes, all)
      after = hashes.at(-1) ?? after
    }
    if (end > from) yield* storeFact(factOf(plugin), String(end.getTime()))
  }
  return removed
})

/** Removes bodies that were removed before and came back, with the same exceptions. Returns how many. */
export const removeAgain = Effect.fn("bodies.removeAgain")(function* (
  hashes: ReadonlyArray<string>,
  due: Due,
  limits: Limits
) {
  const all = yield* endsOf(due, limits)
  let removed = 0
  for (const some of Arr.chunksOf(hashes, portion)) {
    const there = yield* (yield* Blobs).stored(some)
    if (there.size > 0) removed += yield* removeUnused([...there], all)
  }
  return removed
})

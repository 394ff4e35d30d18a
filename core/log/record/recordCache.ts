/**
 * What SQL said of the published record, remembered until the record moves: until the log grows, a batch closes, an
 * incident or an anchor changes, or a witness cosigns. That happens a few times an hour, and then everything is forgotten.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import * as DataClock from "../../clock/DataClock.ts"
import { Versions } from "../../readings/read/Versions.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"

/** Changes whenever an answer about the published record may change. From memory. */
const recordVersion = Effect.gen(function* () {
  const { cell } = yield* Versions
  const now = yield* DataClock.now
  return dependenciesOf.record.map((one) => cell(one).version(now)).join(".")
})

/**
 * A memory of at most `most` results by name, for each database; failures are not remembered. `weightOf` counts a large
 * result as several.
 */
export const recordCache = <A extends {}>(most: number, weightOf: (result: A) => number = () => 1) => {
  const memories = new WeakMap<
    SqlClient.SqlClient,
    LRUCache<string, { readonly at: string; readonly value: A }>
  >()
  return <E, R>(name: string, make: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const memory =
        memories.get(sql) ?? new LRUCache({ maxSize: most, sizeCalculation: ({ value }) => weightOf(value) })
      memories.set(sql, memory)
      // Before it is made: what moves meanwhile makes it old at once.
      const at = yield* recordVersion
      const cached = memory.get(name)
      if (cached?.at === at) return cached.value
      const value = yield* make
      memory.set(name, { at, value })
      return value
    })
}

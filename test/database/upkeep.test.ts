import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { Duties } from "../../runtime/cluster/Duties.ts"
import { maintenance } from "../../runtime/service/maintenance.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { pglite } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { trustedClock } from "../support/trustedClock.ts"

const services = (settings: Readonly<Record<string, string>>) =>
  Layer.mergeAll(Blobs.layerTable, Current.layer, Runs.feeds, Layer.succeed(TrustedClock, trustedClock)).pipe(
    Layer.provideMerge(pglite),
    Layer.provideMerge(Settings.layer),
    Layer.provideMerge(Duties.layerAlone),
    Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings)))
  )

/** Pages of the table of facts: those that only dead rows fill are given back by a vacuum and by nothing else. */
const pages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [size] = yield* sql<{ pages: number }>`select (pg_relation_size('fact') / 8192)::int as pages`
  return size?.pages ?? 0
})

/** Writes a thousand facts and takes them back. */
const litter = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into fact select 'litter ' || n, repeat('x', 100) from generate_series(1, 1000) as n`
  yield* sql`delete from fact where name like 'litter %'`
  return yield* pages
})

/** Looks until the upkeep, whose queries come between these, has shrunk the table. */
const vacuumed = Effect.repeat(pages, { until: (left) => left < 3 })

describe("upkeep of the embedded engine", () => {
  it.effect("vacuums at the start and every six hours", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // A row that is written behind the litter would keep its pages.
      yield* sql`insert into fact values ('removal_due:rows', '0')`
      assert.isAbove(yield* litter, 10)
      yield* maintenance
      yield* vacuumed
      const littered = yield* litter
      assert.isAbove(littered, 10)
      yield* TestClock.adjust("5 hours")
      assert.strictEqual(yield* pages, littered)
      yield* TestClock.adjust("1 hour")
      yield* vacuumed
    }).pipe(Effect.provide(services({})))
  )

  it.effect("leaves a server to its own", () =>
    Effect.gen(function* () {
      const littered = yield* litter
      const sql = yield* SqlClient.SqlClient
      yield* maintenance
      // Partitions of months ahead are made in every round, before anything else would be.
      yield* Effect.repeat(sql`select to_regclass('observation_1970_01') as t`, { times: 20 })
      assert.strictEqual(yield* pages, littered)
    }).pipe(
      Effect.provide(
        services({
          DATABASE_URL: "postgres://h/d",
          SIGNING_KEY_FILE: "k",
          LOG_KEY_FILE: "l",
          SERVER_SECRET_FILE: "s"
        })
      )
    )
  )
})

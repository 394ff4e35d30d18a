/** `as_known_at` of products and views: what they said at an earlier time, whatever happened since. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { Product } from "../../core/credits/Product.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { sold as product } from "../../core/products/build.ts"
import changes from "../../core/products/changes/build.ts"
import compare from "../../core/products/compare/build.ts"
import indicators from "../../core/products/crypto_indicators/build.ts"
import profile from "../../core/products/depin_health_profile/build.ts"
import { depinHistory } from "../../core/products/depin_history/build.ts"
import intel from "../../core/products/depin_intel_bundle/build.ts"
import depinNetworks from "../../core/products/depin_networks/build.ts"
import depinProvenance from "../../core/products/depin_provenance/build.ts"
import divergence from "../../core/products/divergence/build.ts"
import quality from "../../core/products/node_quality_score/build.ts"
import { Analyst } from "../../core/products/shared/analyst.ts"
import signals from "../../core/products/signal_ledger/build.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { onBothEngines } from "../support/database.ts"
import {
  about,
  at,
  bar,
  empty,
  playEvents,
  type RecordEvent,
  recordEvent,
  row,
  servicesOn,
  write
} from "../support/recordEvents.ts"

onBothEngines("as_known_at of products and views", (database) => {
  const services = servicesOn(database)

  layer(services)((it) => {
    const history = product(
      { key: "depin_history" },
      ({ inputs: { as_known_at: _, ...inputs } }) => depinHistory(inputs),
      {
        holds: () => true
      }
    )

    /** What a product delivers and covers, as known at a time or now. */
    const sold = Effect.fnUntraced(function* (product: Product, as_known_at?: string) {
      const inputs = as_known_at === undefined ? {} : { as_known_at }
      return [
        yield* product.build({ id: "pur_test", inputs }),
        yield* product.covers?.({ inputs }) ?? Effect.void
      ]
    })

    /** The answers of products and views that read latest values, days and bars. */
    const answers = Effect.fnUntraced(function* (as_known_at?: string) {
      const params = as_known_at === undefined ? {} : { as_known_at }
      return {
        networks: yield* sold(yield* depinNetworks.sale, as_known_at),
        history: yield* sold(yield* history, as_known_at),
        quality: yield* quality.view.read(params),
        profile: yield* profile.view.read({ ...params, symbol: "FIL" }),
        compared: yield* compare.view.read({ ...params, metric: "nodes_online" }),
        changes: yield* changes.view.read(params),
        divergence: yield* divergence.view.read(params),
        indicators: yield* indicators.view.read(params)
      }
    })

    /** Without the time that an answer of now does not name. */
    const undated = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(undated)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value).flatMap(([name, member]) =>
                name === "as_known_at" ? [] : [[name, undated(member)]]
              )
            )
          : value

    it.effect("gives the values, days and bars of then, and names the time", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(
          at(4, 11),
          row("nodes_online", 889, at(4, 10)),
          ...bar.map((name) => row(name, 2, at(4, 10)))
        )
        yield* write(
          at(4, 17),
          row("nodes_online", 897, at(4, 10)),
          row("nodes_online", 5, at(4, 12), "STORJ")
        )
        yield* TestClock.setTime(at(4, 18))
        const incident = yield* (yield* Incidents).open({ ...about, from: at(4, 0), to: at(5, 0) }, "a test")
        yield* TestClock.setTime(at(4, 20))
        yield* (yield* Incidents).close(incident, "checked")
        yield* write(at(4, 21), ...bar.map((name) => row(name, 3, at(4, 10))))

        const values = Effect.fnUntraced(function* (as_known_at: string) {
          const comparison = yield* compare.view.read({ metric: "nodes_online", as_known_at })
          assert.deepStrictEqual(
            [comparison.as_known_at, comparison.generated_utc],
            [as_known_at, as_known_at]
          )
          return comparison.rows.map(({ symbol, value }) => [symbol, value])
        })
        assert.deepStrictEqual(yield* values("2026-09-04T10:59:59Z"), [])
        assert.deepStrictEqual(yield* values("2026-09-04T12:00:00Z"), [["FIL", 889]])
        const both = [
          ["FIL", 897],
          ["STORJ", 5]
        ]
        assert.deepStrictEqual(yield* values("2026-09-04T17:00:00Z"), both)
        assert.deepStrictEqual(yield* values("2026-09-04T19:00:00Z"), [["STORJ", 5]])
        assert.deepStrictEqual(yield* values("2026-09-04T20:00:00Z"), both)

        const open = Effect.fnUntraced(function* (as_known_at: string) {
          const { assets } = yield* indicators.view.read({ as_known_at })
          return assets.flatMap(({ bars }) => bars.map(({ close }) => close))
        })
        assert.deepStrictEqual(yield* open("2026-09-04T20:00:00Z"), [2])
        assert.deepStrictEqual(yield* open("2026-09-04T21:00:00Z"), [3])
      })
    )

    it.effect("leaves the bars of a feed out while it is unconfirmed, then as now", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(4, 11), ...bar.map((name) => row(name, 2, at(4, 10))))
        const sql = yield* SqlClient.SqlClient
        const standing = (state: string, since: number) =>
          sql`insert into feed_confirmation ${sql.insert({
            plugin: "testnet",
            code_hash: "0".repeat(64),
            state,
            since: new Date(since)
          })}`
        yield* standing("unconfirmed", at(4, 12))
        yield* standing("confirmed", at(4, 16))
        const closes = Effect.fnUntraced(function* (as_known_at: string) {
          const { assets, left_out = [] } = yield* indicators.view.read({ as_known_at })
          return [assets.length, left_out.length]
        })
        yield* TestClock.setTime(at(4, 20))
        assert.deepStrictEqual(yield* closes("2026-09-04T11:30:00Z"), [1, 0])
        assert.deepStrictEqual(yield* closes("2026-09-04T13:00:00Z"), [0, bar.length])
        assert.deepStrictEqual(yield* closes("2026-09-04T17:00:00Z"), [1, 0])
        yield* standing("unconfirmed", at(4, 18))
        yield* (yield* Current).reload
        const { assets, left_out } = yield* indicators.view.read({})
        assert.deepStrictEqual([assets.length, left_out?.length], [0, bar.length])
        yield* sql`truncate feed_confirmation`
        yield* (yield* Current).reload
      })
    )

    it.effect("refuses a time that has not come, one before the record, and what is no time", () =>
      Effect.gen(function* () {
        yield* empty
        yield* TestClock.setTime(at(5, 12))
        const { build, covers } = yield* depinProvenance.sale
        for (const [as_known_at, message] of [
          ["2026-09-05T12:00:00.001Z", "must not be in the future"],
          ["2026-08-05T23:59:59.999Z", "must not be before 2026-08-06T00:00:00Z"],
          ["yesterday", "must be an ISO 8601 date-time"],
          [7, "must be an ISO 8601 date-time"]
        ] as const) {
          const order = { id: "pur_test", inputs: { as_known_at } }
          for (const refused of [
            yield* Effect.flip(build(order)),
            yield* Effect.flip(covers?.(order) ?? Effect.fail(null))
          ]) {
            assert.include(refused, { _tag: "BadParameter", field: "as_known_at" })
            assert.include(String(refused), message)
          }
        }
        // Nothing was known then, so there is nothing to sell.
        const refused = yield* Effect.flip(
          build({ id: "p", inputs: { as_known_at: "2026-08-06T00:00:00Z" } })
        )
        assert.strictEqual(refused._tag, "ProductUnavailable")
        // What a language model wrote then is not kept.
        const written = yield* intel.view
          .read({ as_known_at: "2026-09-04T12:00:00Z" })
          .pipe(Effect.provideService(Analyst, Effect.succeed(new Map())), Effect.flip)
        assert.include(written, { _tag: "BadParameter", field: "as_known_at" })
        // The readings of August are gone.
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact ${sql.insert({ name: "observation_kept_from", value: String(at(1, 0)) })}`
        const gone = yield* Effect.flip(changes.view.read({ as_known_at: "2026-08-31T12:00:00Z" }))
        assert.include(String(gone), "must not be before 2026-09-01T00:00:00Z")
        const ledger = yield* Effect.flip(signals.view.read({ as_known_at: "2026-09-04T12:00:00Z" }))
        assert.include(ledger, { _tag: "BadParameter", field: "as_known_at" })
      })
    )

    it.effect("takes a value from before the readings that are kept from its day", () =>
      Effect.gen(function* () {
        yield* empty
        yield* write(at(1, 11), row("nodes_online", 3, at(1, 10)))
        yield* write(at(2, 11), row("nodes_online", 4, at(2, 10)))
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact ${sql.insert({ name: "observation_kept_from", value: String(at(3, 0)) })}`
        yield* sql`delete from observation`
        yield* write(at(4, 11), row("nodes_online", 5, at(4, 10)))
        const { rows } = yield* compare.view.read({
          metric: "nodes_online",
          as_known_at: "2026-09-03T12:00:00Z"
        })
        assert.deepStrictEqual(
          rows.map(({ as_of, value }) => [value, as_of]),
          [[4, "2026-09-02T10:00:00Z"]]
        )
      })
    )

    it.effect(
      "is what was answered at that time, whatever happened since",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Layer.Success<typeof services>>()
          const versions = yield* Versions
          const run = (all: ReadonlyArray<RecordEvent>) =>
            Effect.gen(function* () {
              const snapshots: Array<{ readonly time: number; readonly answer: unknown }> = []
              yield* playEvents(
                all,
                Effect.fnUntraced(function* (time) {
                  // Ages are as of now, as if something had changed.
                  yield* versions.changed("symbols")
                  snapshots.push({ time, answer: yield* answers() })
                })
              )
              for (const { answer, time } of snapshots) {
                assert.deepStrictEqual(undated(yield* answers(isoTime(time))), answer)
              }
            })
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(fc.array(recordEvent, { minLength: 1, maxLength: 8 }), (all) =>
                Effect.runPromiseWith(context)(run(all))
              ),
              { numRuns: 3 }
            )
          )
        }),
      60_000
    )
  })
})

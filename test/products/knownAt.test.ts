/** `as_known_at` of products and views: what they said at an earlier time, whatever happened since. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { Product } from "../../core/credits/Product.ts"
import { Blobs } from "../../core/data/ingest/Blobs.ts"
import { Incidents } from "../../core/data/ingest/Incidents.ts"
import { Ingest } from "../../core/data/ingest/Ingest.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { Current } from "../../core/data/read/Current.ts"
import { Versions } from "../../core/data/read/Versions.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import type { Manifest } from "../../core/plugin/Plugin.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { product } from "../../core/products/define.ts"
import { depinHistory } from "../../core/products/depinHistory.ts"
import { depinNetworks } from "../../core/products/depinNetworks.ts"
import { depinProvenance } from "../../core/products/depinProvenance.ts"
import { views } from "../../core/products/views.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"
import { forget } from "../support/views.ts"

const hour = 3_600_000
const at = (day: number, hours: number) => Date.UTC(2026, 8, day, hours)

const count = { unit: "count", min: 0, meaning: "A count." } as const
const usd = { unit: "usd", meaning: "An amount." } as const
const bar = ["open", "high", "low", "close", "volume"].map((part) => `ohlcv_1h_${part}`)
const metrics: Manifest["metrics"] = {
  nodes_online: { ...count, role: "headline" },
  nodes_up: count,
  fees_24h_usd: usd,
  price_usd: usd,
  ...Object.fromEntries(bar.map((name) => [name, usd]))
}
const about = { symbol: "FIL", metric: "nodes_online", source: "test_feed" }

onBothEngines("as_known_at of products and views", (database) => {
  const services = DailyClose.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(at(5, 12))))),
    Layer.provideMerge(Runs.feedsOf(["FIL", "STORJ"], metrics)),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    const empty = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch,
        exclusion, incident_event, incident, revision, daily, latest, observation, exchange, run, blob, fact`
      yield* (yield* Current).reload
      yield* forget
    })
    const write = Effect.fnUntraced(function* (now: number, ...rows: Parameters<typeof Runs.delivery>[1]) {
      yield* TestClock.setTime(now)
      yield* (yield* Ingest).write(Runs.delivery(now, rows))
    })
    const row = (metric: string, value: number, asOf: number, symbol = "FIL") =>
      Runs.row(value, isoTime(asOf), { metric, symbol, unit: metrics[metric]?.unit ?? "count" })

    const history = product(
      "depin_history",
      ({ inputs: { as_known_at: _, ...inputs } }) => depinHistory(inputs),
      {
        holds: () => true
      }
    )

    /** What a product delivers and covers, as known at a time or now. */
    const sold = Effect.fnUntraced(function* (one: Product, as_known_at?: string) {
      const inputs = as_known_at === undefined ? {} : { as_known_at }
      return [yield* one.build({ id: "pur_test", inputs }), yield* one.covers?.({ inputs }) ?? Effect.void]
    })

    /** The answers of products and views that read latest values, days and bars. */
    const answers = Effect.fnUntraced(function* (as_known_at?: string) {
      const asked = as_known_at === undefined ? {} : { as_known_at }
      return {
        networks: yield* sold(yield* depinNetworks, as_known_at),
        history: yield* sold(yield* history, as_known_at),
        quality: yield* views["node-quality"].make(asked),
        profile: yield* views["health-profile"].make({ ...asked, symbol: "FIL" }),
        compared: yield* views.compare.make({ ...asked, metric: "nodes_online" }),
        changes: yield* views.changes.make(asked),
        divergence: yield* views.divergence.make(asked),
        indicators: yield* views.indicators.make(asked)
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
          const made = yield* views.compare.make({ metric: "nodes_online", as_known_at })
          assert.deepStrictEqual([made.as_known_at, made.generated_utc], [as_known_at, as_known_at])
          return made.rows.map(({ symbol, value }) => [symbol, value])
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
          const { assets } = yield* views.indicators.make({ as_known_at })
          return assets.flatMap(({ bars }) => bars.map(({ close }) => close))
        })
        assert.deepStrictEqual(yield* open("2026-09-04T20:00:00Z"), [2])
        assert.deepStrictEqual(yield* open("2026-09-04T21:00:00Z"), [3])
      })
    )

    it.effect("refuses a time that has not come, one before the record, and what is no time", () =>
      Effect.gen(function* () {
        yield* empty
        yield* TestClock.setTime(at(5, 12))
        const { build, covers } = yield* depinProvenance
        for (const [as_known_at, said] of [
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
            assert.include(String(refused), said)
          }
        }
        // Nothing was known then, so there is nothing to sell.
        const refused = yield* Effect.flip(
          build({ id: "p", inputs: { as_known_at: "2026-08-06T00:00:00Z" } })
        )
        assert.strictEqual(refused._tag, "ProductUnavailable")
        // The readings of August are gone.
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into fact ${sql.insert({ name: "observation_kept_from", value: String(at(1, 0)) })}`
        const gone = yield* Effect.flip(views.changes.make({ as_known_at: "2026-08-31T12:00:00Z" }))
        assert.include(String(gone), "must not be before 2026-09-01T00:00:00Z")
        const ledger = yield* Effect.flip(views.signals.make({ as_known_at: "2026-09-04T12:00:00Z" }))
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
        const { rows } = yield* views.compare.make({
          metric: "nodes_online",
          as_known_at: "2026-09-03T12:00:00Z"
        })
        assert.deepStrictEqual(
          rows.map(({ as_of, value }) => [value, as_of]),
          [[4, "2026-09-02T10:00:00Z"]]
        )
      })
    )

    const event = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant("reading" as const),
          ago: fc.integer({ min: 0, max: 30 }),
          metric: fc.constantFrom("nodes_online", "nodes_up", "fees_24h_usd", "price_usd"),
          symbol: fc.constantFrom("FIL", "FIL", "STORJ"),
          // A fall of more than 90 percent opens an automatic incident.
          value: fc.constantFrom(100, 120, 150, 3)
        })
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("bar" as const),
          ago: fc.integer({ min: 0, max: 6 }),
          value: fc.constantFrom(1, 2, 3)
        })
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("open" as const),
          ago: fc.integer({ min: 0, max: 30 }),
          metric: fc.constantFrom("nodes_online", "ohlcv_1h_close")
        })
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("close" as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("day" as const) }) }
    )

    it.effect(
      "is what was answered at that time, whatever happened since",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Layer.Success<typeof services>>()
          const incidents = yield* Incidents
          const versions = yield* Versions
          const run = (events: ReadonlyArray<typeof event extends fc.Arbitrary<infer A> ? A : never>) =>
            Effect.gen(function* () {
              yield* empty
              const close = yield* Effect.provide(
                DailyClose,
                DailyClose.layer.pipe(Layer.provideMerge(Log.layer)),
                { local: true }
              )
              let now = at(3, 9)
              const given: Array<{ readonly time: number; readonly said: unknown }> = []
              for (const one of events) {
                now += 2 * hour
                yield* TestClock.setTime(now)
                const asOf = "ago" in one ? Math.max(now - one.ago * hour, at(2, 0)) : now
                switch (one.kind) {
                  case "reading":
                    yield* write(now, row(one.metric, one.value, asOf, one.symbol))
                    break
                  case "bar":
                    yield* write(now, ...bar.map((name) => row(name, one.value, asOf)))
                    break
                  case "open":
                    yield* incidents
                      .open({ ...about, metric: one.metric, from: asOf - 6 * hour, to: asOf }, "a test")
                      .pipe(Effect.ignore)
                    break
                  case "close": {
                    const [open] = yield* incidents.list(true, 1)
                    if (open !== undefined) yield* incidents.close(open.id, "a test")
                    break
                  }
                  case "day":
                    now += 24 * hour
                    yield* TestClock.setTime(now)
                    yield* close.run
                }
                // Ages are as of now, as if something had changed.
                yield* versions.changed("symbols")
                given.push({ time: now, said: yield* answers() })
              }
              yield* TestClock.setTime(now + hour)
              for (const { said, time } of given) {
                assert.deepStrictEqual(undated(yield* answers(isoTime(time))), said)
              }
            })
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 10 }), (events) =>
                Effect.runPromiseWith(context)(run(events))
              ),
              { numRuns: 5 }
            )
          )
        }),
      60_000
    )
  })
})

import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { suppressed } from "../../../core/catalog/suppressed.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { provenance, provenanceBytes, provenanceHoldsUntil } from "../../../core/readings/read/provenance.ts"
import { coverage } from "../../../core/readings/read/uncovered.ts"
import { ProvenanceResponse } from "../../../core/wire/data/provenance.ts"
import { hour, latest, noon, services, setSnapshot } from "../../support/views.ts"

const slow = latest({ symbol: "STORJ", plugin: "retired" })
const price = latest({ plugin: "market", tier: "market", metric: "price_usd", source: "feed_m" })

layer(services)((it) => {
  it.effect("flags a value past twice its feed's cadence, and any at 26 hours", () =>
    Effect.gen(function* () {
      yield* setSnapshot(latest(), price, slow)
      const at = Effect.fnUntraced(function* (age: number) {
        yield* TestClock.setTime(noon + age)
        const response = yield* provenance()
        yield* Schema.decodeUnknownEffect(ProvenanceResponse)(response)
        return response.provenance.map(({ staleness_flag }) => staleness_flag)
      })
      // In order: telemetry each 15 minutes, market each 3 hours, a feed that is no more.
      assert.deepStrictEqual(yield* at(hour / 2), [false, false, false])
      assert.deepStrictEqual(yield* at(hour / 2 + 1), [true, false, false])
      assert.deepStrictEqual(yield* at(6 * hour), [true, false, false])
      assert.deepStrictEqual(yield* at(6 * hour + 1), [true, true, false])
      assert.deepStrictEqual(yield* at(26 * hour - 1), [true, true, false])
      assert.deepStrictEqual(yield* at(26 * hour), [true, true, true])
    })
  )

  it.effect("holds until the next series turns stale", () =>
    Effect.gen(function* () {
      yield* setSnapshot(latest(), price, slow)
      const holds = Effect.fnUntraced(function* (age: number) {
        yield* TestClock.setTime(noon + age)
        return (yield* provenanceHoldsUntil) - noon
      })
      assert.strictEqual(yield* holds(0), hour / 2 + 1)
      assert.strictEqual(yield* holds(hour / 2 + 1), 6 * hour + 1)
      assert.strictEqual(yield* holds(7 * hour), 26 * hour)
      assert.strictEqual(yield* holds(26 * hour), Number.POSITIVE_INFINITY)
    })
  )

  it.effect("names the series that are withheld, and serves no record of them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const [first] = suppressed
      if (first === undefined) return assert.fail("no series is suppressed")
      yield* setSnapshot(
        latest(),
        latest({ symbol: first.symbol, metric: first.metric, source: first.source })
      )
      const response = yield* provenance()
      assert.deepStrictEqual(response.suppressed_series, suppressed)
      assert.deepStrictEqual(
        response.provenance.map(({ symbol }) => symbol),
        ["FIL"]
      )
      assert.isAbove(Object.keys(response.not_covered).length, 0)
    })
  )

  it.effect("gives the reasons of all networks where nothing is selected", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest({ symbol: "FIL" }), latest({ symbol: "FIL", metric: "nodes" }))
      const { not_covered } = yield* provenance()
      assert.deepStrictEqual(not_covered, (yield* coverage()).not_covered)
      const first = yield* provenance({ limit: 1 })
      assert.deepStrictEqual(first.not_covered, {})
      assert.deepStrictEqual((yield* provenance({ limit: 1, cursor: first.next_cursor })).not_covered, {})
      const [other = ""] = Object.keys(not_covered)
      assert.deepStrictEqual((yield* provenance({ network: other })).not_covered, {
        [other]: not_covered[other]
      })
    })
  )

  it.effect("is whole by default, of one network when asked, and in pages that add up", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const rows = ["FIL", "SN1", "SN10", "SN2"].flatMap((symbol) =>
        ["nodes_online", "nodes_online_eu", "nodes"].flatMap((metric) =>
          ["feed_a", "feed_a2"].map((source) => latest({ symbol, metric, source }))
        )
      )
      yield* setSnapshot(...rows)
      const whole = yield* provenance()
      assert.deepStrictEqual([whole.n_records_shown, whole.n_records], [24, 24])
      const pages: Array<ProvenanceResponse["provenance"][number]> = []
      let cursor: string | undefined
      do {
        const page = yield* provenance({ limit: "5", cursor })
        assert.strictEqual(page.n_records, 24)
        pages.push(...page.provenance)
        cursor = page.next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages, whole.provenance)
      assert.strictEqual((yield* provenance({ network: "SN1" })).n_records, 6)
      const unknown = yield* Effect.flip(provenance({ network: "SN129" }))
      assert.strictEqual(unknown._tag, "UnknownSymbol")
    })
  )

  it.effect("its bytes are those of a whole answer, whatever changed since the ones before", () =>
    Effect.gen(function* () {
      const encode = Schema.encodeEffect(Schema.fromJsonString(ProvenanceResponse))
      const current = yield* Current
      yield* setSnapshot()
      const symbols = ["FIL", "SN1", "STORJ"]
      const change = fc.record({
        symbol: fc.constantFrom(...symbols),
        value: fc.integer({ min: 0, max: 3 }),
        source: fc.constantFrom("feed_a", 'feed "b" \\ é'),
        simulated: fc.boolean(),
        age: fc.integer({ min: 0, max: 30 }),
        wait: fc.constantFrom(0, 1, hour / 2, 6 * hour)
      })
      let now = noon
      for (const { age, wait, ...row } of fc.sample(change, { numRuns: 60, seed: 5 })) {
        now += wait
        yield* TestClock.setTime(now)
        yield* current.apply([latest({ ...row, as_of: new Date(now - age * hour) })])
        for (const params of [{}, { network: "FIL" }, { limit: "2" }]) {
          const { bytes, next_cursor } = yield* provenanceBytes(params)
          const whole = yield* provenance(params)
          assert.strictEqual(bytes.toString(), yield* encode(whole))
          assert.strictEqual(next_cursor, whole.next_cursor)
        }
      }
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { subnetSymbols } from "../../../core/catalog/Catalog.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { SampleSizes } from "../../../core/readings/read/Access.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { supply, supplyList, supplyOf } from "../../../core/readings/read/supply.ts"
import { SupplyListResponse, SupplyNetworkResponse } from "../../../core/wire/data/supply.ts"
import { day, everything, hour, latest, noon, sampled, services, setSnapshot } from "../../support/views.ts"

/** Twenty networks and every subnet, one row each; the first two went silent eight days ago. */
const names = [
  "AKT",
  "AR",
  "FIL",
  "FLUX",
  "HNT",
  "SC",
  "STORJ",
  "XCH",
  "ICP",
  "GLM",
  "TFT",
  "NKN",
  "MYST",
  "DVPN",
  "BZZ",
  "RNDR"
]
const many = [...names, ...subnetSymbols].map((symbol, n) =>
  latest({ symbol, as_of: new Date(n < 2 ? noon - 8 * day : noon) })
)

layer(services)((it) => {
  it.effect("the list is a sample that says so, with true counts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        ...many,
        latest({ symbol: "GRASS", tier: "market", plugin: "market", metric: "price_usd" })
      )
      const response = yield* supplyList({ access: sampled })
      assert.strictEqual(response.access.breadth, "sample")
      assert.match(response.access.note, /sample/)
      assert.strictEqual(response.n_networks, 145)
      assert.strictEqual(response.n_networks_available, 143)
      assert.strictEqual(response.n_networks_shown, 12)
      const symbols = [...new Set(response.supply.map(({ symbol }) => symbol))]
      assert.strictEqual(symbols.length, 12)
      assert.isAtMost(symbols.filter((symbol) => symbol.startsWith("SN")).length, 3)
      yield* Schema.decodeUnknownEffect(SupplyListResponse)(response)
    })
  )

  it.effect("the sample is another the next day, the same until then, and sized by the setting", () =>
    Effect.gen(function* () {
      yield* setSnapshot(...many)
      const sampleSymbols = Effect.map(supplyList({ access: sampled }), ({ supply }) =>
        supply.map(({ symbol }) => symbol)
      )
      yield* TestClock.setTime(noon)
      const first = yield* sampleSymbols
      yield* TestClock.setTime(noon + 12 * hour - 1)
      assert.deepStrictEqual(yield* sampleSymbols, first)
      yield* TestClock.setTime(noon + 12 * hour)
      assert.notDeepEqual(yield* sampleSymbols, first)
      const small = yield* Effect.provideService(sampleSymbols, SampleSizes, { supply: 5, networks: 1 })
      assert.strictEqual(small.length, 5)
    })
  )

  it.effect("with all access every network is there, and pages of them add up", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(...many)
      const whole = yield* supplyList({ access: everything })
      assert.strictEqual(whole.n_networks_shown, 145)
      assert.isUndefined(whole.next_cursor)
      const pages: Array<string> = []
      let cursor: string | undefined
      do {
        const page = yield* supplyList({ access: everything, limit: "40", cursor })
        pages.push(...page.supply.map(({ symbol }) => symbol))
        cursor = page.next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        pages,
        whole.supply.map(({ symbol }) => symbol)
      )
      assert.strictEqual((yield* Effect.flip(supplyList({ access: everything, limit: "0" }))).field, "limit")
    })
  )

  it.effect("rows that were made for the demo say so, others do not", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        latest({ simulated: true }),
        latest({ metric: "TOTAL_NODES", value: 0, value_text: "0.000" })
      )
      const { supply } = yield* supplyList({ access: everything })
      const [total, online] = supply
      assert.deepStrictEqual(total, {
        symbol: "FIL",
        metric: "TOTAL_NODES",
        value: 0,
        value_text: "0.000",
        unit: "count",
        source: "feed_a",
        verify_url: "https://stats.example.net/v1/nodes",
        as_of: "2026-09-05T12:00:00Z"
      })
      assert.isTrue(online?.simulated)
      const keyed = yield* supplyOf({ access: sampled, network: "FIL" })
      assert.strictEqual(keyed.supply["TOTAL_NODES"]?.value, 0)
      assert.isUndefined(keyed.supply["TOTAL_NODES"]?.simulated)
      assert.strictEqual(keyed.supply["TOTAL_NODES"]?.verify_url, "https://stats.example.net/v1/nodes")
      assert.isDefined(keyed.supply["TOTAL_NODES"]?.verify_yourself)
      assert.isTrue(keyed.supply["nodes_online"]?.simulated)
    })
  )

  it.effect("the keyed form follows the clock in steps of ten seconds", () =>
    Effect.gen(function* () {
      yield* setSnapshot(latest())
      const tick = 10_000
      const at = Effect.fnUntraced(function* (age: number) {
        yield* TestClock.setTime(noon + age)
        const response = yield* supplyOf({ access: sampled, network: "FIL" })
        yield* Schema.decodeUnknownEffect(SupplyNetworkResponse)(response)
        const { age_hours, freshness } = response.supply["nodes_online"] ?? {}
        assert.closeTo(age_hours ?? 0, (age - (age % tick)) / hour, 0.000_05)
        assert.match(String(age_hours), /^\d+(\.\d{1,4})?$/)
        assert.strictEqual(response.generated_utc, isoTime(noon + age - (age % tick)))
        return freshness
      })
      assert.strictEqual(yield* at(0), "live")
      assert.strictEqual(yield* at(2 * hour - 1), "live")
      assert.strictEqual(yield* at(2 * hour), "recent")
      assert.strictEqual(yield* at(26 * hour - 1), "recent")
      assert.strictEqual(yield* at(26 * hour), "stale")
      assert.strictEqual(yield* at(7 * day - 1), "stale")
      assert.strictEqual(yield* at(7 * day), "static")
    })
  )

  it.effect("the keyed form counts all networks as they are, though no value of its own changed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const current = yield* Current
      const [other, silent] = [
        latest({ symbol: "AKT" }),
        latest({ symbol: "AR", as_of: new Date(noon - 8 * day) })
      ]
      const counts = Effect.map(
        supplyOf({ access: sampled, network: "FIL" }),
        ({ n_networks, n_networks_available }) => [n_networks, n_networks_available]
      )
      yield* setSnapshot(latest(), other, silent)
      assert.deepStrictEqual(yield* counts, [3, 2])
      yield* current.apply([{ ...other, value: 5 }])
      assert.deepStrictEqual(yield* counts, [3, 2])
      yield* current.apply([latest({ symbol: "SC" })])
      assert.deepStrictEqual(yield* counts, [4, 3])
      yield* current.apply([{ ...silent, as_of: new Date(noon) }])
      assert.deepStrictEqual(yield* counts, [4, 4])
      yield* current.apply([], [other.series])
      assert.deepStrictEqual(yield* counts, [3, 3])
      yield* TestClock.setTime(noon + 7 * day)
      assert.deepStrictEqual(yield* counts, [3, 0])
    })
  )

  it.effect("of two sources the newest answers in the keyed form, and the list shows both", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        latest({ source: "feed_a", value: 1, as_of: new Date(noon - 1) }),
        latest({ source: "feed_b", value: 2 })
      )
      const keyed = yield* supplyOf({ access: sampled, network: "FIL" })
      assert.strictEqual(keyed.supply["nodes_online"]?.source, "feed_b")
      assert.strictEqual((yield* supplyList({ access: everything })).supply.length, 2)
    })
  )

  it.effect("a known network without telemetry is empty, an unknown one is refused by name", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        latest(),
        latest({ symbol: "AKT", tier: "market", plugin: "market", metric: "price_usd" })
      )
      const empty = yield* supplyOf({ access: sampled, network: "AKT" })
      assert.deepStrictEqual(empty.supply, {})
      assert.deepStrictEqual([empty.n_networks_shown, empty.n_networks], [0, 1])
      for (const symbol of ["SN129", "SN-1", "SN01", "FILX", "", "constructor", "__proto__"]) {
        const error = yield* Effect.flip(supply({ access: sampled, network: symbol }))
        assert.deepStrictEqual([error._tag, error.field], ["UnknownSymbol", "network"])
      }
      const akt = yield* supplyOf({ access: sampled, network: "akt" })
      assert.deepStrictEqual(akt, empty)
      const lowest = yield* supply({ access: sampled, network: "SN0" })
      const highest = yield* supply({ access: sampled, network: "SN128" })
      assert.deepStrictEqual([lowest.supply, highest.supply], [{}, {}])
    })
  )

  it.effect("a suppressed series is served nowhere", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        latest({ symbol: "AKT", metric: "volume_24h_usd", source: "akash_console", value: 0 })
      )
      assert.deepStrictEqual((yield* supplyList({ access: everything })).supply, [])
      assert.deepStrictEqual((yield* supplyOf({ access: everything, network: "AKT" })).supply, {})
    })
  )
})

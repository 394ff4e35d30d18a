import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { networks as catalog, uncovered } from "../../../core/catalog/Catalog.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Stamped } from "../../../core/readings/read/listing.ts"
import { network } from "../../../core/readings/read/network.ts"
import { networks, showcase } from "../../../core/readings/read/networks.ts"
import type { Selection } from "../../../core/readings/read/selection.ts"
import { NetworkResponse } from "../../../core/wire/data/network.ts"
import { NetworksResponse, TryResponse } from "../../../core/wire/data/networks.ts"
import { day, everything, hour, latest, noon, sampled, services, setSnapshot } from "../../support/views.ts"

const price = {
  tier: "market",
  plugin: "market",
  metric: "price_usd",
  unit: "usd",
  source: "feed_m"
} as const
const rowOf = (symbol: string) =>
  Effect.map(networks({ access: everything }), (response) =>
    response.networks.find((row) => row.symbol === symbol)
  )

layer(services)((it) => {
  it.effect("the catalog is a sample that says so, with true counts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest())
      const response = yield* networks({ access: sampled })
      yield* Schema.decodeUnknownEffect(NetworksResponse)(response)
      assert.strictEqual(response.networks.length, 40)
      assert.deepStrictEqual([response.n_networks_shown, response.n_networks], [40, catalog.length])
      assert.isAtMost(response.networks.filter(({ symbol }) => /^SN\d+$/.test(symbol)).length, 3)
      assert.strictEqual(response.access.breadth, "sample")
      yield* TestClock.setTime(noon + day)
      const next = yield* networks({ access: sampled })
      assert.notDeepEqual(next.networks, response.networks)
    })
  )

  it.effect(
    "a search shows its first 20 matches whatever the sample, measured ones first, and names the others",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const storage = catalog.filter(({ category, name }) => /storage/i.test(`${category} ${name}`))
        const page = yield* networks({ access: sampled, query: "storage" })
        const [last = ""] = (page.also_matching ?? []).slice(-1)
        yield* setSnapshot(latest({ symbol: last }))
        const response = yield* networks({ access: sampled, query: "Storage" })
        assert.strictEqual(response.n_matching, storage.length)
        assert.strictEqual(response.networks[0]?.symbol, last)
        assert.isAtLeast(response.networks.length, 20)
        assert.sameMembers(
          [...response.networks.map(({ symbol }) => symbol), ...(response.also_matching ?? [])],
          storage.map(({ symbol }) => symbol)
        )
        const { answers = [] } = yield* networks({ access: sampled, query: "number of nodes" })
        assert.deepStrictEqual(
          answers.map(({ metric, symbol, value }) => [symbol, metric, value]),
          [[last, "nodes_online", 7]]
        )
        const many = yield* networks({ access: sampled, query: "e" })
        assert.strictEqual(many.also_matching?.length, 100)
        assert.isAbove(many.n_matching ?? 0, 200)
        const all = yield* networks({ access: everything, query: "storage" })
        assert.isUndefined(all.also_matching)
        assert.strictEqual(all.networks.length, storage.length)
        assert.notProperty(yield* networks({ access: sampled }), "n_matching")
        assert.notProperty(yield* networks({ access: sampled }), "answers")
      })
  )

  it.effect("the answers of a search are of the networks and metrics that are chosen", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest(), latest({ symbol: "AKT" }), latest({ symbol: "STORJ" }))
      const symbolsOf = (selection: Selection) =>
        Effect.map(
          networks({ access: everything, query: "number of nodes", ...selection }),
          ({ answers = [] }) => answers.map(({ symbol }) => symbol).sort()
        )
      assert.deepStrictEqual(yield* symbolsOf({}), ["AKT", "FIL", "STORJ"])
      assert.deepStrictEqual(yield* symbolsOf({ category: "storage" }), ["FIL", "STORJ"])
      assert.deepStrictEqual(yield* symbolsOf({ category: "ai" }), [])
      assert.deepStrictEqual(yield* symbolsOf({ symbols: "STORJ,HNT" }), ["STORJ"])
      assert.deepStrictEqual(yield* symbolsOf({ metrics: "TOTAL_NODES" }), [])
    })
  )

  it.effect("with all access every catalogued network is there once, in pages too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot()
      const whole = (yield* networks({ access: everything })).networks.map(({ symbol }) => symbol)
      assert.deepStrictEqual(whole.toSorted(), catalog.map(({ symbol }) => symbol).sort())
      const first = yield* networks({ access: everything, limit: 500 })
      const second = yield* networks({ access: everything, limit: 500, cursor: first.next_cursor })
      assert.deepStrictEqual(
        [...first.networks, ...second.networks].map(({ symbol }) => symbol),
        whole.slice(0, 1000)
      )
    })
  )

  it.effect("what is measured leads, and what is only listed comes last, in the list and in a search", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest({ symbol: "STORJ" }), latest({ ...price, symbol: "AR" }))
      const leading = (query?: string) =>
        Effect.map(networks({ access: everything, ...(query === undefined ? {} : { query }) }), (response) =>
          response.networks.slice(0, 2).map(({ symbol, telemetry_tier }) => [symbol, telemetry_tier])
        )
      const measured = [
        ["STORJ", "first_party"],
        ["AR", "market_only"]
      ]
      assert.deepStrictEqual(yield* leading(), measured)
      assert.deepStrictEqual(yield* leading("decentralized storage"), measured)
      // The one that is named comes first all the same.
      assert.deepStrictEqual(yield* leading("filecoin"), [["FIL", "catalog_only"]])
      const [first] = yield* leading("dest")
      assert.deepStrictEqual(first, ["DEST", "catalog_only"])
      const lost = yield* Effect.flip(networks({ access: everything, cursor: "NOPE" }))
      assert.strictEqual(lost.field, "cursor")
    })
  )

  it.effect("a network is what of it is live: first-party, then market only, then listed only", () =>
    Effect.gen(function* () {
      yield* setSnapshot(latest(), latest({ ...price, as_of: new Date(noon + day) }))
      const at = Effect.fnUntraced(function* (time: number) {
        yield* TestClock.setTime(time)
        const row = yield* rowOf("FIL")
        return [row?.telemetry_tier, row?.live_series]
      })
      assert.deepStrictEqual(yield* at(noon), ["first_party", 2])
      // Lists turn with the snapshot or with the UTC day: the one after the seventh day.
      assert.deepStrictEqual(yield* at(noon + 7 * day), ["first_party", 2])
      assert.deepStrictEqual(yield* at(noon + 7 * day + 12 * hour), ["market_only", 1])
      assert.deepStrictEqual(yield* at(noon + 9 * day), ["catalog_only", 0])
      assert.strictEqual((yield* rowOf("STORJ"))?.telemetry_tier, "catalog_only")
    })
  )

  it.effect("not_covered names networks and reasons, without those that have telemetry", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const some = catalog.find(({ not_covered }) => not_covered !== undefined)
      if (some === undefined) return assert.fail("the catalog names no network that is not covered")
      yield* setSnapshot()
      const before = (yield* networks({ access: sampled })).not_covered
      const { manifests } = yield* Feeds
      assert.deepStrictEqual(before, Object.fromEntries(uncovered(manifests)))
      assert.strictEqual(before[some.symbol], some.not_covered)
      yield* setSnapshot(latest({ ...price, symbol: some.symbol }))
      assert.property((yield* networks({ access: sampled })).not_covered, some.symbol)
      yield* setSnapshot(latest({ symbol: some.symbol }))
      assert.notProperty((yield* networks({ access: sampled })).not_covered, some.symbol)
    })
  )

  it.effect("not_covered is that of the page where there are pages", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest())
      const { not_covered } = yield* networks({ access: everything })
      assert.isAbove(Object.keys(not_covered).length, 100)
      const first = yield* networks({ access: everything, limit: 3 })
      const second = yield* networks({ access: everything, limit: 3, cursor: first.next_cursor })
      for (const page of [first, second]) {
        const reasons = page.networks.flatMap(({ symbol }) => {
          const reason = not_covered[symbol]
          return reason === undefined ? [] : [[symbol, reason]]
        })
        assert.deepStrictEqual(page.not_covered, Object.fromEntries(reasons))
      }
    })
  )

  it.effect("stamped_on_chain is what the log says", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest())
      assert.isFalse((yield* rowOf("FIL"))?.stamped_on_chain)
      const stamped = Effect.provideService(Stamped, Effect.succeed(new Set(["FIL"])))
      assert.isTrue((yield* stamped(rowOf("FIL")))?.stamped_on_chain)
      assert.isFalse((yield* stamped(rowOf("AKT")))?.stamped_on_chain)
    })
  )

  it.effect("generated_utc moves with the rows and with the day, and not within it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(latest())
      const generated = Effect.map(networks({ access: sampled }), ({ generated_utc }) => generated_utc)
      assert.strictEqual(yield* generated, isoTime(noon))
      yield* TestClock.setTime(noon + 12 * hour - 1)
      assert.strictEqual(yield* generated, isoTime(noon))
      yield* TestClock.setTime(noon + 12 * hour)
      assert.strictEqual(yield* generated, isoTime(noon + 12 * hour))
      yield* TestClock.adjust("1 hour")
      yield* setSnapshot(latest({ value: 8 }))
      assert.strictEqual(yield* generated, isoTime(noon + 13 * hour))
    })
  )

  it.effect("/try shows three networks with data, telemetry first, each with an address to check", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        latest({ symbol: "FIL" }),
        latest({ symbol: "STORJ" }),
        latest({ symbol: "STORJ", metric: "TOTAL_NODES" }),
        latest({ symbol: "AR", as_of: new Date(noon - 8 * day) }),
        latest({ ...price, symbol: "HNT" }),
        latest({ ...price, symbol: "AKT" }),
        latest({ symbol: "AKT", verify_url: "https://stats.example.net/akt" }),
        latest({ symbol: "SN1" })
      )
      const response = yield* showcase
      yield* Schema.decodeUnknownEffect(TryResponse)(response)
      // AKT's category is its own; STORJ has more series than FIL, which shares its category.
      assert.deepStrictEqual(
        response.networks.map(({ symbol, telemetry_tier }) => [symbol, telemetry_tier]),
        [
          ["AKT", "first_party"],
          ["STORJ", "first_party"],
          ["FIL", "first_party"]
        ]
      )
      assert.strictEqual(response.networks[0]?.verify_url, "https://stats.example.net/akt")
      yield* setSnapshot(latest({ symbol: "FIL" }))
      assert.strictEqual((yield* showcase).networks.length, 1)
    })
  )

  it.effect("a largest holder with more than the total supply says so, on its own row alone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const holder = {
        tier: "holders",
        plugin: "holders",
        metric: "top_holder_balance",
        source: "feed_h"
      } as const
      const total = { ...price, metric: "total_supply", unit: "tokens" } as const
      const exceeded = Effect.fnUntraced(function* (balance: number, supply: Parameters<typeof latest>[0]) {
        yield* setSnapshot(
          latest({ ...holder, unit: "tokens", value: balance }),
          latest({ ...total, value: 1000, ...supply }),
          latest({ ...total, symbol: "STORJ", value: 1 })
        )
        const rows = yield* Schema.decodeUnknownEffect(NetworkResponse)(yield* network("FIL"))
        return rows.map(({ exceeds, metric }) => [metric, exceeds?.metric, exceeds?.value])
      })
      const none = [
        ["top_holder_balance", undefined, undefined],
        ["total_supply", undefined, undefined]
      ].sort()
      assert.deepStrictEqual(yield* exceeded(1000, {}), none)
      // Read hours apart.
      assert.deepStrictEqual(yield* exceeded(1009, {}), none)
      assert.deepStrictEqual(yield* exceeded(1011, { unconfirmed: true }), none)
      assert.deepStrictEqual(
        yield* exceeded(1011, {}),
        [
          ["top_holder_balance", "total_supply", 1000],
          ["total_supply", undefined, undefined]
        ].sort()
      )
    })
  )

  it.effect("/v1/network gives every row of any catalogued symbol or sector, and refuses others", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        latest(),
        latest({ source: "feed_b" }),
        latest(price),
        latest({ symbol: "SHIPS", plugin: "ships", tier: "physical", metric: "ais_vessels_tracked" })
      )
      assert.deepStrictEqual(
        (yield* network("FIL")).map(({ metric, source }) => [metric, source]),
        [
          ["nodes_online", "feed_a"],
          ["nodes_online", "feed_b"],
          ["price_usd", "feed_m"]
        ]
      )
      assert.strictEqual((yield* network("SHIPS")).length, 1)
      // In any case, of the catalog and of a sector; what is answered names the symbol as it is written.
      for (const [text, symbol] of [
        ["ships", "SHIPS"],
        ["fil", "FIL"],
        ["fiL", "FIL"]
      ] as const) {
        const rows = yield* network(text)
        assert.deepStrictEqual(rows, yield* network(symbol))
        assert.deepStrictEqual([...new Set(rows.map((row) => row.symbol))], [symbol])
      }
      const slip = yield* Effect.flip(network("FILCOIN"))
      assert.include(slip.did_you_mean ?? [], "FIL")
      assert.include(slip.message, "Did you mean FIL")
      assert.notProperty(yield* Effect.flip(network("x".repeat(300))), "did_you_mean")
      assert.deepStrictEqual(yield* network("NORWAY"), [])
      assert.deepStrictEqual(yield* network("SN128"), [])
      for (const symbol of ["SN129", "SN-1", "SN01", "FILX", "MARITIME_AIS"]) {
        const error = yield* Effect.flip(network(symbol))
        assert.strictEqual(error.field, "symbol")
        assert.include(error.message, JSON.stringify(symbol))
      }
    })
  )
})

/** Where nodes stand, by the maps of several networks; and what is not measured, left out or older. */
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { referenceSymbols } from "../../core/catalog/Catalog.ts"
import { geoConcentration } from "../../core/products/geo_concentration/build.ts"
import type { LatestRow } from "../../core/readings/read/Current.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { fixtureNow, fixtureRows, fixtureServices } from "../support/fixtureRows.ts"
import { latest, setSnapshot } from "../support/views.ts"

const prefix = "nodes_country_"
const maps = fixtureRows.filter(({ metric }) => metric.startsWith(prefix))
/** The Internet Computer has a map, too, but it is a reference and not DePIN. */
const symbols = [...new Set(maps.map(({ symbol }) => symbol))]
  .filter((symbol) => !referenceSymbols.has(symbol))
  .sort()

const country = (code: string, value: number, more: Partial<LatestRow> = {}) =>
  latest({ symbol: "NKN", metric: `${prefix}${code}`, value, as_of: new Date(fixtureNow), ...more })

const only = (...rows: ReadonlyArray<LatestRow>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(fixtureNow)
    yield* setSnapshot(...rows)
    const { networks } = yield* geoConcentration
    return networks
  })

layer(fixtureServices)("geo_concentration", (it) => {
  it.effect("is that of the upstreams' own maps", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setSnapshot(...fixtureRows)
      const { missing_fields, n_unmeasured, networks } = yield* geoConcentration
      assert.isAtLeast(symbols.length, 2)
      assert.notInclude(symbols, "ICP")
      assert.deepStrictEqual(
        networks.map(({ symbol }) => symbol),
        symbols
      )
      assert.isAbove(n_unmeasured, 400)
      assert.deepStrictEqual(missing_fields, ["nodes_country_<country>"])
      for (const row of networks) {
        const countryRows = maps.filter(({ symbol }) => symbol === row.symbol)
        const placed = countryRows.filter(({ metric }) => metric !== `${prefix}other`)
        const all = placed.reduce((total, { value }) => total + value, 0)
        const squares = placed.reduce((total, { value }) => total + ((100 * value) / all) ** 2, 0)
        assert.strictEqual(row.n_countries, placed.length)
        assert.closeTo(row.hhi ?? 0, squares, 1e-9)
        assert.closeTo(row.effective_countries ?? 0, 10_000 / squares, 1e-9)
        assert.closeTo(
          row.countries.reduce((total, { node_share }) => total + (node_share ?? 0), 0),
          1,
          1e-12
        )
        assert.strictEqual(
          row.n_without_country,
          countryRows.find(({ metric }) => metric === `${prefix}other`)?.value ?? null
        )
        for (const { country, input, nodes } of row.countries) {
          assert.strictEqual(input.metric, `${prefix}${country}`)
          assert.strictEqual(input.value, nodes)
        }
      }
    })
  )

  it.effect("agrees with the map that Swarm's payload holds", () =>
    Effect.gen(function* () {
      const { tape } = yield* Fixtures.load(join(Fixtures.root, "swarm", "ok"))
      const body = JSON.parse(new TextDecoder().decode(tape.exchanges[0]?.body)) as {
        readonly count: number
        readonly countries: Readonly<Record<string, number>>
      }
      yield* TestClock.setTime(fixtureNow)
      yield* setSnapshot(...fixtureRows)
      const bzz = (yield* geoConcentration).networks.find(({ symbol }) => symbol === "BZZ")
      assert.strictEqual(bzz?.top_country, "DE")
      assert.strictEqual(bzz?.countries[0]?.nodes, body.countries["Germany"])
      assert.strictEqual(bzz?.n_without_country, body.countries[""])
      const placed = bzz?.countries.reduce((total, { nodes }) => total + nodes, 0) ?? 0
      assert.strictEqual(placed + (bzz?.n_without_country ?? 0), body.count)
    })
  )

  it.effect("a country that the newest map does not name has no nodes", () =>
    Effect.gen(function* () {
      const before = new Date(fixtureNow - 3_600_000)
      const [row] = yield* only(country("DE", 3), country("FR", 1), country("US", 90, { as_of: before }))
      assert.deepStrictEqual(
        row?.countries.map(({ country, node_share }) => [country, node_share]),
        [
          ["DE", 0.75],
          ["FR", 0.25]
        ]
      )
      assert.closeTo(row?.hhi ?? 0, 6250, 1e-9)
      assert.isNull(row?.n_without_country)
    })
  )

  it.effect("a map of zeros has no shares, and one country alone is 10,000", () =>
    Effect.gen(function* () {
      const [none] = yield* only(country("DE", 0), country("FR", 0))
      assert.deepInclude(none, {
        n_countries: 0,
        hhi: null,
        effective_countries: null,
        top_country: null,
        top_share: null
      })
      const [one] = yield* only(country("DE", 3), country("other", 7))
      assert.deepInclude(one, {
        n_countries: 1,
        hhi: 10_000,
        effective_countries: 1,
        top_country: "DE",
        top_share: 1,
        n_without_country: 7
      })
    })
  )

  it.effect("a map of a week ago is none, nor is a count of nodes without places", () =>
    Effect.gen(function* () {
      const old = new Date(fixtureNow - 8 * 86_400_000)
      assert.deepStrictEqual(yield* only(country("DE", 6, { as_of: old })), [])
      assert.deepStrictEqual(yield* only(latest({ symbol: "NKN", metric: "nodes_online", value: 6 })), [])
    })
  )
})

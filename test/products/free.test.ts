/** What of a product is free at another address is said beside its price, with an address that has it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { products } from "../../core/products/builds.ts"
import type { Definition } from "../../core/products/definition.ts"
import { productDefinitions } from "../../core/products/index.ts"
import { listing } from "../../core/readings/read/listing.ts"
import { marketPage } from "../../core/readings/read/market.ts"
import { revenuePage } from "../../core/readings/read/revenue.ts"
import { Permissions } from "../../core/rights/Permissions.ts"
import { Api } from "../../http/api/Api.ts"
import { Site } from "../../http/explorer/Site.ts"
import { makeRoutes } from "../../http/routing/routes.ts"
import { fixtureNow, fixtureServices, setFixtureSnapshot, storeBars } from "../support/fixtureRows.ts"
import { permitted } from "../support/permissions.ts"

/** Figures anywhere in a value that cannot be in it by accident, and smaller ones with the name of their metric. */
const figuresIn = (value: unknown, into: Set<string> = new Set()): ReadonlySet<string> => {
  if (typeof value === "number") {
    if (String(value).replace(/[^1-9]/g, "").length >= 5) into.add(String(value))
  } else if (typeof value === "object" && value !== null) {
    if ("metric" in value && "value" in value) into.add(`${value.metric} ${value.value}`)
    for (const member of Object.values(value)) figuresIn(member, into)
  }
  return into
}

/** The figures of each address that anybody reads: whole lists, and each network or series by itself. */
const free = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bars = yield* sql<{ value: number }>`select value from observation`
  return new Map<string, ReadonlySet<string>>([
    ["/v1/network/{symbol}", figuresIn((yield* listing).rows.map(({ row }) => row))],
    ["/v1/market", figuresIn((yield* marketPage()).items)],
    ["/v1/revenue", figuresIn((yield* revenuePage()).items)],
    ["/v1/history", figuresIn(bars.map(({ value }) => value))]
  ])
})

const definitions: ReadonlyArray<Definition> = productDefinitions

/** Built from nothing but stored days, files and rows: what of them is free is said, which the words below show. */
const unfed = ["depin_history", "derivation_replay", "signal_ledger"]

layer(fixtureServices)("what is sold", (it) => {
  it.effect("says where any of its figures is free", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot()
      yield* storeBars
      const addresses = yield* free
      const silent: Array<string> = []
      for (const product of yield* products) {
        const words = definitions.find(({ key }) => key === product.key)?.sale?.free
        if (unfed.includes(product.key)) {
          if (words === undefined) silent.push(product.key)
          continue
        }
        const built = yield* Effect.result(product.build({ id: "pur_test", inputs: {} }))
        if (built._tag === "Failure") continue
        const sold = figuresIn(built.success)
        const there = [...addresses].flatMap(([address, figures]) =>
          [...sold].some((figure) => figures.has(figure)) ? [address] : []
        )
        if (there.length > 0 && !there.some((address) => words?.includes(address))) silent.push(product.key)
      }
      assert.deepStrictEqual(silent, [])
    }).pipe(
      Effect.provideService(
        Permissions,
        permitted(["akash", "akash-providers", "coingecko", "defillama"], ["bulk", "sell"])
      )
    )
  )

  it("names addresses that there are", () => {
    const routes = makeRoutes(Api, [], Site)
    for (const { key, sale } of definitions)
      for (const [address] of sale?.free?.matchAll(/\/(?:v1|networks)\/[\w/{}.]*[\w}/]/g) ?? [])
        assert.isNotEmpty(routes.at(address.replace("{symbol}", "FIL")), `${key}: ${address}`)
  })
})

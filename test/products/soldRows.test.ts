/** Every product: its rows can be read out of the payload and are the stored values, or it is listed as derived. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../core/products/builds.ts"
import { productDefinitions } from "../../core/products/index.ts"
import { derivedProducts, soldRows } from "../../core/proof/soldRows.ts"
import {
  fixtureNow,
  fixtureRows,
  fixtureServices,
  setFixtureSnapshot,
  storeBars
} from "../support/fixtureRows.ts"
import { layerPermitted } from "../support/permissions.ts"

const allPermitted = layerPermitted(["akash", "akash-providers", "coingecko", "defillama"], ["sell", "bulk"])

/** What the fixtures hold nothing for: its rows are columns, which `test/proof/sale.test.ts` reads. */
const inColumns = "depin_history"

// Whole, as if every source let its values be sold: without that some products have no row.
layer(fixtureServices.pipe(Layer.provideMerge(allPermitted)))("the rows in what is sold", (it) => {
  it.effect("are the stored values, in every product that is not derived", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot()
      yield* storeBars
      const stored = new Map(
        fixtureRows.map((row) => [JSON.stringify([row.symbol, row.metric, row.source]), row] as const)
      )
      const read = new Set<string>()
      for (const { build, key } of yield* products) {
        if (key in derivedProducts || key === inColumns) continue
        const rows = [...soldRows(yield* build({ id: "pur_test", inputs: {} }))]
        assert.isNotEmpty(rows, `${key}: no row can be read; list it as derived, with the reason`)
        read.add(key)
        for (const row of rows) {
          const one = stored.get(JSON.stringify([row.symbol, row.metric, row.source]))
          assert.strictEqual(one?.value, row.value, `${key}: ${JSON.stringify(row)}`)
        }
      }
      const sold = productDefinitions.flatMap((one) => ("withdrawn" in one ? [] : [one.key]))
      assert.sameMembers([...read, ...Object.keys(derivedProducts), inColumns], sold)
    })
  )
})

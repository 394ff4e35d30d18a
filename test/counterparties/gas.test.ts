/** What a settlement costs in gas on the chain of the tests: the figures of the README beside it. */
import { readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Shop } from "../support/shop.ts"
import { installed } from "./installed.ts"
import { payingFetch } from "./x402.ts"

const { decodePaymentResponseHeader } = await installed(() => import("@x402/fetch"))

const readme = readFileSync(new URL("../../core/credits/x402/README.md", import.meta.url), "utf8")

/** The gas that a row of the README's table says. */
const documented = (row: string): number =>
  Number(new RegExp(`^\\| ${row} \\| ([\\d,]+) \\|`, "m").exec(readme)?.[1]?.replaceAll(",", ""))

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("the gas of a payment", (it) => {
  it.effect("is what the README says, for one authorization and for one transfer of credits", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { payTo, url } = yield* Shop
      const payer = yield* chain.payer(10_000_000n)
      const gasOf = (hash: string) =>
        Effect.map(
          Effect.promise(() => chain.client.getTransactionReceipt({ hash: hash as `0x${string}` })),
          ({ gasUsed }) => Number(gasUsed)
        )
      const bought = Effect.gen(function* () {
        const response = yield* Effect.promise(() => payingFetch(payer)(url("depin_networks")))
        const settlement = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE") ?? "")
        return yield* gasOf(settlement.transaction)
      })
      // The first pays for the payee's place in the token as well.
      yield* bought
      const authorization = yield* bought
      const transfer = yield* gasOf(yield* chain.transfer(payer, payTo, 1_000_000n))
      for (const [row, gas] of [
        ["one `transferWithAuthorization`", authorization],
        ["one `transfer`", transfer]
      ] as const) {
        assert.closeTo(documented(row), gas, gas / 50, `${row}: ${gas}`)
      }
    })
  )
})

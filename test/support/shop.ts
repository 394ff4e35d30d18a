/** A service that sells per request on the chain of the tests, and what its tests ask it. */
import { Context, Effect, Layer, Redacted } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { Product } from "../../core/credits/Product.ts"
import type { Settler } from "../../core/credits/x402/Settler.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import * as Evm from "../../runtime/outside/evm.ts"
import * as Self from "../../runtime/outside/x402/self.ts"
import { Chain, usdc } from "./base.ts"
import { Service } from "./service.ts"
import { type Call, header, type Reply } from "./signed.ts"

/** Products that count how often they were built; `depin_revenue_snapshot` cannot be. */
export const builds = { provenance: 0 }

export const products: ReadonlyArray<Product> = [
  {
    key: "depin_provenance",
    build: () => Effect.sync(() => ({ supply: [{ symbol: "FIL", value: 1 }], built: ++builds.provenance }))
  },
  { key: "depin_networks", build: () => Effect.succeed({ networks: ["FIL"] }) },
  {
    key: "node_quality_score",
    build: () =>
      Effect.succeed({
        score: 1,
        inputs: [{ as_of: "2026-09-01T00:00:00Z" }, { as_of: "2026-09-03T00:00:00Z" }]
      })
  },
  { key: "dilution_risk_map", build: ({ inputs }) => Effect.succeed({ risk: "LOW", ...inputs }) }
]

/** A new key with ether, and the address that is paid. */
export const merchant = Effect.gen(function* () {
  const chain = yield* Chain
  const key = generatePrivateKey()
  yield* Effect.promise(() =>
    chain.client.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 18n })
  )
  return { key, payTo: privateKeyToAccount(generatePrivateKey()).address }
})

export class Shop extends Context.Service<
  Shop,
  {
    readonly payTo: `0x${string}`
    readonly settlerKey: `0x${string}`
    readonly settler: Settler
    readonly url: (product: string) => string
    readonly port: number
    readonly ask: (call: Call | string) => Effect.Effect<Reply>
    readonly buy: (product: string, header: string, name?: string) => Effect.Effect<Reply>
    readonly offer: (product: string) => Effect.Effect<Requirements>
  }
>()("test/Shop") {
  /** `rpc` may put something between the settler and the chain; `settle` takes another adapter. */
  static readonly layerWith = (options: {
    /** Where stablecoins are sent to for credits; there are no top-ups without it. */
    readonly deposit?: `0x${string}`
    readonly rpc?: (url: string) => string
    /** Counts calls as in production. */
    readonly limited?: boolean
    readonly settler?: (where: Self.Options) => Settler
  }) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const chain = yield* Chain
        const { key, payTo } = yield* merchant
        const where = {
          rpcUrl: options.rpc?.(chain.rpcUrl) ?? chain.rpcUrl,
          chainId: 8453,
          asset: usdc,
          payTo,
          key: Redacted.make(key),
          setting: "X402_SETTLER_KEY"
        }
        const settler = options.settler?.(where) ?? Self.make(where).settler
        return Layer.effect(
          Shop,
          Effect.map(Service, ({ call, port }) => {
            const ask = call
            const path = (product: string) => `/x402/v1/data/${product}`
            return Shop.of({
              payTo,
              settlerKey: key,
              settler,
              port,
              ask,
              url: (product) => `http://127.0.0.1:${port}${path(product)}`,
              buy: (product, value, name = "PAYMENT-SIGNATURE") =>
                ask({ path: path(product), headers: { [name]: value } }),
              offer: (product) =>
                Effect.map(ask(path(product)), (reply) => {
                  const required = JSON.parse(
                    Buffer.from(header(reply, "payment-required"), "base64").toString("utf8")
                  ) as { readonly accepts: ReadonlyArray<Requirements> }
                  const [offer] = required.accepts
                  if (offer === undefined) throw new Error("no offer")
                  return offer
                })
            })
          })
        ).pipe(
          Layer.provideMerge(
            Service.layer({
              products,
              settler,
              limited: options.limited ?? false,
              ...(options.deposit === undefined
                ? {}
                : {
                    chain: Evm.make({
                      rpcUrl: chain.rpcUrl,
                      chainId: 8453,
                      token: usdc,
                      depositAddress: options.deposit
                    })
                  })
            })
          )
        )
      })
    )

  static readonly layer = Shop.layerWith({})
}

/** The content of a header that is base64 of JSON. */
export const decoded = (reply: Reply, name: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(header(reply, name), "base64").toString("utf8"))

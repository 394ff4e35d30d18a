/** x402 over MCP: an agent that speaks nothing else pays a tool, by the SDK's client and the public scheme of x402. */
import { assert } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect, Layer } from "effect"
import type { PrivateKeyAccount } from "viem/accounts"
import { sha256 } from "../../core/credits/Secret.ts"
import { day as dayLength } from "../../core/plugin/time.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { publishFrom } from "../support/mcp.ts"
import { payloadOf, sign } from "../support/payments.ts"
import { Shop } from "../support/shop.ts"
import { installed } from "./installed.ts"

const { x402Client } = await installed(() => import("@x402/fetch"))
const { ExactEvmScheme } = await installed(() => import("@x402/evm/exact/client"))
type Required = Parameters<InstanceType<typeof x402Client>["createPaymentPayload"]>[0]

const paymentKey = "x402/payment"
const settlementKey = "x402/payment-response"

interface Offer {
  readonly x402Version: number
  readonly resource: { readonly url: string }
  readonly accepts: ReadonlyArray<Requirements>
}

/** A connected client; `bytes` counts the bodies of answers since the tools were listed. */
const connected = Effect.gen(function* () {
  const { port } = yield* Shop
  const traffic = { calls: 0, bytes: 0 }
  const counting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    traffic.calls += 1
    traffic.bytes += (await response.clone().arrayBuffer()).byteLength
    return response
  }
  const client = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "agent", version: "1.0.0" })
      const url = new URL(`http://127.0.0.1:${port}/mcp`)
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: counting }))
      await client.listTools()
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )
  traffic.calls = 0
  traffic.bytes = 0
  const call = (name: string, args: Record<string, unknown>, payment?: unknown) =>
    Effect.promise(() =>
      client.callTool({
        name,
        arguments: args,
        ...(payment === undefined ? {} : { _meta: { [paymentKey]: payment } })
      })
    )
  return { call, traffic }
})

const textOf = (result: { readonly content: unknown }): string =>
  (result.content as ReadonlyArray<{ readonly text: string }>)[0]?.text ?? ""

/** Pays an offer as the public client does, which takes no more than 1 USD as it comes. */
const paid = (payer: PrivateKeyAccount, offer: unknown) =>
  Effect.promise(() =>
    new x402Client()
      .register("eip155:8453", new ExactEvmScheme(payer))
      .createPaymentPayload(offer as Required)
  )

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("x402 over MCP", (it) => {
  it.effect("leads from 1 USD to a proved figure that was paid, in three calls and 10 kB", () =>
    Effect.gen(function* () {
      // The clock is a true one, and the log begins at most a week before its service first read.
      const day = new Date(Date.now() - 4 * dayLength).toISOString().slice(0, 10)
      yield* partitions.ensure(Date.parse(day))
      yield* partitions.ensure(Date.now())
      yield* publishFrom(Date.parse(day))
      const chain = yield* Chain
      const payer = yield* chain.payer(1_000_000n)
      const { call, traffic } = yield* connected
      const ask = { symbol: "FIL", metric: "active_storage_providers", pay: true }
      const offered = yield* call("get_network", ask)
      assert.isTrue(offered.isError)
      const offer = offered.structuredContent as unknown as Offer
      assert.deepInclude(offer, { x402Version: 2 })
      assert.strictEqual(offer.resource.url, "mcp://tool/get_network")
      assert.strictEqual(offer.accepts[0]?.amount, "50000")
      const wrapped = JSON.parse(textOf(offered))["x402/error"]
      assert.strictEqual(wrapped.code, 402)
      assert.deepStrictEqual(wrapped.data, offered.structuredContent)

      const payment = yield* paid(payer, offer)
      const bought = yield* call("get_network", ask, payment)
      assert.isNotTrue(bought.isError, textOf(bought))
      const { rows } = bought.structuredContent as { readonly rows: ReadonlyArray<{ value: number }> }
      assert.lengthOf(rows, 1)
      assert.strictEqual(yield* chain.balance(payer.address), 950_000n)
      const settlement = bought._meta?.[settlementKey] as {
        readonly success: boolean
        readonly transaction: string
        readonly extensions: { readonly sale: { readonly info: { readonly payload_sha256: string } } }
      }
      assert.isTrue(settlement.success)
      assert.strictEqual(settlement.extensions.sale.info.payload_sha256, sha256(textOf(bought)))

      const proved = yield* call("verify_value", {
        symbol: "FIL",
        metric: "active_storage_providers",
        date: day.replaceAll("-", "")
      })
      assert.isNotTrue(proved.isError, textOf(proved))
      assert.strictEqual(traffic.calls, 3)
      assert.isBelow(traffic.bytes, 10_000)

      // The same payment gets the same answer, and pays nothing else.
      const again = yield* call("get_network", ask, payment)
      assert.strictEqual(textOf(again), textOf(bought))
      const other = yield* call("get_network", { symbol: "GEOD", pay: true }, payment)
      assert.isTrue(other.isError)
      assert.include(textOf(other), "payment_reused")
      assert.strictEqual(yield* chain.balance(payer.address), 950_000n)
    })
  )

  it.effect("sells a product without a key, page by page for one payment", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const payer = yield* chain.payer(1_000_000n)
      const { call } = yield* connected
      const ask = { product_key: "depin_provenance" }
      const { isError, structuredContent } = yield* call("purchase_data", ask)
      assert.isTrue(isError)
      const payment = yield* paid(payer, structuredContent)
      const bought = yield* call("purchase_data", ask, payment)
      assert.deepInclude(JSON.parse(textOf(bought)), { status: "purchased", price_paid: 0.49, page: 1 })
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)
      const again = yield* call("purchase_data", ask, payment)
      assert.strictEqual(textOf(again), textOf(bought))
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)
      const unsold = yield* call("purchase_data", { product_key: "depin_history" })
      assert.include(textOf(unsold), "key_unknown")
    })
  )

  it.effect("takes nothing for a wrong payment, a wrong question, a free answer and the public edition", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, payTo } = yield* Shop
      const payer = yield* chain.payer(1_000_000n)
      const before = yield* chain.balance(payTo)
      const { call } = yield* connected
      const question = { symbol: "FIL", pay: true }
      const offer = (yield* call("get_network", question)).structuredContent as unknown as Offer
      const [terms] = offer.accepts
      if (terms === undefined) return yield* Effect.die("no offer")
      const short = yield* Effect.promise(() => sign(payer, terms, { value: 49_999n }))
      const refused = yield* call("get_network", question, payloadOf(short, terms))
      assert.isTrue(refused.isError)
      const { [settlementKey]: failure } = refused.structuredContent as Record<string, { success: boolean }>
      assert.isFalse(failure?.success)
      const payment = yield* paid(payer, offer)
      const wrong = yield* call("get_network", { symbol: "NOSUCH", pay: true }, payment)
      assert.include(textOf(wrong), "unknown_symbol")
      const garbage = yield* call("get_network", question, { x402Version: 2 })
      assert.include(textOf(garbage), "payment_malformed")
      const free = yield* call("get_network", { symbol: "FIL" }, payment)
      assert.isNotTrue(free.isError)
      assert.notProperty(free._meta ?? {}, settlementKey)
      const open = yield* ask({
        method: "POST",
        path: "/mcp/public",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "get_network", arguments: question, _meta: { [paymentKey]: payment } }
        })
      })
      assert.include(open.body.toString("utf8"), "Unknown argument")
      assert.strictEqual(yield* chain.balance(payTo), before)
    })
  )
})

/** The other side, as the public packages of x402 do it: a paying client, and a facilitator with its HTTP service. */
import { createServer } from "node:http"
import { Effect } from "effect"
import { createWalletClient, http, publicActions } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { base } from "viem/chains"
import { merchant } from "../support/shop.ts"
import { installed } from "./installed.ts"

const { x402Facilitator } = await installed(() => import("@x402/core/facilitator"))
const { toFacilitatorEvmSigner } = await installed(() => import("@x402/evm"))
const { ExactEvmScheme: ClientScheme } = await installed(() => import("@x402/evm/exact/client"))
const { ExactEvmScheme: FacilitatorScheme } = await installed(() => import("@x402/evm/exact/facilitator"))
const { ExactEvmSchemeV1: ClientSchemeV1 } = await installed(() => import("@x402/evm/exact/v1/client"))
const { wrapFetchWithPayment: wrapOldFetchWithPayment } = await installed(() => import("x402-fetch"))
const { wrapFetchWithPayment, x402Client } = await installed(() => import("@x402/fetch"))

/** `fetch` that pays; with `cap` the client's spending cap is that, without it as it comes. */
export const payingFetch = (payer: PrivateKeyAccount, cap?: string) => {
  const client = new x402Client().register("eip155:8453", new ClientScheme(payer))
  return wrapFetchWithPayment(
    fetch,
    cap === undefined ? client : client.setSpendControls({ maxAmountPerPayment: cap })
  )
}

/** The same for version 1. */
export const payingFetchV1 = (payer: PrivateKeyAccount) =>
  wrapFetchWithPayment(
    fetch,
    new x402Client().registerV1("base", new ClientSchemeV1(payer)).setSpendControls(false)
  )

/** The client of version 1 that was published before version 2, as it is installed; `most` is in the token's smallest unit. */
export const payingFetchOld = (payer: PrivateKeyAccount, rpcUrl: string, most = 1_000_000n) =>
  wrapOldFetchWithPayment(
    fetch,
    createWalletClient({ account: payer, chain: base, transport: http(rpcUrl) }).extend(
      publicActions
    ) as never,
    most
  )

/** A facilitator in this process, with a key of its own that pays gas. */
export const facilitator = Effect.fnUntraced(function* (rpcUrl: string) {
  const { key } = yield* merchant
  const account = privateKeyToAccount(key)
  const client = createWalletClient({
    account,
    chain: base,
    transport: http(rpcUrl),
    pollingInterval: 20
  }).extend(publicActions)
  return new x402Facilitator().register(
    "eip155:8453",
    new FacilitatorScheme(
      toFacilitatorEvmSigner({
        ...client,
        address: account.address,
        // The same arguments, which the two packages type differently.
        verifyTypedData: (args) =>
          client.verifyTypedData(args as Parameters<typeof client.verifyTypedData>[0])
      }),
      {
        simulateInSettle: true
      }
    )
  )
})

/** What a facilitator's service does with a settlement. */
export type Manner =
  /** As it should. */
  | "honest"
  /** Settles, and the answer is lost. */
  | "silent"
  /** Does nothing and says that it settled, with a transaction that is none. */
  | "boasting"
  /** Settles and says that it failed. */
  | "denying"
  /** Does nothing and answers 500. */
  | "broken"

/** `POST /verify` and `POST /settle` on a free port; `manner` may be changed while it runs. */
export const facilitatorService = Effect.fnUntraced(function* (rpcUrl: string) {
  const inner = yield* facilitator(rpcUrl)
  const state: { manner: Manner; settled: number } = { manner: "honest", settled: 0 }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    const send = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    const settle = async (body: {
      paymentPayload: Parameters<typeof inner.settle>[0]
      paymentRequirements: Parameters<typeof inner.settle>[1]
    }) => {
      const { manner } = state
      if (manner === "broken") return send(500, {})
      if (manner === "boasting") {
        return send(200, { success: true, transaction: `0x${"ab".repeat(32)}`, network: "eip155:8453" })
      }
      state.settled++
      const result = await inner.settle(body.paymentPayload, body.paymentRequirements)
      if (manner === "silent") return response.destroy()
      if (manner === "denying") {
        return send(200, {
          success: false,
          transaction: "",
          network: "eip155:8453",
          errorReason: "unexpected_settle_error"
        })
      }
      return send(200, result)
    }
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"))
      const answer =
        request.url === "/settle"
          ? settle(body)
          : inner.verify(body.paymentPayload, body.paymentRequirements).then((verdict) => send(200, verdict))
      answer.catch(() => send(500, {}))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, state }
})

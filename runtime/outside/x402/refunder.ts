/** Pays out of an address of the operator's own: signs an authorization for each debt, and settles it as a payer's is settled. */
import { Effect, Redacted } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Refunder } from "../../../core/credits/warranty/Refunder.ts"
import { SettlerUnavailable } from "../../../core/credits/x402/Settler.ts"
import * as Self from "./self.ts"
import { types } from "./token.ts"

/** Gas of one transfer, with room: the tests' token takes 73,160. */
const gasOfTransfer = 100_000n

const hex = (text: string): Hex => `0x${text.slice(2)}`

export const make = (options: Omit<Self.Options, "payTo" | "setting">) => {
  const account = privateKeyToAccount(Redacted.value(options.key))
  const place = { ...options, payTo: account.address }
  const { readTerms, settler, token } = Self.make({ ...place, setting: "WARRANTY_REFUND_KEY" })
  const { balance, client } = token
  const { chainId } = options
  const gas = Effect.tryPromise({
    try: async () => {
      const [wei, fees] = await Promise.all([
        client.getBalance({ address: account.address }),
        client.estimateFeesPerGas({ chain: null, type: "eip1559" })
      ])
      return wei / (gasOfTransfer * (fees.maxFeePerGas > 0n ? fees.maxFeePerGas : 1n))
    },
    catch: () => new SettlerUnavailable({ message: "the chain cannot be asked at the moment." })
  })
  const refunder: Refunder = {
    network: `eip155:${chainId}`,
    asset: options.asset.toLowerCase(),
    address: account.address.toLowerCase(),
    verify: settler.verify,
    settle: settler.settle,
    follow: settler.follow,
    finality: settler.finality,
    isUsed: (nonce) => token.isUsed(account.address, nonce),
    sign: Effect.fn("Refunder.sign")(function* (authorization) {
      const { domain } = yield* settler.terms
      const { from, nonce, to, validAfter, validBefore, value } = authorization
      // biome-ignore lint/plugin/promise: signs in memory
      const signature = yield* Effect.promise(() =>
        account.signTypedData({
          domain: { ...domain, chainId, verifyingContract: options.asset },
          types,
          primaryType: "TransferWithAuthorization",
          message: { from: hex(from), to: hex(to), value, validAfter, validBefore, nonce: hex(nonce) }
        })
      )
      return { authorization, signature }
    }),
    funds: Effect.map(
      Effect.all([balance(account.address), gas], { concurrency: 2 }),
      ([amount, transfers]) => ({
        balance: amount,
        transfers: Number(transfers)
      })
    )
  }
  return { refunder, readTerms }
}

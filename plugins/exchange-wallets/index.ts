import { Effect, Result, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { Quantity, Word } from "#plugin/evm"
import { evmHosts, evmNodes } from "#plugin/evmNodes"
import { firstOf } from "#plugin/gateways"
import { exchangeWallets } from "../../core/catalog/ExchangeWallets.ts"

const Block = Schema.Struct({ number: Quantity, timestamp: Quantity })

/** Nodes and human explorer of each chain on which wallets are labelled. */
const chains = {
  base: { nodes: evmNodes.base, explorer: "basescan.org" },
  bsc: { nodes: evmNodes.bsc, explorer: "bscscan.com" },
  ethereum: { nodes: evmNodes.ethereum, explorer: "etherscan.io" },
  polygon: { nodes: evmNodes.polygon, explorer: "polygonscan.com" }
} as const

/** `decimals()` and `balanceOf(address)`: the first four bytes of their hashes. */
const selector = { decimals: "0x313ce567", balanceOf: "0x70a08231" }

const call = (to: string, data: string, block: string) => ({
  method: "eth_call",
  params: [{ to, data }, block],
  result: Word
})

/** The newest block that cannot be undone: all balances of a chain are read at it, so that they belong together. */
const finalized = Effect.fnUntraced(function* (url: string) {
  const { body } = yield* Upstream.call(url, "eth_getBlockByNumber", ["finalized", false], Block)
  return { number: body.number, as_of: Number(body.timestamp) * 1000 }
})

const wallets = Map.groupBy(exchangeWallets, ({ chain }): string => chain)
const addresses = (chain: string) => (wallets.get(chain) ?? []).map(({ address }) => address)

/** The sum over a chain's labelled wallets; one that does not answer leaves the sum unmeasured. */
const balance = Effect.fnUntraced(function* (url: string, contract: string, chain: string, block: string) {
  const owners = addresses(chain)
  const answer = yield* Upstream.rpc(url, [
    call(contract, selector.decimals, block),
    ...owners.map((owner) =>
      call(contract, `${selector.balanceOf}${owner.slice(2).padStart(64, "0")}`, block)
    )
  ])
  const [decimals = "", ...balances] = answer.body
  if (BigInt(decimals) > 77n) return yield* Upstream.implausible(answer, "decimals()", "more than 77")
  const sum = balances.reduce((total, word) => total + BigInt(word), 0n)
  return {
    answer,
    values: { exchange_balance: fromBaseUnits(sum, Number(decimals)), exchange_wallets: owners.length }
  }
})

/** When somebody read the sources. */
const read = "2026-11-25"

export default Plugin.define({
  id: "exchange-wallets",
  title: "Tokens in labelled exchange wallets",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "exchange_wallets_rpc",
  hosts: evmHosts(["base", "bsc", "ethereum", "polygon"]),
  every: "6 hours",
  timeout: "10 minutes",
  calls: 230,
  grade: "K",
  evidence: readOn(read, {
    "ethereum/EIPs@0dfcdb77b01f752f5e155f69ef7390ed42ded89c EIPS/eip-20.md": "decimals, balanceOf",
    "https://github.com/ethereum-lists/chains/tree/master/_data/chains": "rpc, chainId"
  }),
  terms: termsOn(read, "Data: nodes of the chains, by public gateways of ethereum-lists/chains"),
  canaries: [
    {
      request: Upstream.post(evmNodes.ethereum[0], {
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getBlockByNumber",
        params: ["0x0", false]
      }),
      path: ["result", "hash"],
      is: "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3",
      why: "The hash of the first block, which every later block builds on."
    }
  ],
  metrics: {
    exchange_balance: mayDropToZero(
      "tokens",
      "Tokens held by the wallets that the catalog labels as exchanges', on the chain of the token's contract; a part of what exchanges hold."
    ),
    exchange_wallets: mayDropToZero(
      "count",
      "Wallets that were read for the balance: between two counts a difference is no flow."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = Map.groupBy(yield* Upstream.targets, ({ chain }) => chain ?? "")
      const outcomes = yield* Upstream.parts(
        Object.entries(chains)
          .filter(([chain]) => targets.has(chain))
          .map(([chain, { explorer, nodes }]) => {
            // One node gives the block and all balances at it.
            const all = firstOf(
              nodes,
              Effect.fnUntraced(function* (url: string) {
                const { as_of, number } = yield* finalized(url)
                const tokens = yield* Upstream.parts(
                  (targets.get(chain) ?? []).map(
                    (token) => [token, balance(url, token.id, chain, number)] as const
                  )
                )
                return tokens.flatMap(({ name: { id, symbol }, outcome }) => {
                  if (Result.isFailure(outcome)) return [Plugin.failedPart(outcome.failure, symbol)]
                  const { answer, values } = outcome.success
                  const verify_url = `https://${explorer}/token/${id}#${addresses(chain).join(",")}`
                  return observe(answer, values, { symbol, as_of, verify_url })
                })
              })
            )
            return [chain, all] as const
          })
      )
      return outcomes.flatMap(({ name: chain, outcome }) =>
        Result.isSuccess(outcome)
          ? outcome.success
          : (targets.get(chain) ?? []).map(({ symbol }) => Plugin.failedPart(outcome.failure, symbol))
      )
    })
})

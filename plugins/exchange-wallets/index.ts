import { Effect } from "effect"
import { fromBaseUnits, mayDropToZero, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { answerOf, besideViews, type Read, reads } from "#plugin/evm"
import { evmHosts, evmNodes } from "#plugin/evmNodes"
import { exchangeWallets } from "../../core/catalog/ExchangeWallets.ts"

/** Nodes and human explorer of each chain on which wallets are labelled. */
const chains = {
  base: { nodes: evmNodes.base, explorer: "basescan.org" },
  bsc: { nodes: evmNodes.bsc, explorer: "bscscan.com" },
  ethereum: { nodes: evmNodes.ethereum, explorer: "etherscan.io" },
  polygon: { nodes: evmNodes.polygon, explorer: "polygonscan.com" }
} as const

/** `decimals()` and `balanceOf(address)`: the first four bytes of their hashes. */
const selector = { decimals: "0x313ce567", balanceOf: "0x70a08231" }

const wallets = Map.groupBy(exchangeWallets, ({ chain }): string => chain)
const addresses = (chain: string) => (wallets.get(chain) ?? []).map(({ address }) => address)

const viewsOf = (contract: string, chain: string) =>
  [
    selector.decimals,
    ...addresses(chain).map((owner) => `${selector.balanceOf}${owner.slice(2).padStart(64, "0")}`)
  ].map((data) => ({ to: contract, data }))

/** The sum over a chain's labelled wallets; one that does not answer leaves the sum unmeasured. */
const figures = Effect.fnUntraced(function* (read: Read) {
  const { answer } = read
  const [decimals = "", ...balances] = answer.body
  if (BigInt(decimals) > 77n) return yield* Upstream.implausible(answer, "decimals()", "more than 77")
  const sum = balances.reduce((total, word) => total + BigInt(word), 0n)
  return [
    {
      answer: answerOf(read, ...balances.map((_, at) => at + 1)),
      values: { exchange_balance: fromBaseUnits(sum, Number(decimals)) }
    },
    // How long our own list is no chain says.
    { answer: besideViews(read), values: { exchange_wallets: balances.length } }
  ]
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
      // All balances of a chain are read at one block.
      const byChain = Map.groupBy(yield* Upstream.targetsOn(chains), ({ on }) => on)
      const tokens = yield* Effect.forEach(byChain, ([{ explorer, nodes }, targets]) =>
        reads(
          nodes,
          targets.map(({ chain = "", id, symbol }) => ({
            symbol,
            verify_url: `https://${explorer}/token/${id}#${addresses(chain).join(",")}`,
            views: viewsOf(id, chain)
          }))
        )
      )
      return yield* Plugin.forEach(tokens.flat(), ({ outcome, symbol, verify_url }) =>
        Effect.gen(function* () {
          const read = yield* Effect.fromResult(outcome)
          return (yield* figures(read)).flatMap(({ answer, values }) =>
            observe(answer, values, { symbol, as_of: read.as_of, verify_url })
          )
        })
      )
    })
})

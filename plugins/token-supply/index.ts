import { Effect, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { answerOf, type Read, reads } from "#plugin/evm"
import { evmHosts, evmNodes } from "#plugin/evmNodes"

/** Nodes and human explorer of each EVM chain. */
const chains = {
  arbitrum: { nodes: evmNodes.arbitrum, explorer: "arbiscan.io" },
  base: { nodes: evmNodes.base, explorer: "basescan.org" },
  bsc: { nodes: evmNodes.bsc, explorer: "bscscan.com" },
  ethereum: { nodes: evmNodes.ethereum, explorer: "etherscan.io" },
  gnosis: { nodes: evmNodes.gnosis, explorer: "gnosisscan.io" },
  polygon: { nodes: evmNodes.polygon, explorer: "polygonscan.com" }
} as const

/** Addresses whose key nobody has: what is sent there is out of the world, but not out of the total supply. */
const graves = ["0x0000000000000000000000000000000000000000", "0x000000000000000000000000000000000000dead"]

/** `decimals()`, `totalSupply()` and `balanceOf(address)`: the first four bytes of their hashes. */
const selector = { decimals: "0x313ce567", totalSupply: "0x18160ddd", balanceOf: "0x70a08231" }

const viewsOf = (contract: string) =>
  [
    selector.decimals,
    selector.totalSupply,
    ...graves.map((grave) => `${selector.balanceOf}${grave.slice(2).padStart(64, "0")}`)
  ].map((data) => ({ to: contract, data }))

const ofContract = Effect.fnUntraced(function* ({ answer, as_of, ...read }: Read) {
  const [decimals = "", supply = "", ...burnt] = answer.body
  if (BigInt(decimals) > 77n) return yield* Upstream.implausible(answer, "decimals()", "more than 77")
  // A token that people trade exists: 0 is what another contract says, or a node that does not know this one.
  if (BigInt(supply) === 0n) return yield* Upstream.implausible(answer, "totalSupply()", "no token at all")
  const tokens = (amount: bigint) => fromBaseUnits(amount, Number(decimals))
  const of = (...at: ReadonlyArray<number>) => answerOf({ answer, as_of, ...read }, ...at)
  return [
    { answer: of(1), values: { token_total_supply: tokens(BigInt(supply)) }, as_of },
    {
      answer: of(2, 3),
      values: { token_burned_balance: tokens(burnt.reduce((sum, word) => sum + BigInt(word), 0n)) },
      as_of
    }
  ]
})

const solana = "https://api.mainnet-beta.solana.com/"

const Supply = Schema.Struct({
  value: Schema.Struct({
    amount: Schema.String.check(Schema.isPattern(/^[1-9]\d*$/)),
    decimals: Schema.Natural
  })
})

const ofMint = (mint: string) =>
  Effect.map(Upstream.call(solana, "getTokenSupply", [mint], Supply), (answer) => ({
    answer,
    values: { token_total_supply: fromBaseUnits(answer.body.value.amount, answer.body.value.decimals) }
  }))

/** When somebody read the sources. */
const read = "2026-11-25"

export default Plugin.define({
  id: "token-supply",
  title: "Token supply on chain",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "token_contract",
  hosts: [
    ...evmHosts(["arbitrum", "base", "bsc", "ethereum", "gnosis", "polygon"]),
    "api.mainnet-beta.solana.com"
  ],
  every: "1 day",
  timeout: "10 minutes",
  calls: 450,
  grade: "K",
  evidence: readOn(read, {
    "ethereum/EIPs@0dfcdb77b01f752f5e155f69ef7390ed42ded89c EIPS/eip-20.md":
      "decimals, totalSupply, balanceOf",
    "anza-xyz/agave@4afe27140c0e467bb98f41d49aa71f06da1f510d rpc/src/rpc.rs":
      "get_token_supply, value, decimals",
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
    token_total_supply: metric(
      "tokens",
      "Tokens in existence by the contract itself, on the chain of the catalog's contract: one chain of several for some tokens."
    ),
    token_burned_balance: mayDropToZero(
      "tokens",
      "Tokens that lie at the addresses 0x0 and 0x…dEaD, which nobody can spend; what a contract burns by its own function has left the total supply instead."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      // All contracts of a chain are read at one block.
      const byChain = Map.groupBy(yield* Upstream.targetsOn(chains), ({ on }) => on)
      const contracts = yield* Effect.forEach(byChain, ([{ explorer, nodes }, targets]) =>
        reads(
          nodes,
          targets.map(({ id, symbol }) => ({ explorer, id, symbol, views: viewsOf(id) }))
        )
      )
      const mints = yield* Upstream.targetsOn({ solana: "solscan.io" })
      const rows = [
        ...contracts.flat().map(({ explorer, id, outcome, symbol }) => ({
          symbol,
          part: Effect.map(Effect.flatMap(Effect.fromResult(outcome), ofContract), (figures) =>
            figures.flatMap(({ answer, as_of, values }) =>
              observe(answer, values, { symbol, as_of, verify_url: `https://${explorer}/token/${id}` })
            )
          )
        })),
        ...mints.map(({ id, on, symbol }) => ({
          symbol,
          part: Effect.map(ofMint(id), ({ answer, values }) =>
            observe(answer, values, { symbol, verify_url: `https://${on}/token/${id}` })
          )
        }))
      ]
      return yield* Plugin.forEach(rows, ({ part }) => part)
    })
})

import { Effect, Schema } from "effect"
import { fromBaseUnits, mayDropToZero, metric, Plugin, Upstream } from "#plugin"
import { Quantity, Word } from "#plugin/evm"

/** Node and human explorer of each EVM chain. */
const chains: Readonly<Record<string, { readonly node: string; readonly explorer: string }>> = {
  arbitrum: { node: "arbitrum-one-rpc.publicnode.com", explorer: "arbiscan.io" },
  base: { node: "base-rpc.publicnode.com", explorer: "basescan.org" },
  bsc: { node: "bsc-rpc.publicnode.com", explorer: "bscscan.com" },
  ethereum: { node: "ethereum-rpc.publicnode.com", explorer: "etherscan.io" },
  gnosis: { node: "gnosis-rpc.publicnode.com", explorer: "gnosisscan.io" },
  polygon: { node: "polygon-bor-rpc.publicnode.com", explorer: "polygonscan.com" }
}

/** Addresses whose key nobody has: what is sent there is out of the world, but not out of the total supply. */
const graves = ["0x0000000000000000000000000000000000000000", "0x000000000000000000000000000000000000dead"]

/** `decimals()`, `totalSupply()` and `balanceOf(address)`: the first four bytes of their hashes. */
const selector = { decimals: "0x313ce567", totalSupply: "0x18160ddd", balanceOf: "0x70a08231" }

const Block = Schema.Struct({ timestamp: Quantity })

const ofContract = Effect.fnUntraced(function* (node: string, contract: string) {
  const call = (data: string) => ({
    method: "eth_call",
    params: [{ to: contract, data }, "latest"],
    result: Word
  })
  const answer = yield* Upstream.rpc(`https://${node}/`, [
    { method: "eth_getBlockByNumber", params: ["latest", false], result: Block },
    call(selector.decimals),
    call(selector.totalSupply),
    ...graves.map((grave) => call(`${selector.balanceOf}${grave.slice(2).padStart(64, "0")}`))
  ])
  const [{ timestamp }, decimals, supply, ...burnt] = answer.body
  if (BigInt(decimals) > 77n) return yield* Upstream.implausible(answer, "decimals()", "more than 77")
  // A token that people trade exists: 0 is what another contract says, or a node that does not know this one.
  if (BigInt(supply) === 0n) return yield* Upstream.implausible(answer, "totalSupply()", "no token at all")
  const tokens = (amount: bigint) => fromBaseUnits(amount, Number(decimals))
  const values = {
    token_total_supply: tokens(BigInt(supply)),
    token_burned_balance: tokens(burnt.reduce((sum, word) => sum + BigInt(word), 0n))
  }
  return { answer, values, as_of: Number(timestamp) * 1000 }
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

export default Plugin.define({
  id: "token-supply",
  title: "Token supply on chain",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "token_contract",
  hosts: [...Object.values(chains).map(({ node }) => node), "api.mainnet-beta.solana.com"],
  every: "1 day",
  timeout: "10 minutes",
  calls: 260,
  grade: "K",
  evidence: [
    {
      source:
        "ERC-20 (https://eips.ethereum.org/EIPS/eip-20) and https://solana.com/docs/rpc/http/gettokensupply",
      read: "2026-11-22",
      members: []
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
      const contracts = yield* Upstream.targetsOn(chains)
      const mints = yield* Upstream.targetsOn({ solana: "solscan.io" })
      const rows = [
        ...contracts.map(({ id, on, symbol }) => ({
          symbol,
          part: Effect.map(ofContract(on.node, id), ({ answer, as_of, values }) =>
            observe(answer, values, { symbol, as_of, verify_url: `https://${on.explorer}/token/${id}` })
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

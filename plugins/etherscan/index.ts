import { Effect, Schema } from "effect"
import { metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Fields from "#plugin/fields"

/** A count travels as text; some refusals have no `message`. */
const Word = Schema.Union([Schema.String, Schema.Natural])
const Answer = Schema.Struct({ status: Word, message: Fields.text, result: Upstream.maybe(Word) })

/** Chain id and the explorer that people read, by chain of the catalog. */
const chains: Readonly<Record<string, { readonly id: number; readonly explorer: string }>> = {
  ethereum: { id: 1, explorer: "etherscan.io" },
  base: { id: 8453, explorer: "basescan.org" },
  arbitrum: { id: 42161, explorer: "arbiscan.io" },
  polygon: { id: 137, explorer: "polygonscan.com" },
  optimism: { id: 10, explorer: "optimistic.etherscan.io" },
  bsc: { id: 56, explorer: "bscscan.com" },
  gnosis: { id: 100, explorer: "gnosisscan.io" }
}

const holdersOf = Effect.fnUntraced(function* (chain: number, contract: string) {
  const url =
    `https://api.etherscan.io/v2/api?chainid=${chain}&module=token&action=tokenholdercount` +
    `&contractaddress=${contract}`
  const answer = yield* Upstream.json(url, Answer)
  // Refusals come with status 200 too: a free key may not ask this.
  const { message, result, status } = answer.body
  if (String(status) !== "1") {
    return yield* Upstream.refused(answer, `${message ?? "no message"}: ${result ?? "no result"}`)
  }
  // A token that people trade has holders: 0 is what the upstream says of one that it has not counted.
  const holders = /^[1-9]\d*$/.test(String(result)) ? Number(result) : undefined
  if (holders === undefined) {
    return yield* Upstream.implausible(answer, '["result"]', "not a whole number above 0")
  }
  return { ...answer, body: holders }
})

/** When somebody read the document. */
const read = "2026-11-25"

export default Plugin.define({
  id: "etherscan",
  title: "Token holders by Etherscan",
  covers: { catalog: "token_contract" },
  tier: "holders",
  source: "etherscan",
  sources: Object.keys(chains).map((chain) => `etherscan_${chain}`),
  hosts: ["api.etherscan.io"],
  every: "1 day",
  timeout: "5 minutes",
  calls: 230,
  grade: "B",
  evidence: readOn(read, {
    "https://docs.etherscan.io/api-reference/endpoint/tokenholdercount.md": "status, message, result"
  }),
  terms: termsOn(read, "Data: Etherscan, etherscan.io", {
    address: "https://etherscan.io/terms",
    licence: "proprietary"
  }),
  agreesWith: ["arbitrum", "base", "ethereum", "gnosis", "optimism", "polygon"].map((chain) => ({
    metric: "holders_count" as const,
    source: `blockscout_${chain}`,
    tolerance: 0.1,
    why: "Both count the addresses with a balance of the same contract, each from its own index, which may lag."
  })),
  auth: {
    "api.etherscan.io": { setting: "ETHERSCAN_API_KEY", as: { query: "apikey" }, optional: false }
  },
  metrics: {
    holders_count: metric(
      "count",
      "Holders of the token by Etherscan's count, on the chain of the catalog's contract."
    )
  },
  collect: (observe) =>
    Effect.flatMap(Upstream.targetsOn(chains), (tokens) =>
      Plugin.forEach(tokens, ({ chain, id, on, symbol }) =>
        Plugin.from(
          observe,
          holdersOf(on.id, id),
          {
            symbol,
            source: `etherscan_${chain}`,
            verify_url: `https://${on.explorer}/token/${id}#balances`
          },
          (holders_count) => ({ holders_count })
        )
      )
    )
})

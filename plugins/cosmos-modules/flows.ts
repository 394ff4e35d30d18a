/** What users of these chains paid and what suppliers received, as modules of the chains count it. */
import { Effect, Schema } from "effect"
import { flow, fromBaseUnits, type Plugin, Upstream } from "#plugin"
import { amount, combine, exactSum, nonEmpty, object, quantity, text } from "#plugin/fields"
import { firstOf } from "#plugin/gateways"
import { gateways } from "./lists.ts"

/** The contract of the mixnet on Nyx, and what it is asked, as gateways take it in a path. */
const mixnet = "n17srjznxl9dvzdkpwpw24gg668wc73val88a6m5ajg6ankwvz9wtst0cznr"
const rewardingParams = encodeURIComponent(btoa(JSON.stringify({ get_rewarding_params: {} })))

/** Entries of a page, and pages at most. */
const pageSize = 500
const mostPages = 10

const chainRead = { rung: "chain_read" } as const

export const metrics = {
  earned_total: flow("tokens", "Tokens that users paid for the service since the start.", {
    ARKEO: {
      ...chainRead,
      at: "paid of each contract whose rate is in uarkeo, of the list contract of /arkeo/contracts",
      formula: "sum(contract, rate.denom = uarkeo, paid) / 10^8",
      without:
        "Contracts paid in other tokens, and what clients deposited and have not used. Providers receive it less the share of the validators.",
      code: "arkeonetwork/arkeo@905bc49 x/arkeo/keeper/manager.go:397"
    },
    KYVE: {
      ...chainRead,
      at: "stats.total_used_funds in ukyve of each funder, of the list funders of /kyve/query/v1beta1/funders",
      formula: "sum(funders.stats.total_used_funds, denom = ukyve, amount) / 10^6",
      without:
        "Funds in other tokens, and KYVE that the chain issues for bundles besides. In it: funds of the foundation, which pays for pools like others.",
      code: "KYVENetwork/chain@d7cfcf3 x/query/keeper/grpc_query_funders.go:93"
    }
  }),
  paid_out_block: flow("tokens", "Tokens that suppliers are to receive for the newest block.", {
    BAND: {
      ...chainRead,
      at: "annual_provisions of /cosmos/mint/v1beta1/annual_provisions, and params.blocks_per_year of /cosmos/mint/v1beta1/params",
      formula: "annual_provisions / blocks_per_year / 10^6",
      without:
        "Fees of requests for data, of which validators receive a part. In it besides what validators and their delegators receive: the tax of the community pool.",
      code: "cosmos/cosmos-sdk@15041c22e75701f01c15bb4b6ef5c996dff66e2f proto/cosmos/mint/v1beta1/query.proto"
    },
    LAVA: {
      ...chainRead,
      at: "reward of /lavanet/lava/rewards/block_reward: the pool of validators of this month, by the blocks until it ends",
      formula: "reward.amount / 10^6",
      without:
        "What providers of data receive, from subscriptions and from a pool of their own, at the end of a month.",
      code: "lavanet/lava@5dbc50a65 x/rewards/keeper/grpc_query_block_reward.go:36"
    }
  }),
  paid_out_round: flow(
    "tokens",
    "NYM that the mixnet has for the rewards of an epoch, an hour, if all nodes of the set are saturated and never fail.",
    {
      NYM: {
        ...chainRead,
        at: `interval.epoch_reward_budget of the query get_rewarding_params of the contract ${mixnet} on Nyx`,
        formula: "data.interval.epoch_reward_budget / 10^6",
        without:
          "What users pay for the service. It is what may be paid: of a node that is not saturated, or fails, a part stays in the pool.",
        code: "nymtech/nym@daed9cd15b common/cosmwasm-smart-contracts/mixnet-contract/src/reward_params.rs:49"
      }
    }
  )
}

/** Reads something from the first gateway of a chain that is there. */
const fromGateway = <A, R>(
  symbol: keyof typeof gateways,
  read: (gateway: string) => Effect.Effect<A, Upstream.UpstreamError, R>
) =>
  firstOf(
    gateways[symbol].map((gateway) => `https://${gateway}`),
    read
  )

const ask = <S extends Schema.ConstraintDecoder<unknown>>(
  symbol: keyof typeof gateways,
  path: string,
  schema: S
) => fromGateway(symbol, (gateway) => Upstream.json(`${gateway}${path}`, schema))

const Pagination = object({ next_key: text })

const Coin = Schema.Struct({ denom: Schema.NonEmptyString, amount })

const Funders = Schema.Struct({
  funders: nonEmpty(Schema.Struct({ stats: Schema.Struct({ total_used_funds: Schema.Array(Coin) }) })),
  pagination: Pagination
})

const usedFunds = Effect.gen(function* () {
  const answer = yield* ask("KYVE", `/kyve/query/v1beta1/funders?pagination.limit=${pageSize}`, Funders)
  const { funders, pagination } = answer.body
  if (typeof pagination?.next_key === "string" && pagination.next_key !== "")
    return yield* Upstream.implausible(answer, `["pagination"]`, `the list goes on after ${funders.length}`)
  const used = funders.flatMap(({ stats }) => stats.total_used_funds).filter(({ denom }) => denom === "ukyve")
  return { answer, values: { earned_total: fromBaseUnits(exactSum(used.map(({ amount }) => amount)), 6) } }
})

const Contracts = Schema.Struct({
  contract: Schema.Array(
    Schema.Struct({ paid: amount, rate: Schema.Struct({ denom: Schema.NonEmptyString }) })
  ),
  pagination: Pagination
})

const paidContracts = fromGateway("ARKEO", (gateway) =>
  Effect.gen(function* () {
    const page = (more: string) => `${gateway}/arkeo/contracts?pagination.limit=${pageSize}${more}`
    const answers = yield* Upstream.pages(
      page(""),
      Contracts,
      ({ body: { pagination } }) => {
        const next = pagination?.next_key
        return typeof next !== "string" || next === ""
          ? undefined
          : page(`&pagination.key=${encodeURIComponent(next)}`)
      },
      mostPages
    )
    const [answer] = answers
    if (answer === undefined) return yield* Effect.die("a list without a page")
    const all = answers.flatMap(({ body }) => body.contract)
    if (all.length === 0) return yield* Upstream.implausible(answer, `["contract"]`, "the list is empty")
    const own = all.filter(({ rate }) => rate.denom === "uarkeo")
    return { answer, values: { earned_total: fromBaseUnits(exactSum(own.map(({ paid }) => paid)), 8) } }
  })
)

const Provisions = Schema.Struct({ annual_provisions: quantity })
const MintParams = Schema.Struct({ params: Schema.Struct({ blocks_per_year: quantity }) })

/** Both of one node, since a chain changes them together. */
const provisions = fromGateway("BAND", (gateway) =>
  Effect.gen(function* () {
    const mint = `${gateway}/cosmos/mint/v1beta1`
    const answer = yield* Upstream.json(`${mint}/annual_provisions`, Provisions)
    const { body } = yield* Upstream.json(`${mint}/params`, MintParams)
    const parts = [answer.body.annual_provisions, body.params.blocks_per_year] as const
    return {
      answer,
      values: { paid_out_block: combine(parts, ([year, blocks]) => year / blocks / 1e6) }
    }
  })
)

const BlockReward = Schema.Struct({ reward: Coin })

const blockReward = Effect.map(ask("LAVA", "/lavanet/lava/rewards/block_reward", BlockReward), (answer) => ({
  answer,
  values: { paid_out_block: fromBaseUnits(answer.body.reward.amount, 6) }
}))

const Rewarding = Schema.Struct({
  data: Schema.Struct({ interval: Schema.Struct({ epoch_reward_budget: amount }) })
})

const epochBudget = Effect.map(
  ask("NYM", `/cosmwasm/wasm/v1/contract/${mixnet}/smart/${rewardingParams}`, Rewarding),
  (answer) => ({
    answer,
    values: { paid_out_round: fromBaseUnits(answer.body.data.interval.epoch_reward_budget, 6) }
  })
)

interface FlowRead {
  readonly answer: Upstream.Answer<unknown>
  readonly values: { readonly [K in keyof typeof metrics]?: Plugin.Reading }
}

/** What is read of each chain, each of itself. */
export const flows: ReadonlyArray<{
  readonly symbol: keyof typeof gateways
  readonly read: Effect.Effect<FlowRead, Upstream.UpstreamError, Upstream.Upstream>
}> = [
  { symbol: "ARKEO", read: paidContracts },
  { symbol: "BAND", read: provisions },
  { symbol: "KYVE", read: usedFunds },
  { symbol: "LAVA", read: blockReward },
  { symbol: "NYM", read: epochBudget }
]

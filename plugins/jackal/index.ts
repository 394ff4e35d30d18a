import { Effect, Schema } from "effect"
import {
  capacity,
  flow,
  fromBaseUnits,
  headline,
  metric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { amount, combine, count, distinct, nonEmpty, object, text } from "#plugin/fields"
import { firstOf } from "#plugin/gateways"

// The operator's own gateway, and one of the chain registry.
const gateways = ["api.jackalprotocol.com", "jackal-api.polkachu.com"]
const source = "JackalLabs/canine-chain@ae9a747f"
const read = "2026-11-25"

/** Reads a path from the first gateway that is there. */
const askAt = <S extends Schema.ConstraintDecoder<unknown>>(path: string, schema: S) =>
  firstOf(
    gateways.map((host) => `https://${host}/${path}`),
    (url) => Upstream.json(url, schema)
  )

/** The same of the storage module. */
const ask = <S extends Schema.ConstraintDecoder<unknown>>(path: string, schema: S) =>
  askAt(`jackal/canine-chain/storage/${path}`, schema)

/** What a block mints, in ujkl, and the percent of it that is for those who store. */
const Mint = Schema.Struct({
  params: Schema.Struct({ tokens_per_block: count, storage_provider_ratio: count })
})

const most = 500
const Entries = nonEmpty(Schema.Struct({ address: Schema.String }))
const Providers = Schema.Struct({ providers: Entries, pagination: object({ next_key: text }) })
const Stats = Schema.Struct({ purchased: amount, used: amount })

/** Distinct addresses of a whole list; one that goes on is a failed read. */
const listed = Effect.fnUntraced(function* (path: string) {
  const answer = yield* ask(path, Providers)
  const { pagination, providers } = answer.body
  // Without a word on pages, a list of as many as were asked for may be a part.
  const isPart =
    pagination === undefined || pagination === null ? providers.length >= most : pagination.next_key
  return isPart
    ? yield* Upstream.implausible(answer, `["pagination"]`, `the list goes on after ${providers.length}`)
    : { ...answer, body: distinct(providers, ({ address }) => address).length }
})

export default Plugin.define({
  id: "jackal",
  title: "Jackal storage",
  covers: { networks: ["JKL"] },
  source: "jackal_lcd",
  tier: "supply_telemetry",
  hosts: gateways,
  every: "1 hour",
  calls: 8,
  grade: "A",
  evidence: readOn(read, {
    [`${source} x/storage/keeper/grpc_query_storage_stats.go:58`]: "Purchased, Used",
    [`${source} x/storage/keeper/grpc_query_providers.go:14`]: "Providers",
    [`${source} x/storage/keeper/providers.go:192`]: "Address",
    "JackalLabs/canine-chain@ae9a747f51a5ec1120a85e15ed23d383624e7dbd proto/canine_chain/jklmint/params.proto":
      "tokens_per_block, storage_provider_ratio",
    "JackalLabs/canine-chain@ae9a747f51a5ec1120a85e15ed23d383624e7dbd proto/canine_chain/jklmint/query.proto:12":
      "params",
    [`${source} proto/canine_chain/storage/query.proto:446`]: "purchased, used, providers, pagination"
  }),
  // Two addresses, read a moment apart.
  relations: [partOf("active_storage_providers", "storage_providers_registered", { tolerance: 0.05 })],
  canaries: [
    {
      request: "https://api.jackalprotocol.com/cosmos/base/tendermint/v1beta1/node_info",
      path: ["default_node_info", "network"],
      is: "jackal-1",
      why: "The id of the chain: another one is another chain."
    }
  ],
  terms: termsOn(read, "Data: Jackal, jackalprotocol.com"),
  metrics: {
    storage_providers_registered: capacity(
      "count",
      "Storage providers in the chain's store; not all need be live."
    ),
    active_storage_providers: headline(
      "count",
      "Registered storage providers that hold a proof of at least one file."
    ),
    paid_out_block: flow("tokens", "JKL that each block mints for storage providers.", {
      rung: "chain_read",
      at: "params of the mint module at /cosmos/mint/v1beta1/params: tokens_per_block in ujkl, and storage_provider_ratio in percent",
      formula: "params.tokens_per_block × params.storage_provider_ratio / 100 / 10^6",
      without:
        "What users pay for plans and files, and the shares of stakers and developers. It goes to one account (storage_stipend_address), which pays the providers: what of it they received is in no state.",
      code: "JackalLabs/canine-chain@ae9a747f51a5ec1120a85e15ed23d383624e7dbd x/jklmint/keeper/mint.go"
    }),
    STORAGE_PURCHASED_BYTES: metric(
      "bytes",
      "Space of the plans that have not ended, and of files paid one by one, each times the most providers that may prove it."
    ),
    STORAGE_USED_BYTES: metric(
      "bytes",
      "Size of every file in the store times the most providers that may prove it: copies, not data; files of plans that have ended count, too, so that it can be more than was bought."
    )
  },
  collect: (observe) =>
    Plugin.anyOf("JKL", [
      Plugin.from(observe, listed(`providers?pagination.limit=${most}`), (registered) => ({
        storage_providers_registered: registered
      })),
      Plugin.from(observe, listed("active_providers"), (active) => ({ active_storage_providers: active })),
      Plugin.from(observe, ask("storage_stats", Stats), ({ purchased, used }) => ({
        STORAGE_PURCHASED_BYTES: purchased,
        STORAGE_USED_BYTES: used
      })),
      Plugin.from(observe, askAt("cosmos/mint/v1beta1/params", Mint), ({ params }) => {
        const parts = [params.tokens_per_block, params.storage_provider_ratio] as const
        return {
          paid_out_block: fromBaseUnits(
            combine(parts, ([tokens, percent]) => tokens * percent),
            8
          )
        }
      })
    ])
})

import { Effect, Schema } from "effect"
import { capacity, headline, metric, Plugin, Upstream } from "#plugin"
import { amount, text } from "#plugin/fields"

const storage = "https://api.jackalprotocol.com/jackal/canine-chain/storage"
const Providers = Schema.Struct({
  providers: Schema.Array(Schema.Struct({ address: Schema.String })),
  pagination: Upstream.maybe(Schema.Struct({ next_key: text }))
})
const Stats = Schema.Struct({ purchased: amount, used: amount })

/** Distinct addresses of a whole list; one that is empty or goes on is a failed read. */
const providersOf = Effect.fnUntraced(function* (path: string) {
  const answer = yield* Upstream.json(`${storage}/${path}`, Providers)
  const { pagination, providers } = answer.body
  if (providers.length === 0) {
    return yield* Upstream.implausible(answer, `["providers"]`, "no provider listed")
  }
  if (typeof pagination?.next_key === "string" && pagination.next_key !== "") {
    return yield* Upstream.implausible(answer, `["pagination"]`, "the list goes on after 500")
  }
  return { ...answer, body: new Set(providers.map(({ address }) => address)).size }
})

export default Plugin.define({
  id: "jackal",
  title: "Jackal storage",
  covers: { networks: ["JKL"] },
  source: "jackal_lcd",
  hosts: ["api.jackalprotocol.com"],
  every: "1 hour",
  calls: 3,
  grade: "B",
  metrics: {
    storage_providers_registered: capacity("count", "Storage providers on the chain; not all need be live."),
    active_storage_providers: headline("count", "Storage providers that the chain itself lists as active."),
    STORAGE_PURCHASED_BYTES: metric("bytes", "Storage that plans have bought."),
    STORAGE_USED_BYTES: metric("bytes", "Bought storage that is used.")
  },
  collect: (observe) =>
    Plugin.anyOf("JKL", [
      Plugin.from(observe, providersOf("providers?pagination.limit=500"), (distinct) => ({
        storage_providers_registered: distinct
      })),
      Plugin.from(observe, providersOf("active_providers"), (distinct) => ({
        active_storage_providers: distinct
      })),
      Plugin.one(observe, `${storage}/storage_stats`, Stats, ({ purchased, used }) => ({
        STORAGE_PURCHASED_BYTES: purchased,
        STORAGE_USED_BYTES: used
      }))
    ])
})

import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { amount, text } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const storage = "https://api.jackalprotocol.com/jackal/canine-chain/storage"
const Providers = Schema.Struct({
  providers: Schema.Array(Schema.Struct({ address: Schema.String })),
  pagination: Upstream.maybe(Schema.Struct({ next_key: text }))
})

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
  return { answer, providers: new Set(providers.map(({ address }) => address)).size }
})

export default Plugin.define({
  id: "jackal",
  title: "Jackal storage",
  covers: { networks: ["JKL"] },
  tier: "supply_telemetry",
  source: "jackal_lcd",
  hosts: ["api.jackalprotocol.com"],
  every: "1 hour",
  calls: 3,
  grade: "B",
  owner: "plumbline",
  metrics: {
    storage_providers_registered: metric("count", "Storage providers on the chain; not all need be live."),
    active_storage_providers: metric("count", "Storage providers that the chain itself lists as active."),
    STORAGE_PURCHASED_BYTES: metric("bytes", "Storage that plans have bought."),
    STORAGE_USED_BYTES: metric("bytes", "Bought storage that is used.")
  },
  collect: (observe) =>
    Plugin.anyOf("JKL", [
      Effect.map(providersOf("providers?pagination.limit=500"), ({ answer, providers }) =>
        observe(answer, { storage_providers_registered: providers })
      ),
      Effect.map(providersOf("active_providers"), ({ answer, providers }) =>
        observe(answer, { active_storage_providers: providers })
      ),
      Effect.map(
        Upstream.json(`${storage}/storage_stats`, Schema.Struct({ purchased: amount, used: amount })),
        (answer) =>
          observe(answer, {
            STORAGE_PURCHASED_BYTES: answer.body.purchased,
            STORAGE_USED_BYTES: answer.body.used
          })
      )
    ])
})

import { Effect, Schema } from "effect"
import { capacity, headline, metric, Plugin, Upstream } from "#plugin"
import { amount, distinct, nonEmpty, object, text } from "#plugin/fields"

const storage = "https://api.jackalprotocol.com/jackal/canine-chain/storage"
const most = 500
const Entries = nonEmpty(Schema.Struct({ address: Schema.String }))
const Providers = Schema.Struct({ providers: Entries, pagination: object({ next_key: text }) })
const Stats = Schema.Struct({ purchased: amount, used: amount })

/** Distinct addresses of a whole list; one that goes on is a failed read. */
const listed = Effect.fnUntraced(function* (path: string) {
  const answer = yield* Upstream.json(`${storage}/${path}`, Providers)
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
  hosts: ["api.jackalprotocol.com"],
  every: "1 hour",
  calls: 3,
  grade: "B",
  evidence: [{ source: "stored clients of the Jackal LCD", read: "2026-11-20", members: [] }],
  metrics: {
    storage_providers_registered: capacity("count", "Storage providers on the chain; not all need be live."),
    active_storage_providers: headline("count", "Storage providers that the chain itself lists as active."),
    STORAGE_PURCHASED_BYTES: metric("bytes", "Storage that plans have bought."),
    STORAGE_USED_BYTES: metric("bytes", "Bought storage that is used.")
  },
  collect: (observe) =>
    Plugin.anyOf("JKL", [
      Plugin.from(observe, listed(`providers?pagination.limit=${most}`), (registered) => ({
        storage_providers_registered: registered
      })),
      Plugin.from(observe, listed("active_providers"), (active) => ({ active_storage_providers: active })),
      Plugin.one(observe, `${storage}/storage_stats`, Stats, ({ purchased, used }) => ({
        STORAGE_PURCHASED_BYTES: purchased,
        STORAGE_USED_BYTES: used
      }))
    ])
})

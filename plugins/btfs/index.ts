import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const List = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
const Page = Schema.Struct({ list: List, total: count })

export default Plugin.define({
  id: "btfs",
  title: "BitTorrent File System storage providers",
  covers: { networks: ["BTT"] },
  tier: "supply_telemetry",
  source: "btfs_scan",
  hosts: ["scan-backend.btfs.io"],
  disabled: "the explorer answers, but the form of its list of storage providers could not be verified",
  every: "6 hours",
  grade: "C",
  owner: "plumbline",
  metrics: {
    active_storage_providers: metric("count", "Storage providers that the operator's explorer lists.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://scan-backend.btfs.io/v1/storage_provider/list",
        Schema.Struct({ data: Schema.Union([List, Page]) })
      )
      const { data } = answer.body
      const providers = "list" in data ? data.total : data.length
      const listed = "list" in data ? data.list.length : data.length
      return listed === 0 || (providers ?? listed) < listed
        ? yield* Upstream.implausible(answer, `["data"]`, `${listed} listed of ${providers}`)
        : observe(answer, { active_storage_providers: providers })
    })
})

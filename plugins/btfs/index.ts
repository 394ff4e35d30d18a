import { Schema } from "effect"
import { headline, Plugin, Upstream } from "#plugin"
import { count } from "#plugin/fields"

const List = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
const Page = Schema.Struct({ list: List, total: count })

const Providers = Schema.Struct({ data: Schema.Union([List, Page]) })

export default Plugin.define({
  id: "btfs",
  title: "BitTorrent File System storage providers",
  covers: { networks: ["BTT"] },
  source: "btfs_scan",
  hosts: ["scan-backend.btfs.io"],
  disabled: "the explorer answers, but the form of its list of storage providers could not be verified",
  every: "6 hours",
  grade: "C",
  evidence: { source: "nothing: the form of the answer stands in no source", read: "2026-11-20" },
  metrics: {
    active_storage_providers: headline("count", "Storage providers that the operator's explorer lists.")
  },
  collect: (observe) =>
    Plugin.one(
      observe,
      "https://scan-backend.btfs.io/v1/storage_provider/list",
      Providers,
      ({ data }, answer) => {
        const providers = "list" in data ? data.total : data.length
        const listed = "list" in data ? data.list.length : data.length
        return listed === 0 || (providers ?? listed) < listed
          ? Upstream.implausible(answer, `["data"]`, `${listed} listed of ${providers}`)
          : { active_storage_providers: providers }
      }
    )
})

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
  tier: "supply_telemetry",
  hosts: ["scan-backend.btfs.io"],
  disabled:
    "no public source shows what the explorer answers under the address of its list of storage providers",
  every: "6 hours",
  grade: "C",
  evidence: [
    {
      source:
        "nothing. Searched: public source for the host, its paths and scan.btfs.io; programs ask it for single nodes (/api/v0/btfsscan/search/node_info, /api/v1/node/addr_info) and for a ranking (POST /api/node/v2/btfsscan/rank), and one proxy passes the list on unread (stored file 55620477486)",
      read: "2026-11-22",
      members: []
    }
  ],
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
        return listed === 0 || (typeof providers === "number" && providers < listed)
          ? Upstream.implausible(answer, `["data"]`, `${listed} listed of ${providers}`)
          : { active_storage_providers: providers }
      }
    )
})

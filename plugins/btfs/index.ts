import { Schema } from "effect"
import { compareNumbers, headline, isNumber, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { count, moment, number, text } from "#plugin/fields"

const read = "2026-11-25"

const List = Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
const Page = Schema.Struct({ list: List, total: count })

const Providers = Schema.Struct({
  code: number,
  msg: text,
  now: moment,
  total: count,
  data: Upstream.maybe(Schema.Union([List, Page]))
})

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
  evidence: readOn(read, {
    "bittorrent/btfs-dashboard@3517cae src/APIClient/APIClient10.js:375": "data"
  }),
  terms: termsOn(read, "Data: BTFS, scan.btfs.io"),
  // The form of the answer stands in no public source: it may state its time or not.
  orHeaders: true,
  metrics: {
    active_storage_providers: headline("count", "Storage providers that the operator's explorer lists.")
  },
  collect: (observe) =>
    Plugin.one(
      observe,
      "https://scan-backend.btfs.io/v1/storage_provider/list",
      Providers,
      { as_of: ({ now }) => now },
      ({ code, data, msg, total }, answer) => {
        // Any code but 0 is an error, one that is no number as well.
        if ((code ?? 0) !== 0) return Upstream.refused(answer, `code ${code}: ${msg ?? ""}`)
        if (data === undefined || data === null) return Upstream.implausible(answer, `["data"]`, "no list")
        const list = "list" in data ? data.list : data
        // A list may be a page of it: its own total counts, where there is one.
        const providers = "list" in data ? data.total : (total ?? list.length)
        return list.length === 0 || (isNumber(providers) && compareNumbers(providers, list.length) < 0)
          ? Upstream.implausible(answer, `["data"]`, `${list.length} listed of ${providers}`)
          : { active_storage_providers: providers }
      }
    )
})

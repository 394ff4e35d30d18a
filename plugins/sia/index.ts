import { capacity, flow, headline, metric, neverFalls, partOf, readOn, sumOf, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

const api = "https://api.siascan.com"
const read = "2026-11-25"

export default declare({
  id: "sia",
  title: "Sia hosts",
  covers: { networks: ["SC"] },
  source: "siascan",
  tier: "supply_telemetry",
  hosts: ["api.siascan.com"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: readOn(read, {
    "SiaFoundation/explored@b9d9422 persist/postgres/metrics.go:28":
      "ActiveHosts, TotalStorage, RemainingStorage",
    "SiaFoundation/explored@b9d9422 explorer/types.go:475": "activeHosts, totalStorage, remainingStorage",
    "SiaFoundation/explored@031f4f40eac217d83d373b0ebf3a6a3e578af37b explorer/types.go": "contractRevenue"
  }),
  terms: termsOn(read, "Data: Sia Foundation, siascan.com"),
  metrics: {
    active_storage_providers: headline("count", "Hosts that answered the explorer's last scan of them."),
    STORAGE_TOTAL_BYTES: capacity("bytes", "Storage that these hosts say they have."),
    STORAGE_FREE_BYTES: metric("bytes", "Storage that these hosts say is free."),
    STORAGE_USED_BYTES: metric("bytes", "Storage of these hosts that is used: all less the free."),
    earned_total: flow("tokens", "SC that hosts earned with contracts that succeeded, since the start.", {
      rung: "chain_indexed",
      at: "contractRevenue of https://api.siascan.com/metrics/block, which the explorer adds up from the outputs of contracts on the chain",
      formula: "contractRevenue / 10^24",
      without:
        "Contracts that still run, the fee of 3.9 % that goes to holders of siafunds, and fees of transactions.",
      code: "SiaFoundation/explored@031f4f40eac217d83d373b0ebf3a6a3e578af37b explorer/types.go"
    })
  },
  relations: [
    neverFalls("earned_total"),
    partOf("STORAGE_FREE_BYTES", "STORAGE_TOTAL_BYTES"),
    sumOf("STORAGE_TOTAL_BYTES", ["STORAGE_FREE_BYTES", "STORAGE_USED_BYTES"])
  ],
  canaries: [
    {
      request: `${api}/consensus/tip/0`,
      path: ["id"],
      is: "25f6e3b9295a61f69fcb956aca9f0076234ecf2e02d399db5448b6e22f26e81c",
      why: "The id of the first block of Sia's main network, which every later block builds on."
    }
  ],
  answers: [
    {
      ask: `${api}/metrics/host`,
      figures: {
        active_storage_providers: "activeHosts",
        STORAGE_TOTAL_BYTES: "totalStorage",
        STORAGE_FREE_BYTES: "remainingStorage",
        STORAGE_USED_BYTES: { whole: "totalStorage", less: "remainingStorage" }
      }
    },
    {
      ask: `${api}/metrics/block`,
      // Contracts have succeeded since 2015.
      positive: ["contractRevenue"],
      figures: { earned_total: { number: "contractRevenue", decimals: 24 } }
    }
  ]
})

import { atMost, capacity, flow, headline, metric, neverFalls, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

const read = "2026-11-25"

/** Some forty times the power of the network at its height, in bytes. */
const most = 1e21

export default declare({
  id: "filecoin",
  title: "Filecoin storage power",
  covers: { networks: ["FIL"] },
  source: "filfox_overview",
  tier: "supply_telemetry",
  hosts: ["filfox.info"],
  every: "15 minutes",
  grade: "A",
  evidence: readOn(read, {
    "mufanh/filecoin-backend@9b5e953 src/main/java/com/github/mufanh/filecoin/backend/spider/FilfoxPageHandler.java:8":
      "timestamp, activeMiners, totalRawBytePower, totalQualityAdjPower, burntSupply, totalPledgeCollateral",
    "Reiers/fip-daybreak@0b65029 fip-draft.md": "totalRawBytePower, totalQualityAdjPower, activeMiners"
  }),
  terms: termsOn(read, "Data: Filfox, filfox.info"),
  metrics: {
    active_storage_providers: headline(
      "count",
      "Storage providers that the explorer counts as active; it does not publish its rule."
    ),
    RAW_BYTE_POWER: capacity(
      "bytes",
      "Raw byte power of the network: sectors that are proven, by their size.",
      { max: most }
    ),
    QUALITY_ADJ_POWER: metric(
      "bytes",
      "Quality-adjusted power: the same sectors, those with verified deals counted up to ten times. No bytes of storage.",
      { max: most }
    ),
    burnt_supply: metric("tokens", "FIL burnt since genesis."),
    pledge_collateral: metric("tokens", "FIL locked as pledge collateral."),
    earned_total: flow("tokens", "FIL burnt since genesis for what users and providers did on the chain.", {
      rung: "chain_indexed",
      at: "burntSupply of https://filfox.info/api/v1/overview, the balance of the burnt funds actor f099 as the explorer has it",
      formula: "burntSupply / 10^18",
      without:
        "Tips that go to the producer of a block, and deals paid outside the chain. In it besides fees: penalties of providers and what they burn by ending sectors early.",
      code: "filecoin-project/go-state-types@10e5718073f79e8b5089b0c7f01020cec7e52ee0 builtin/singletons.go",
      differs:
        "DefiLlama adds up the burns of a day from Spacescope, by its day of 00:00 to 24:00 UTC: the same burns, and of another day where the two are read at other times."
    })
  },
  // The two were 0.03 percent apart the other way in 2020, before verified deals.
  relations: [
    atMost("RAW_BYTE_POWER", "QUALITY_ADJ_POWER", { tolerance: 0.01 }),
    neverFalls("burnt_supply"),
    neverFalls("earned_total")
  ],
  canaries: [
    {
      request: "https://filfox.info/api/v1/tipset/632623",
      path: ["timestamp"],
      is: 1_617_285_090,
      why: "The time of a height of 2021, which the chain fixes at 30 seconds for each height since its start."
    }
  ],
  answers: [
    {
      ask: "https://filfox.info/api/v1/overview",
      as_of: "timestamp",
      figures: {
        active_storage_providers: "activeMiners",
        RAW_BYTE_POWER: { number: "totalRawBytePower", decimals: 0 },
        QUALITY_ADJ_POWER: { number: "totalQualityAdjPower", decimals: 0 },
        burnt_supply: { number: "burntSupply", decimals: 18 },
        pledge_collateral: { number: "totalPledgeCollateral", decimals: 18 },
        earned_total: { number: "burntSupply", decimals: 18 }
      }
    }
  ]
})

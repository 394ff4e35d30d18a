import { Schema } from "effect"
import { atMost, capacity, fromBaseUnits, headline, metric, neverFalls, Plugin } from "#plugin"
import { amount, count, moment } from "#plugin/fields"

const read = "2026-11-25"

const Overview = Schema.Struct({
  timestamp: moment,
  activeMiners: count,
  totalRawBytePower: amount,
  totalQualityAdjPower: amount,
  burntSupply: amount,
  totalPledgeCollateral: amount
})

export default Plugin.define({
  id: "filecoin",
  title: "Filecoin storage power",
  covers: { networks: ["FIL"] },
  source: "filfox_overview",
  tier: "supply_telemetry",
  hosts: ["filfox.info"],
  every: "15 minutes",
  grade: "A",
  evidence: [
    {
      source:
        "mufanh/filecoin-backend@9b5e953 src/main/java/com/github/mufanh/filecoin/backend/spider/FilfoxPageHandler.java:8",
      read,
      members: [
        "timestamp",
        "activeMiners",
        "totalRawBytePower",
        "totalQualityAdjPower",
        "burntSupply",
        "totalPledgeCollateral"
      ]
    },
    {
      source: "Reiers/fip-daybreak@0b65029 fip-draft.md",
      read,
      members: ["totalRawBytePower", "totalQualityAdjPower", "activeMiners"]
    }
  ],
  terms: {
    read,
    licence: "unknown",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: Filfox, filfox.info"
  },
  metrics: {
    active_storage_providers: headline(
      "count",
      "Storage providers that the explorer counts as active; it does not publish its rule."
    ),
    RAW_BYTE_POWER: capacity(
      "bytes",
      "Raw byte power of the network: sectors that are proven, by their size."
    ),
    QUALITY_ADJ_POWER: metric(
      "bytes",
      "Quality-adjusted power: the same sectors, those with verified deals counted up to ten times. No bytes of storage."
    ),
    burnt_supply: metric("tokens", "FIL burnt since genesis."),
    pledge_collateral: metric("tokens", "FIL locked as pledge collateral.")
  },
  // The two were 0.03 percent apart the other way in 2020, before verified deals.
  relations: [atMost("RAW_BYTE_POWER", "QUALITY_ADJ_POWER", { tolerance: 0.01 }), neverFalls("burnt_supply")],
  canaries: [
    {
      request: "https://filfox.info/api/v1/tipset/632623",
      path: ["timestamp"],
      is: 1_617_285_090,
      why: "The time of a height of 2021, which the chain fixes at 30 seconds for each height since its start."
    }
  ],
  collect: (observe) =>
    Plugin.one(
      observe,
      "https://filfox.info/api/v1/overview",
      Overview,
      { as_of: ({ timestamp }) => timestamp },
      (overview) => ({
        active_storage_providers: overview.activeMiners,
        RAW_BYTE_POWER: overview.totalRawBytePower,
        QUALITY_ADJ_POWER: overview.totalQualityAdjPower,
        burnt_supply: fromBaseUnits(overview.burntSupply, 18),
        pledge_collateral: fromBaseUnits(overview.totalPledgeCollateral, 18)
      })
    )
})

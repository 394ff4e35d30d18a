import { Schema } from "effect"
import { capacity, fromBaseUnits, headline, metric, Plugin } from "#plugin"
import { amount, count, moment } from "#plugin/fields"

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
      source: "upstream documentation: mufanh filecoin backend, recorded answer in a comment",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: {
    active_storage_providers: headline("count", "Storage providers with power at the chain head."),
    RAW_BYTE_POWER: capacity("bytes", "Raw byte power of the network."),
    QUALITY_ADJ_POWER: capacity("bytes", "Quality-adjusted power of the network."),
    burnt_supply: metric("tokens", "FIL burnt since genesis."),
    pledge_collateral: metric("tokens", "FIL locked as pledge collateral.")
  },
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

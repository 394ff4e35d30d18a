import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { amount, count, moment } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { fromBaseUnits } from "../../core/plugin/Value.ts"

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
  tier: "supply_telemetry",
  source: "filfox_overview",
  hosts: ["filfox.info"],
  every: "15 minutes",
  grade: "A",
  owner: "plumbline",
  metrics: {
    active_storage_providers: {
      unit: "count",
      min: 0,
      meaning: "Storage providers with power at the chain head."
    },
    RAW_BYTE_POWER: { unit: "bytes", min: 0, meaning: "Raw byte power of the network." },
    QUALITY_ADJ_POWER: { unit: "bytes", min: 0, meaning: "Quality-adjusted power of the network." },
    burnt_supply: { unit: "tokens", min: 0, meaning: "FIL burnt since genesis." },
    pledge_collateral: { unit: "tokens", min: 0, meaning: "FIL locked as pledge collateral." }
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const overview = yield* Upstream.json("https://filfox.info/api/v1/overview", Overview)
      const { activeMiners, burntSupply, timestamp, totalPledgeCollateral, ...power } = overview.body
      return observe(
        overview,
        {
          active_storage_providers: activeMiners,
          RAW_BYTE_POWER: power.totalRawBytePower,
          QUALITY_ADJ_POWER: power.totalQualityAdjPower,
          burnt_supply: fromBaseUnits(burntSupply, 18),
          pledge_collateral: fromBaseUnits(totalPledgeCollateral, 18)
        },
        { as_of: timestamp }
      )
    })
})

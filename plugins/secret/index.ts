import { Schema } from "effect"
import { fromBaseUnits, headline, metric, Plugin } from "#plugin"
import * as Cosmos from "#plugin/cosmos"
import { positiveAmount } from "#plugin/fields"

const gateway = "https://lcd.mainnet.secretsaturn.net/cosmos/staking/v1beta1"

// A chain on which nothing is bonded makes no block.
const Pool = Schema.Struct({ pool: Schema.Struct({ bonded_tokens: positiveAmount }) })

export default Plugin.define({
  id: "secret",
  title: "Secret Network stake",
  covers: { networks: ["SCRT"] },
  source: "secret_lcd",
  tier: "supply_telemetry",
  hosts: ["lcd.mainnet.secretsaturn.net"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  evidence: [{ source: "the REST reference of the Cosmos SDK", read: "2026-11-20", members: [] }],
  metrics: {
    validators_active: headline("count", "Validators in the bonded set."),
    staked_amount: metric("tokens", "SCRT bonded to the validators.")
  },
  collect: (observe) => {
    const pool = Plugin.one(observe, `${gateway}/pool`, Pool, ({ pool }) => ({
      staked_amount: fromBaseUnits(pool.bonded_tokens, 6)
    }))
    const validators = Cosmos.totals(observe, "SCRT", {
      validators_active: {
        urls: [`${gateway}/validators?status=BOND_STATUS_BONDED`],
        member: "validators"
      }
    })
    return Plugin.anyOf("SCRT", [pool, validators])
  }
})

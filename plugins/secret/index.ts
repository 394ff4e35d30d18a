import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Cosmos from "../../core/plugin/shapes/cosmos.ts"
import { amount } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { fromBaseUnits } from "../../core/plugin/Value.ts"

const gateway = "https://lcd.mainnet.secretsaturn.net/cosmos/staking/v1beta1"

const Pool = Schema.Struct({ pool: Schema.Struct({ bonded_tokens: amount }) })

export default Plugin.define({
  id: "secret",
  title: "Secret Network stake",
  covers: { networks: ["SCRT"] },
  tier: "supply_telemetry",
  source: "secret_lcd",
  hosts: ["lcd.mainnet.secretsaturn.net"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    validators_active: metric("count", "Validators in the bonded set."),
    staked_amount: metric("tokens", "SCRT bonded to the validators.")
  },
  collect: (observe) => {
    const pool = Effect.map(Upstream.json(`${gateway}/pool`, Pool), (answer) =>
      observe(answer, { staked_amount: fromBaseUnits(answer.body.pool.bonded_tokens, 6) })
    )
    const validators = Cosmos.totals(observe, "SCRT", {
      validators_active: {
        urls: [`${gateway}/validators?status=BOND_STATUS_BONDED`],
        member: "validators"
      }
    })
    return Plugin.anyOf("SCRT", [pool, validators])
  }
})

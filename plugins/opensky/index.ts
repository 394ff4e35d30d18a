import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const States = Schema.Struct({
  time: Schema.Natural,
  states: Schema.NullOr(Schema.Array(Schema.Array(Schema.Unknown)))
})

/** Places in a row: the ICAO address and whether the aircraft is on the ground. */
const icao24 = 0
const onGround = 8

export default Plugin.define({
  id: "opensky",
  title: "Aircraft in the air",
  covers: { sector: "PHYSICAL_AIRCRAFT", symbols: ["OPENSKY"] },
  tier: "physical",
  source: "opensky_states",
  hosts: ["opensky-network.org"],
  every: "15 minutes",
  grade: "A",
  disabled: "OpenSky's terms ask for an agreement before commercial use, and 100 global reads a day are free",
  keep: 3,
  resell: false,
  owner: "plumbline",
  metrics: {
    aircraft_airborne: {
      unit: "aircraft",
      min: 0,
      meaning: "Distinct ICAO addresses that OpenSky's receivers hear and that are not on the ground."
    }
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://opensky-network.org/api/states/all", States)
      const { states, time } = answer.body
      if (states === null || states.length === 0) {
        return yield* Upstream.implausible(answer, '["states"]', "no aircraft, where thousands are normal")
      }
      const airborne = new Set<string>()
      for (const [index, row] of states.entries()) {
        const address = row[icao24]
        const grounded = row[onGround]
        if (
          typeof address !== "string" ||
          !/^[0-9a-f]{6}$/i.test(address.trim()) ||
          typeof grounded !== "boolean"
        ) {
          const place = `["states"][${index}]`
          return yield* Upstream.implausible(
            answer,
            place,
            `no address at ${icao24} or no boolean at ${onGround}`
          )
        }
        if (!grounded) airborne.add(address.toLowerCase())
      }
      return observe(answer, { aircraft_airborne: airborne.size }, { as_of: time * 1000 })
    })
})

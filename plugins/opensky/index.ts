import { Effect, Schema } from "effect"
import { headline, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { readable } from "#plugin/fields"

const any = Schema.Unknown
const States = Schema.Struct({ time: Schema.Natural, states: Schema.NullOr(Schema.Array(any)) })
const Icao = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{6}$/))

/** The ICAO address first, and ninth whether the aircraft is on the ground. */
const Row = Schema.TupleWithRest(Schema.Tuple([Icao, any, any, any, any, any, any, any, Schema.Boolean]), [
  any
])

export default Plugin.define({
  id: "opensky",
  title: "Aircraft in the air",
  covers: { sector: "PHYSICAL_AIRCRAFT", symbols: ["OPENSKY"] },
  tier: "physical",
  source: "opensky_states",
  hosts: ["opensky-network.org"],
  every: "15 minutes",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "openskynetwork/opensky-api@16e3803d docs/free/states-response.rst:41": "time, states, icao24, on_ground"
  }),
  terms: termsOn("2026-11-25", "Data: The OpenSky Network, opensky-network.org", {
    address: "openskynetwork/opensky-api@16e3803d docs/free/index.rst:28",
    licence: "proprietary",
    sell: "no",
    bodies: "no",
    quote: "If you want to retrieve live flight information for commercial purposes, please contact us"
  }),
  disabled: "OpenSky's terms ask for an agreement before commercial use, and 100 global reads a day are free",
  keep: 3,
  metrics: {
    aircraft_airborne: headline(
      "aircraft",
      "Distinct ICAO addresses that OpenSky's receivers hear and that are not on the ground."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://opensky-network.org/api/states/all", States)
      const { states, time } = answer.body
      if (states === null || states.length === 0) {
        return yield* Upstream.implausible(answer, '["states"]', "no aircraft, where thousands are normal")
      }
      const rows = yield* readable(answer, states, Row)
      const airborne = rows.filter((row) => !row[8]).map(([icao24]) => icao24.toLowerCase())
      return observe(answer, { aircraft_airborne: new Set(airborne).size }, { as_of: time * 1000 })
    })
})

import { Effect, Schema } from "effect"
import { Plugin, readOn, termsOn, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { dataOf } from "#plugin/envelope"
import { distinct, largest, moment, nonEmpty, readable, textAt } from "#plugin/fields"

const read = "2026-11-25"
const url = "https://stats.runonflux.io/fluxinfo?projection=ip,error,roundTime,geolocation"

/** A node of the chain's list in the newest round of the statistics, with an error where it could not be reached. */
const Node = Schema.Struct({
  ip: Schema.NonEmptyString,
  error: Schema.optional(Schema.Unknown),
  roundTime: moment,
  geolocation: Schema.optional(Schema.Unknown)
})

export default Plugin.define({
  id: "flux-places",
  title: "Flux nodes by country",
  covers: { networks: ["FLUX"] },
  source: "flux_stats",
  tier: "supply_telemetry",
  hosts: ["stats.runonflux.io"],
  every: "6 hours",
  grade: "A",
  evidence: readOn(read, {
    "RunOnFlux/fluxstats@1d69cdf src/services/fluxService.js:488":
      "ip, error, roundTime, geolocation, countryCode",
    "RunOnFlux/fluxstats@1d69cdf src/services/fluxService.js:952": "projection, status, data"
  }),
  terms: termsOn(read, "Data: Flux, stats.runonflux.io"),
  metrics: countryMetrics("Nodes that the network's statistics reached"),
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* dataOf(url, ["status", "success"], nonEmpty(Schema.Unknown))
      const nodes = distinct(yield* readable(answer, answer.body, Node), ({ ip }) => ip)
      const reached = nodes.filter(({ error }) => error === undefined || error === null)
      if (reached.length === 0) return yield* Upstream.implausible(answer, `["data"]`, "no node was reached")
      return observe(
        answer,
        byCountry(reached.map((node) => [textAt(node, "geolocation", "countryCode"), 1])),
        // When the round began: it lasts an hour or so, and stands until the next one is complete.
        { as_of: largest(reached.map(({ roundTime }) => roundTime)) }
      )
    })
})

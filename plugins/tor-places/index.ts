import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { text } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Details = Schema.Struct({
  relays_published: Upstream.TimeText,
  relays: Schema.Array(Schema.Struct({ country: text }))
})

export default Plugin.define({
  id: "tor-places",
  title: "Tor relays by country",
  covers: { networks: ["TOR"] },
  tier: "supply_telemetry",
  source: "tor_onionoo_details",
  hosts: ["onionoo.torproject.org"],
  every: "6 hours",
  grade: "A",
  owner: "plumbline",
  metrics: countryMetrics("Relays that run"),
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://onionoo.torproject.org/details?type=relay&running=true&fields=country",
        Details
      )
      const { relays, relays_published } = answer.body
      if (relays.length === 0) return yield* Upstream.implausible(answer, `["relays"]`, "no relay runs")
      return observe(answer, byCountry(relays.map(({ country }) => [country, 1])), {
        as_of: Upstream.time(relays_published)
      })
    })
})

import { Schema } from "effect"
import { Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { count, nonEmpty, text } from "#plugin/fields"

const url = "https://onionoo.torproject.org/details?type=relay&running=true&fields=country"

const Details = Schema.Struct({
  relays_published: Upstream.TimeText,
  /** How many relays a limit cut off: absent where nothing was. */
  relays_truncated: count,
  relays: nonEmpty(Schema.Struct({ country: text }))
})

export default Plugin.define({
  id: "tor-places",
  title: "Tor relays by country",
  covers: { networks: ["TOR"] },
  source: "tor_onionoo_details",
  tier: "supply_telemetry",
  hosts: ["onionoo.torproject.org"],
  every: "6 hours",
  grade: "A",
  evidence: [
    {
      source: "the protocol description, https://metrics.torproject.org/onionoo.html",
      read: "2026-11-20",
      members: []
    }
  ],
  metrics: countryMetrics("Relays that run"),
  collect: (observe) =>
    Plugin.one(
      observe,
      url,
      Details,
      { as_of: ({ relays_published }) => Upstream.time(relays_published) },
      ({ relays, relays_truncated }, answer) =>
        (relays_truncated ?? 0) !== 0
          ? Upstream.implausible(answer, `["relays_truncated"]`, `${relays_truncated} relays cut off`)
          : byCountry(relays.map(({ country }) => [country, 1]))
    )
})

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
      source:
        "torproject/onionoo@636a586 src/main/java/org/torproject/metrics/onionoo/server/ResponseBuilder.java:131",
      read: "2026-11-25",
      members: ["relays_published", "relays", "relays_truncated"]
    },
    {
      source:
        "torproject/metrics-web@ebb494ab433dae8dac7ca1c881683ed61131bcef src/main/resources/web/jsps/onionoo.jsp",
      read: "2026-11-25",
      members: ["relays_published", "relays_truncated", "country"]
    }
  ],
  terms: {
    address:
      "torproject/metrics-web@187cb1e86808eda2555eee7ac25fe953452e766b src/main/resources/web/jsps/bottom.jsp",
    read: "2026-11-25",
    licence: "CC0-1.0",
    bodies: "yes",
    values: "yes",
    attribution: "Data: The Tor Project, https://metrics.torproject.org",
    quote:
      "Data on this site is freely available under a CC0 no copyright declaration: To the extent possible under law, the Tor Project has waived all copyright and related or neighboring rights in the data."
  },
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

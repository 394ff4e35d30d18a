import { everyUse, readOn, termsOn } from "#plugin"
import { countryMetrics } from "#plugin/countries"
import { declare } from "#plugin/declare"

export default declare({
  id: "tor-places",
  title: "Tor relays by country",
  covers: { networks: ["TOR"] },
  source: "tor_onionoo_details",
  tier: "supply_telemetry",
  hosts: ["onionoo.torproject.org"],
  every: "6 hours",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "torproject/onionoo@636a586 src/main/java/org/torproject/metrics/onionoo/server/ResponseBuilder.java:131":
      "relays_published, relays, relays_truncated",
    "torproject/metrics-web@ebb494ab433dae8dac7ca1c881683ed61131bcef src/main/resources/web/jsps/onionoo.jsp":
      "relays_published, relays_truncated, country"
  }),
  terms: termsOn("2026-11-25", "Data: The Tor Project, https://metrics.torproject.org", {
    address:
      "torproject/metrics-web@187cb1e86808eda2555eee7ac25fe953452e766b src/main/resources/web/jsps/bottom.jsp",
    licence: "CC0-1.0",
    ...everyUse,
    quote:
      "Data on this site is freely available under a CC0 no copyright declaration: To the extent possible under law, the Tor Project has waived all copyright and related or neighboring rights in the data."
  }),
  metrics: countryMetrics("Relays that run"),
  answers: [
    {
      ask: "https://onionoo.torproject.org/details?type=relay&running=true&fields=country",
      // How many relays a limit cut off: absent where nothing was.
      must: [{ at: "relays_truncated", be: 0, ifTold: true }],
      needs: ["relays_published"],
      as_of: "relays_published",
      figures: { "nodes_country_*": { countries: "relays", code: ["country"] } }
    }
  ]
})

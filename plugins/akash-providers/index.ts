import { notHandedOn, readOn, termsOn } from "#plugin"
import { countryMetrics } from "#plugin/countries"
import { declare } from "#plugin/declare"

const source = "akash-network/console@d84c9e93 apps"
const read = "2026-11-25"

export default declare({
  id: "akash-providers",
  title: "Akash providers by country",
  covers: { networks: ["AKT"] },
  source: "akash_providers",
  tier: "supply_telemetry",
  hosts: ["console-api.akash.network"],
  every: "6 hours",
  grade: "A",
  evidence: readOn(read, {
    [`${source}/api/src/utils/map/provider.ts:49`]: "owner, isOnline, ipCountry, ipCountryCode",
    [`${source}/api/src/provider/services/provider/provider.service.ts:131`]:
      "hostUri, isOnline, createdHeight"
  }),
  terms: termsOn(read, "Data: Akash Console, console.akash.network", {
    address: `${source}/deploy-web/src/pages/terms-of-service/index.tsx:426`,
    licence: "proprietary",
    ...notHandedOn,
    quote:
      "you agree not to: (a) resell, lease, lend, share, distribute […] (b) modify or create derivative works of the Services or Akash Materials, or any portion thereof, or any data or information received by you in connection therewith"
  }),
  metrics: countryMetrics("Providers online"),
  answers: [
    {
      ask: "https://console-api.akash.network/v1/providers",
      figures: {
        "nodes_country_*": {
          countries: "",
          code: ["ipCountryCode", "ipCountry"],
          by: "owner",
          // The list holds years of providers that are gone.
          where: { at: "isOnline", is: [true], others: [false] },
          mostly: true
        }
      }
    }
  ]
})

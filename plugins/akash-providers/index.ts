import { Effect, Schema } from "effect"
import { Plugin, readOn, termsOn, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { distinct, readable, text } from "#plugin/fields"

const source = "akash-network/console@d84c9e93 apps"
const read = "2026-11-25"

const Provider = Schema.Struct({
  owner: Schema.NonEmptyString,
  isOnline: Schema.Boolean,
  ipCountryCode: text,
  ipCountry: text
})

export default Plugin.define({
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
    bodies: "no",
    values: "no",
    quote:
      "you agree not to: (a) resell, lease, lend, share, distribute […] (b) modify or create derivative works of the Services or Akash Materials, or any portion thereof, or any data or information received by you in connection therewith"
  }),
  metrics: countryMetrics("Providers online"),
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://console-api.akash.network/v1/providers",
        Schema.Array(Schema.Unknown)
      )
      // The list holds years of providers that are gone.
      const providers = distinct(yield* readable(answer, answer.body, Provider), ({ owner }) => owner)
      const online = providers.filter(({ isOnline }) => isOnline)
      if (online.length === 0) return yield* Upstream.implausible(answer, "", "no provider is online")
      return observe(
        answer,
        byCountry(online.map(({ ipCountry, ipCountryCode }) => [ipCountryCode ?? ipCountry, 1]))
      )
    })
})

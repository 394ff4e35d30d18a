import { Effect, Schema } from "effect"
import { Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { distinct, readable, text } from "#plugin/fields"

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
  evidence: [
    {
      source: "live probes of the public console API by another project, July 2026",
      read: "2026-11-20",
      members: []
    }
  ],
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

import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { gate } from "../../core/credits/Callers.ts"
import { accessOf, type Capability } from "../../core/credits/tiers.ts"
import { UnknownSymbol } from "../../core/data/errors.ts"
import { knownSymbol } from "../../core/data/parameters.ts"
import { competitiveLandscape } from "../../core/products/competitiveLandscape.ts"
import { compare, dailyChanges, dailyCorrelations } from "../../core/products/crossNetwork.ts"
import { devVelocity } from "../../core/products/devVelocity.ts"
import { digest } from "../../core/products/digest.ts"
import { dilutionRisk } from "../../core/products/dilutionRisk.ts"
import { csv, exported, ndjson } from "../../core/products/exported.ts"
import { geoConcentration } from "../../core/products/geoConcentration.ts"
import { gpuSupplyDemand } from "../../core/products/gpuSupplyDemand.ts"
import { healthProfile } from "../../core/products/healthProfile.ts"
import { cryptoIndicators } from "../../core/products/indicators.ts"
import { intelBundle } from "../../core/products/intelBundle.ts"
import { leadLag } from "../../core/products/leadLag.ts"
import { marketRegime } from "../../core/products/marketRegime.ts"
import { nodeQuality } from "../../core/products/nodeQuality.ts"
import { sectorHealth } from "../../core/products/sectorHealth.ts"
import { caller } from "../access.ts"
import { CurrentAccount } from "../api/Account.ts"
import { Api } from "../api/Api.ts"
import { NoTable, TierTooLow, ViewUnavailable } from "../api/creditProblems.ts"
import { says } from "../api/problems.ts"
import { badParameter, refusal } from "../problem.ts"

const tooLow = (error: Effect.Error<ReturnType<typeof gate>>) =>
  new TierTooLow({ ...says(error.message), tier: error.tier, how_to_unlock: error.how_to_unlock })

const notMade = (path: string) =>
  new ViewUnavailable(says(`${path} is not available on this service yet. Nothing was charged.`))

/** The same computation as the product's, for a tier that can. */
const opened =
  <A, E, R>(capability: Capability, made: Effect.Effect<A, E, R>) =>
  () =>
    caller.pipe(
      Effect.flatMap((found) => gate(found, capability)),
      Effect.mapError(tooLow),
      Effect.andThen(made)
    )

const behind = (capability: Capability, path: string) => () =>
  caller.pipe(
    Effect.flatMap((found) => gate(found, capability)),
    Effect.mapError(tooLow),
    Effect.andThen(Effect.fail(notMade(path)))
  )

const views = HttpApiBuilder.group(Api, "gated", (handlers) =>
  handlers.handleAll({
    compare: ({ query }) =>
      opened("cross_network", compare(query.metric).pipe(Effect.mapError(badParameter)))(),
    leadLag: opened("engines", leadLag.pipe(Effect.catchTag("SqlError", Effect.die))),
    indicators: opened("engines", cryptoIndicators.pipe(Effect.catchTag("SqlError", Effect.die))),
    digest: opened("cross_network", digest.pipe(Effect.catchTag("SqlError", Effect.die))),
    changes: opened("cross_network", dailyChanges.pipe(Effect.catchTag("SqlError", Effect.die))),
    correlations: opened("cross_network", dailyCorrelations.pipe(Effect.catchTag("SqlError", Effect.die))),
    nodeQuality: opened("engines", nodeQuality),
    dilutionRisk: opened("engines", dilutionRisk),
    gpuSupplyDemand: opened("engines", gpuSupplyDemand),
    sectorHealth: opened("engines", sectorHealth),
    geoConcentration: opened("engines", geoConcentration),
    devVelocity: opened("engines", devVelocity),
    competitiveLandscape: opened("engines", competitiveLandscape),
    marketRegime: opened("engines", marketRegime.pipe(Effect.catchTag("SqlError", Effect.die))),
    intel: opened("engines", intelBundle),
    signals: behind("engines", "/v1/signals"),
    healthProfile: ({ params }) =>
      knownSymbol("symbol", params.symbol).pipe(
        Effect.andThen(opened("engines", healthProfile(params.symbol))()),
        Effect.mapError((error) => (error instanceof UnknownSymbol ? refusal(error) : error))
      )
  })
)

const exportLayer = HttpApiBuilder.group(Api, "export", (handlers) =>
  handlers.handleAll({
    export: Effect.fn(function* ({ query }) {
      const { account } = yield* CurrentAccount
      const access = accessOf(account.tier)
      yield* gate({ account, tier: account.tier, access }, "exports").pipe(Effect.mapError(tooLow))
      const { dataset, days, format = "csv", symbol } = query
      if (dataset === "grades") {
        return yield* new ViewUnavailable(says("Grades are withdrawn until they are measured again."))
      }
      if (dataset === "digest" && format === "csv") {
        return yield* new NoTable({
          ...says("The digest is no table; take format=ndjson."),
          valid_values: ["ndjson"]
        })
      }
      const { rows, source } = yield* exported(dataset, { access, days, symbol }).pipe(
        Effect.catchTag("SqlError", (error) =>
          Effect.logError("an export did not come to its end", { cause: error.message }).pipe(
            Effect.andThen(Effect.fail(new ViewUnavailable(says(`${dataset} can not be exported now.`))))
          )
        ),
        Effect.mapError((error) => (error instanceof ViewUnavailable ? error : refusal(error)))
      )
      const text = format === "csv" ? yield* csv(rows) : ndjson(rows)
      return HttpServerResponse.uint8Array(new TextEncoder().encode(text), {
        contentType: format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
        headers: { "x-service-export-rows": String(rows.length), "x-service-export-source": source }
      })
    })
  })
)

export const layer = Layer.merge(views, exportLayer)

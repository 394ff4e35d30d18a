import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { gate } from "../../core/credits/Callers.ts"
import { accessOf, type Capability } from "../../core/credits/tiers.ts"
import { knownSymbol } from "../../core/data/parameters.ts"
import { csv, exported, ndjson } from "../../core/products/exported.ts"
import { type Asked, type View, views } from "../../core/products/views.ts"
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

/** A view for a tier that can. */
const opened = <A, E, R>({ capability, make }: View<A, E, R>, asked: Asked = {}) =>
  caller.pipe(
    Effect.flatMap((found) => gate(found, capability)),
    Effect.mapError(tooLow),
    Effect.andThen(make(asked))
  )

const behind = (capability: Capability, path: string) => () =>
  caller.pipe(
    Effect.flatMap((found) => gate(found, capability)),
    Effect.mapError(tooLow),
    Effect.andThen(Effect.fail(notMade(path)))
  )

const group = HttpApiBuilder.group(Api, "gated", (handlers) =>
  handlers.handleAll({
    compare: ({ query }) =>
      opened(views.compare, query).pipe(
        Effect.mapError((error) => (error instanceof TierTooLow ? error : badParameter(error)))
      ),
    leadLag: () => opened(views["lead-lag"]),
    indicators: () => opened(views.indicators),
    digest: () => opened(views.digest),
    changes: () => opened(views.changes),
    correlations: () => opened(views.correlations),
    nodeQuality: () => opened(views["node-quality"]),
    dilutionRisk: () => opened(views["dilution-risk"]),
    gpuSupplyDemand: () => opened(views["gpu-supply-demand"]),
    sectorHealth: () => opened(views["sector-health"]),
    geoConcentration: () => opened(views["geo-concentration"]),
    devVelocity: () => opened(views["dev-velocity"]),
    competitiveLandscape: () => opened(views["competitive-landscape"]),
    marketRegime: () => opened(views["market-regime"]),
    intel: () => opened(views.intel),
    signals: behind("engines", "/v1/signals"),
    healthProfile: ({ params }) =>
      knownSymbol("symbol", params.symbol).pipe(
        Effect.andThen(opened(views["health-profile"], params)),
        Effect.mapError((error) => (error instanceof TierTooLow ? error : refusal(error)))
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

export const layer = Layer.merge(group, exportLayer)

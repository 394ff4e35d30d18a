import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { gate } from "../../core/credits/Callers.ts"
import type { BadParameter } from "../../core/data/errors.ts"
import { knownSymbol } from "../../core/data/parameters.ts"
import { type Asked, type View, views } from "../../core/products/views.ts"
import { caller } from "../access.ts"
import { Api } from "../api/Api.ts"
import { TierTooLow } from "../api/creditProblems.ts"
import { says } from "../api/problems.ts"
import { badParameter, refusal } from "../problem.ts"

export const tooLow = (error: Effect.Error<ReturnType<typeof gate>>) =>
  new TierTooLow({ ...says(error.message), tier: error.tier, how_to_unlock: error.how_to_unlock })

/** A view for a tier that can. */
const opened = <A, E, R>({ capability, make }: View<A, E, R>, asked: Asked = {}) =>
  caller.pipe(
    Effect.flatMap((found) => gate(found, capability)),
    Effect.mapError(tooLow),
    Effect.andThen(make(asked))
  )

const named = (error: TierTooLow | BadParameter) =>
  error instanceof TierTooLow ? error : badParameter(error)

export const layer = HttpApiBuilder.group(Api, "gated", (handlers) =>
  handlers.handleAll({
    compare: ({ query }) => opened(views.compare, query).pipe(Effect.mapError(named)),
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
    signals: ({ query }) => opened(views.signals, query).pipe(Effect.mapError(named)),
    healthProfile: ({ params }) =>
      knownSymbol("symbol", params.symbol).pipe(
        Effect.andThen(opened(views["health-profile"], params)),
        Effect.mapError((error) => (error instanceof TierTooLow ? error : refusal(error)))
      )
  })
)

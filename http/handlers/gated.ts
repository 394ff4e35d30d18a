import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { Callers } from "../../core/credits/Callers.ts"
import { isAway } from "../../core/data/errors.ts"
import { knownSymbol } from "../../core/data/read/parameters.ts"
import { type Asked, type View, views } from "../../core/products/views.ts"
import { ViewUnavailable } from "../../core/wire/problems/accounts.ts"
import { Api } from "../api/Api.ts"
import { caller } from "../caller.ts"
import { linked } from "../delivery/nextPage.ts"

/**
 * Turns an SQL failure of a view or its export into a problem. If the database is unavailable, the defect goes on to
 * `toProblem.ts`, so every path responds in the same way.
 */
export const unmade = (cause: unknown): Effect.Effect<never, ViewUnavailable> =>
  isAway(cause)
    ? Effect.die(cause)
    : Effect.andThen(
        Effect.logError("failed to compute a view", cause),
        Effect.fail(
          new ViewUnavailable({ message: "The view cannot be computed right now. The error was logged." })
        )
      )

/** The view, if the caller's tier includes it. */
const opened = <A, E, R>(view: View<A, E | SqlError, R>, asked: Asked = {}) =>
  Effect.all([Callers, caller]).pipe(
    Effect.flatMap(([callers, found]) => callers.gate(found, view)),
    Effect.andThen(Effect.catchIf(view.make(asked), isSqlError, unmade))
  )

export const layer = HttpApiBuilder.group(Api, "gated", (handlers) =>
  handlers.handleAll({
    compare: ({ query }) => opened(views.compare, query),
    leadLag: () => opened(views["lead-lag"]),
    indicators: () => opened(views.indicators),
    digest: () => opened(views.digest),
    changes: () => opened(views.changes),
    correlations: () => opened(views.correlations),
    nodeQuality: () => opened(views["node-quality"]),
    divergence: () => opened(views.divergence),
    dilutionRisk: () => opened(views["dilution-risk"]),
    gpuSupplyDemand: () => opened(views["gpu-supply-demand"]),
    sectorHealth: () => opened(views["sector-health"]),
    geoConcentration: () => opened(views["geo-concentration"]),
    devVelocity: () => opened(views["dev-velocity"]),
    competitiveLandscape: () => opened(views["competitive-landscape"]),
    marketRegime: () => opened(views["market-regime"]),
    intel: () => opened(views.intel),
    signals: ({ query }) => linked(opened(views.signals, query)),
    healthProfile: ({ params }) =>
      knownSymbol("symbol", params.symbol).pipe(Effect.andThen(opened(views["health-profile"], params)))
  })
)

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
import { knownLongAgo } from "../delivery/knownLongAgo.ts"
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
    Effect.andThen(knownLongAgo(asked.as_known_at)),
    Effect.andThen(Effect.catchIf(view.make(asked), isSqlError, unmade))
  )

export const layer = HttpApiBuilder.group(Api, "gated", (handlers) =>
  handlers.handleAll({
    compare: ({ query }) => opened(views.compare, query),
    leadLag: ({ query }) => opened(views["lead-lag"], query),
    indicators: ({ query }) => opened(views.indicators, query),
    digest: ({ query }) => opened(views.digest, query),
    changes: ({ query }) => opened(views.changes, query),
    correlations: ({ query }) => opened(views.correlations, query),
    nodeQuality: ({ query }) => opened(views["node-quality"], query),
    divergence: ({ query }) => opened(views.divergence, query),
    dilutionRisk: ({ query }) => opened(views["dilution-risk"], query),
    gpuSupplyDemand: ({ query }) => opened(views["gpu-supply-demand"], query),
    sectorHealth: ({ query }) => opened(views["sector-health"], query),
    geoConcentration: ({ query }) => opened(views["geo-concentration"], query),
    devVelocity: ({ query }) => opened(views["dev-velocity"], query),
    competitiveLandscape: ({ query }) => opened(views["competitive-landscape"], query),
    marketRegime: ({ query }) => opened(views["market-regime"], query),
    intel: ({ query }) => opened(views.intel, query),
    signals: ({ query }) => linked(opened(views.signals, query)),
    healthProfile: ({ params, query }) =>
      knownSymbol("symbol", params.symbol).pipe(
        Effect.andThen(opened(views["health-profile"], { ...params, ...query }))
      )
  })
)

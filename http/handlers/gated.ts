import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { Callers } from "../../core/credits/Callers.ts"
import { isAway } from "../../core/process/errors.ts"
import type { ReadableView, ViewParams } from "../../core/products/build.ts"
import { views } from "../../core/products/builds.ts"
import { type Viewable, viewRest } from "../../core/products/definition.ts"
import { ViewUnavailable } from "../../core/wire/problems/accounts.ts"
import { Api } from "../api/Api.ts"
import { type EndpointName, endpointName } from "../api/gated.ts"
import { expireWhileDayOpen } from "../delivery/expireWhileDayOpen.ts"
import { linked } from "../delivery/nextPage.ts"
import { caller } from "../middleware/caller.ts"

/**
 * Turns an SQL failure of a view or its export into a problem. If the database is unavailable, the defect goes on to
 * `toProblem.ts`, so every path responds in the same way.
 */
export const toViewUnavailable = (cause: unknown): Effect.Effect<never, ViewUnavailable> =>
  isAway(cause)
    ? Effect.die(cause)
    : Effect.andThen(
        Effect.logError("failed to compute a view", cause),
        Effect.fail(
          new ViewUnavailable({ message: "The view cannot be computed right now. The error was logged." })
        )
      )

interface Request {
  readonly params?: { readonly symbol: string }
  readonly query: ViewParams
}

/** Reads a view if the caller's tier includes it. */
const handlerOf =
  <A extends object, E, R>({
    check,
    definition: { view },
    read
  }: ReadableView<Viewable, A, E | SqlError, R>) =>
  ({ params, query }: Request) =>
    Effect.gen(function* () {
      const all = { ...params, ...query }
      yield* Effect.catchIf(check(all), isSqlError, toViewUnavailable)
      const callers = yield* Callers
      yield* callers.gate(yield* caller, { capability: view.capability, rest: viewRest(view) })
      yield* expireWhileDayOpen(query.as_known_at)
      const answer = Effect.catchIf(read(all), isSqlError, toViewUnavailable)
      return yield* view.pages === true ? linked(answer) : answer
    })

type AnyView = (typeof views)[number]
type Handlers = {
  readonly [V in AnyView as EndpointName<V["definition"]["view"]["path"]>]: V extends ReadableView<
    Viewable,
    infer A extends object,
    infer E,
    infer R
  >
    ? ReturnType<typeof handlerOf<A, E, R>>
    : never
}

const all = Object.fromEntries(
  views.map((view) => [endpointName(view.definition.view.path), handlerOf<object, unknown, unknown>(view)])
) as unknown as Handlers

export const layer = HttpApiBuilder.group(Api, "gated", (handlers) => handlers.handleAll(all))

/** The caller of the current request, from its `X-API-Key`. */
import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { Callers } from "../../core/credits/Callers.ts"
import { RequestState } from "../delivery/RequestState.ts"
import { orProblem } from "../problems/fromCore.ts"

/** Never fails: an unknown key counts as no key. */
export const caller = Effect.gen(function* () {
  const { caller: identity } = yield* RequestState
  if (identity !== undefined) return identity
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const key = headers["x-api-key"]
  const callers = yield* Callers
  return yield* orProblem(callers.identify(key === undefined ? undefined : Redacted.make(key)))
})

export const access = Effect.map(caller, (identity) => identity.access)

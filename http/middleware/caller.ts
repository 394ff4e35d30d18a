/** The caller of the current request, from its `X-API-Key`. */
import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { Callers } from "../../core/credits/Callers.ts"
import { readPriceWords } from "../../core/credits/pricing.ts"
import { readPath } from "../../core/wire/credits/reads.ts"
import { RequestState } from "../delivery/RequestState.ts"
import { orProblem } from "../problems/fromCore.ts"
import { targetPath } from "../signing/sign.ts"

/** Never fails: an unknown key counts as no key. */
export const caller = Effect.gen(function* () {
  const { caller: identity } = yield* RequestState
  if (identity !== undefined) return identity
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const key = headers["x-api-key"]
  const callers = yield* Callers
  return yield* orProblem(callers.identify(key === undefined ? undefined : Redacted.make(key)))
})

/** What the caller may see, with a note that says where and for how much the current path shows everything. */
export const access = Effect.gen(function* () {
  const { access } = yield* caller
  const { perRequest } = yield* Callers
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const path = readPath(targetPath(url))
  return access.breadth === "all" || !perRequest || path === undefined
    ? access
    : { ...access, note: `${access.note} A page with every network costs ${readPriceWords(path)}.` }
})

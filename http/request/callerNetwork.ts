/** The originating network of the current request. */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpSettings } from "../HttpSettings.ts"
import { networkOfRequest } from "./origin.ts"

export const callerNetwork = Effect.gen(function* () {
  const { source } = yield* HttpServerRequest.HttpServerRequest
  return networkOfRequest(source, (yield* HttpSettings).trustProxy)
})

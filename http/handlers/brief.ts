import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { documentOf, editionOf } from "../../core/publications/Brief.ts"
import { markdown } from "../../core/publications/edition/markdown.ts"
import { dayOf } from "../../core/readings/read/parameters.ts"
import { Api } from "../api/Api.ts"
import { orProblem } from "../problems/fromCore.ts"
import { formIn } from "../request/accept.ts"

export const layer = HttpApiBuilder.group(Api, "brief", (handlers) =>
  handlers.handleAll({
    brief: ({ query: { date } }) =>
      Effect.gen(function* () {
        const day = date === undefined ? undefined : yield* dayOf("date", date)
        const { body } = yield* orProblem(editionOf(day))
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const vary = { vary: "Accept, Accept-Encoding, X-API-Key" }
        return formIn(headers["accept"]) === "markdown"
          ? HttpServerResponse.text(markdown(yield* Effect.orDie(documentOf(body))), {
              contentType: "text/markdown; charset=utf-8",
              headers: vary
            })
          : HttpServerResponse.text(body, { contentType: "application/json", headers: vary })
      })
  })
)

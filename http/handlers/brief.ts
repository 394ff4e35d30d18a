import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { dayOf } from "../../core/data/read/parameters.ts"
import { documentOf, editionOf } from "../../core/publications/Brief.ts"
import { markdown } from "../../core/publications/edition/markdown.ts"
import { Api } from "../api/Api.ts"
import { orProblem } from "../problems/fromCore.ts"

/** The quality that an `Accept` header gives to a media type, by exact name only. */
const quality = (accept: string, type: string): number => {
  for (const part of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim())
    if (name !== type) continue
    const q = parameters.find((word) => word.startsWith("q="))
    return q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return 0
}

export const layer = HttpApiBuilder.group(Api, "brief", (handlers) =>
  handlers.handleAll({
    brief: ({ query: { date } }) =>
      Effect.gen(function* () {
        const day = date === undefined ? undefined : yield* dayOf("date", date)
        const { body } = yield* orProblem(editionOf(day))
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const accept = headers["accept"] ?? ""
        const wantsText = quality(accept, "text/markdown") > quality(accept, "application/json")
        const vary = { vary: "Accept, Accept-Encoding, X-API-Key" }
        return wantsText
          ? HttpServerResponse.text(markdown(yield* Effect.orDie(documentOf(body))), {
              contentType: "text/markdown; charset=utf-8",
              headers: vary
            })
          : HttpServerResponse.text(body, { contentType: "application/json", headers: vary })
      })
  })
)

/** GraphQL over POST. */
import { Effect, Schema } from "effect"
import { errorsIn } from "../statedErrors.ts"
import * as Upstream from "../Upstream.ts"

/**
 * Sends a query and decodes `data`. Errors beside no data are `UpstreamRefused`; errors beside a part of the data are
 * returned as `failed`, because the rows of the part are valid.
 */
export const query = Effect.fnUntraced(function* <A>(url: string, text: string, data: Schema.Decoder<A>) {
  const request = Upstream.post(url, { query: text })
  const answer = yield* Upstream.json(
    request,
    Schema.Struct({
      data: Upstream.maybe(Schema.Unknown),
      errors: Upstream.maybe(Schema.Array(Schema.Unknown))
    })
  )
  const failed = errorsIn(answer.body).map((error) => Upstream.statedBy(answer.url, error))
  const [first] = failed
  if (answer.body.data === undefined || answer.body.data === null) {
    return yield* first ?? Upstream.implausible(answer, `["data"]`, "neither data nor errors")
  }
  return { answer, data: yield* Upstream.decode(request, data, answer.body.data), failed }
})

/** The data of a query as an answer's body, with the errors of a partial answer as what failed. */
export const queried = (url: string, text: string) =>
  Effect.map(query(url, text, Schema.Unknown), ({ answer, data, failed }) => ({
    ...answer,
    body: data,
    failed
  }))

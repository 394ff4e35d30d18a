/** Answers that say in an envelope whether they went well, whatever their HTTP status. */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"

const Envelope = Schema.Record(Schema.String, Schema.Unknown)

/**
 * The member `data` of an envelope such as `{"status": "success", "data": …}`: `well` is the member that says how it went,
 * and its word for well. Any other word is `UpstreamRefused`; where there is none, the data speaks for itself.
 */
export const dataOf = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  asking: Upstream.Asking,
  well: readonly [member: string, word: string | number],
  schema: S
) {
  const answer = yield* Upstream.json(asking, Envelope)
  const { [well[0]]: word, data } = answer.body
  if (word !== undefined && word !== null && word !== well[1]) {
    return yield* Upstream.refused(answer, `${well[0]} ${word}: ${JSON.stringify(data)}`)
  }
  const body = yield* Upstream.decode(asking, schema, data).pipe(
    Effect.mapError(
      ({ detail, path, request }) =>
        new Upstream.UpstreamChanged({ request, detail, path: `["data"]${path}` })
    )
  )
  return { ...answer, body } satisfies Upstream.Answer<S["Type"]>
})

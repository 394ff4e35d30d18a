/** Answers that report success or failure in an envelope, whatever their HTTP status. */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"

const Envelope = Schema.Record(Schema.String, Schema.Unknown)

/**
 * The member `data` of an envelope such as `{"status": "success", "data": …}`: `well` is the member that tells success,
 * and the value it has then. Any other value is `UpstreamRefused`; if the member is missing, the data decides.
 */
export const dataOf = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  target: Upstream.RequestOrUrl,
  well: readonly [member: string, word: string | number],
  schema: S
) {
  const answer = yield* Upstream.json(target, Envelope)
  const { [well[0]]: word, data } = answer.body
  if (word !== undefined && word !== null && word !== well[1]) {
    return yield* Upstream.refused(answer, `${well[0]} ${word}: ${JSON.stringify(data)}`)
  }
  const body = yield* Upstream.decode(target, schema, data).pipe(
    Effect.mapError(
      ({ detail, path, request }) =>
        new Upstream.UpstreamChanged({ request, detail, path: `["data"]${path}` })
    )
  )
  return { ...answer, body } satisfies Upstream.Answer<S["Type"]>
})

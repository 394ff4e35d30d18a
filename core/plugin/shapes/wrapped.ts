/** Answers that an upstream wraps in an object in some versions and sends bare in others. */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"

const inner = (body: unknown, members: ReadonlyArray<string>): unknown => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body
  const member = members.find((name) => Object.hasOwn(body, name))
  return member === undefined ? body : Reflect.get(body, member)
}

/** The answer decoded out of the first of these members that its body has; out of the body itself where it has none. */
export const wrapped = Effect.fnUntraced(function* <S extends Schema.Constraint = typeof Schema.Unknown>(
  target: Upstream.RequestOrUrl,
  members: ReadonlyArray<string>,
  schema: S = Schema.Unknown as Schema.Constraint as S
) {
  const answer = yield* Upstream.json(target, Schema.Unknown)
  const body = yield* Upstream.decode(target, schema, inner(answer.body, members))
  return { ...answer, body } satisfies Upstream.Answer<S["Type"]>
})

/** Answers as JSON, with exact numbers, decoded by a schema. */
import { Effect, Schema } from "effect"
import { namesTwice } from "../names.ts"
import { parseExactly } from "../numbers.ts"
import { bareErrorIn, statedInText } from "../statedErrors.ts"
import { type Answer, anyText, statedBy } from "./answers.ts"
import { UpstreamChanged } from "./errors.ts"
import { nameOf, type RequestOrUrl, toRequest } from "./requests.ts"

/**
 * The answer parsed as JSON and decoded by `schema`. On a mismatch, one `UpstreamChanged` names the place; where the body is an
 * error and nothing else, it is `UpstreamRefused`, whatever the schema would have taken.
 */
export const json = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  target: RequestOrUrl,
  schema: S
) {
  const answer = yield* parsedBody(target)
  const error = bareErrorIn(answer.body)
  if (error !== undefined) return yield* statedBy(answer.url, error)
  const body = yield* decode(target, schema, answer.body)
  return { ...answer, body } satisfies Answer<S["Type"]>
})

/** The answer parsed as JSON, whatever it states. */
export const parsedBody = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const answer = yield* anyText(target)
  const body = yield* parsed(target, answer.body)
  return { ...answer, body } satisfies Answer<unknown>
})

/** Bare words that Python servers write for values that are not numbers; strings match too, so that they are kept. */
const noNumber = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g

/** Parses a JSON text with exact numbers, reading NaN and Infinity as null; throws what `JSON.parse` throws. */
const valueOf = (source: string): unknown => {
  try {
    return parseExactly(source)
  } catch (error) {
    const valid = source.replace(noNumber, (token) => (token.startsWith(`"`) ? token : "null"))
    if (valid === source) throw error
    return parseExactly(valid)
  }
}

/** Parses and decodes a text that the plugin has inspected first, with the same errors as `json`. */
export const parseJson = <S extends Schema.Constraint>(target: RequestOrUrl, schema: S, source: string) =>
  Effect.flatMap(parsed(target, source), (value) => decode(target, schema, value))

const parsed = Effect.fnUntraced(function* (target: RequestOrUrl, source: string) {
  const changed = (detail: string) => new UpstreamChanged({ request: nameOf(target), path: "", detail })
  const value = yield* Effect.try({
    try: () => valueOf(source),
    catch: () => {
      if (source.trim() === "") return changed("the body is empty")
      const error = statedInText(source)
      return error === undefined
        ? changed(`the body is not JSON: ${JSON.stringify(source.slice(0, 60))}`)
        : statedBy(toRequest(target).url, error)
    }
  })
  if (namesTwice(source, value)) return yield* changed("an object has two members of one name")
  return value
})

/** Decodes a part of an answer that the plugin has taken apart itself, with the same error as `json`. */
export const decode = <S extends Schema.Constraint>(
  target: RequestOrUrl,
  schema: S,
  input: unknown
): Effect.Effect<S["Type"], UpstreamChanged, S["DecodingServices"]> =>
  Schema.decodeUnknownEffect(schema)(input).pipe(
    Effect.mapError((error) => {
      const [detail = "", place = ""] = error.message.split("\n  at ")
      return new UpstreamChanged({
        request: nameOf(target),
        path: place.split("\n")[0] ?? "",
        detail: detail.slice(0, 300)
      })
    })
  )

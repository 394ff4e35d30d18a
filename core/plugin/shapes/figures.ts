/** Figures that stand at fixed places of one JSON answer: what many small services give, each at its own places. */
import { Effect, Schema } from "effect"
import type { Reading } from "../Plugin.ts"
import { statedIn } from "../statedErrors.ts"
import * as Upstream from "../Upstream.ts"
import { endOfDay } from "../Value.ts"
import { exact, momentOf } from "./fields.ts"
import { firstOf } from "./gateways.ts"
import { figureAt, isThere, nameOf, type Path, type Place, pathsOf, stepsOf, valueAt } from "./places.ts"

/** One answer and its figures. */
export interface Source<Name extends string> {
  readonly ask: Upstream.RequestOrUrl
  /** Other addresses that answer the same, asked in turn while the one before is gone or limits (`firstOf` of gateways.ts). */
  readonly others?: ReadonlyArray<string>
  readonly figures: Readonly<Partial<Record<Name, Place>>>
  /** When the figures were true: ISO 8601 text, or seconds or milliseconds since 1970. Default: the `Date` header. */
  readonly as_of?: Path
  /** The figures are of the whole UTC day of `as_of`, and true at its end. */
  readonly daily?: true
  /** What the answer must say of itself, for example the netuid that it is about. */
  readonly must?: { readonly at: Path; readonly be: string | number | boolean }
}

/**
 * Reads an answer and gives its figures. One that is missing cannot be read, and says so; an empty list is a failed read,
 * unless it may be empty. The whole answer is refused if it is not about what it must be about. An answer with an error in the
 * place of all figures is a refusal, also with status 200.
 */
export const read = <Name extends string>(source: Source<Name>) => {
  const { ask, others = [] } = source
  const first = typeof ask === "string" ? ask : ask.url
  return firstOf([first, ...others], (url) =>
    readFrom(typeof ask === "string" ? url : { ...ask, url }, source)
  )
}

const readFrom = Effect.fnUntraced(function* <Name extends string>(
  target: Upstream.RequestOrUrl,
  { as_of, daily, figures, must }: Source<Name>
) {
  const answer = yield* Upstream.json(target, Schema.Unknown)
  const { body } = answer
  const places = Object.entries<Place | undefined>(figures).flatMap(([name, place]) =>
    place === undefined ? [] : [[name as Name, place] as const]
  )
  const isAnswer = must === undefined || valueAt(body, must.at) === must.be
  const isEmpty = !places.some(([, place]) => isThere(body, place))
  const refusal = isAnswer && !isEmpty ? undefined : statedIn(body)
  if (refusal !== undefined) return yield* Upstream.statedBy(answer.url, refusal)
  if (must !== undefined && !isAnswer) {
    const value = JSON.stringify(valueAt(body, must.at)) ?? "nothing"
    const detail = `${value.slice(0, 60)} instead of ${must.be}`
    return yield* Upstream.implausible(answer, stepsOf(must.at).join("."), detail)
  }
  if (isEmpty) {
    const names = places.map(([name]) => name).join(", ")
    return yield* Upstream.implausible(answer, "", `none of ${names} is there`)
  }
  const values: Partial<Record<Name, Reading>> = {}
  for (const [name, place] of places) {
    values[name] = isThere(body, place)
      ? yield* figureAt(answer, body, place, exact)
      : Upstream.unreadable(`${pathsOf(place).map(nameOf).join(" or ")} is not in the answer`)
  }
  const moment = as_of === undefined ? undefined : momentOf(valueAt(body, as_of))
  return { answer, values, as_of: moment === undefined || daily !== true ? moment : endOfDay(moment) }
})

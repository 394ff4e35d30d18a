/**
 * Figures that cannot move, such as the hash of a chain's first block. They are asked before a run, once a day, outside what the run
 * records: a wrong one says that the address is another's now, before its moving figures are believed.
 */
import { Effect, Option, Schema } from "effect"
import type { Canary, Manifest } from "../../core/plugin/Manifest.ts"
import { at } from "../../core/plugin/shapes/fields.ts"
import { day } from "../../core/plugin/time.ts"
import { json, nameOf, Upstream } from "../../core/plugin/Upstream.ts"

/** Longest time that all canaries of a plugin may take; a slow address is no wrong one. */
const limit = "20 seconds"

/**
 * The check of a plugin's canaries: why the source must not be believed, or undefined. After a wrong answer each run asks again, so
 * that the source is closed for as long as it lasts. An address that does not answer says nothing.
 */
export const canaryCheck = ({
  canaries = []
}: Manifest): Effect.Effect<string | undefined, never, Upstream> => {
  let checkedAt = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const { now } = yield* Upstream
    if (canaries.length === 0 || now - checkedAt < day) return undefined
    const moved = yield* Effect.forEach(canaries, movedTo).pipe(Effect.timeoutOption(limit))
    const first = Option.getOrElse(moved, () => []).find((reason) => reason !== undefined)
    if (first === undefined) checkedAt = now
    return first
  })
}

const movedTo = ({ is, path, request, why }: Canary) =>
  json(request, Schema.Unknown).pipe(
    Effect.map(({ body }) => {
      const value = at(body, ...path)
      return String(value) === String(is)
        ? undefined
        : `${nameOf(request)}: ${path.join(".")} is ${String(value).slice(0, 80)}, but it can only be ${is}: ${why}`
    }),
    Effect.orElseSucceed(() => undefined)
  )

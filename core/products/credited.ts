/** Payloads with whom to credit for what they are made of. */
import { Effect } from "effect"
import { ReadyPayload } from "../credits/payload.ts"
import { compare } from "../plugin/Value.ts"
import { type RightsBySource, rightsBySource } from "../readings/read/rights.ts"
import type { PayloadRights } from "../wire/products/payload.ts"

/** The labels that stand as `source`, or under a name that ends in `_source`, anywhere in a payload. */
const sourcesIn = (value: unknown, sources: Set<string>): Set<string> => {
  if (Array.isArray(value)) for (const one of value) sourcesIn(one, sources)
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === "object") sourcesIn(member, sources)
      else if (typeof member === "string" && (name === "source" || name.endsWith("_source")))
        sources.add(member)
    }
  return sources
}

/** The member of a payload that has the rights of these sources; none if nobody has read the terms of any. */
export const creditOf = (
  sources: Iterable<string>,
  rightsOf: RightsBySource
): { readonly rights?: PayloadRights } => {
  const rights = [...sources].sort(compare).flatMap((source) => {
    const of = rightsOf(source)
    return of.licence === undefined ? [] : [[source, of] as const]
  })
  return rights.length === 0 ? {} : { rights: Object.fromEntries(rights) }
}

/** The payload with the rights of each source that it names. One that is ready has them. */
export const credited = Effect.fnUntraced(function* <A extends object>(
  payload: A
): Effect.fn.Return<A & { readonly rights?: PayloadRights }, never, Effect.Services<typeof rightsBySource>> {
  if (payload instanceof ReadyPayload) return payload
  return { ...payload, ...creditOf(sourcesIn(payload, new Set()), yield* rightsBySource) }
})

/** Payloads with whom to credit for what they are made of. */
import { Effect } from "effect"
import { ReadyPayload } from "../credits/payload.ts"
import { sourcesIn } from "../credits/sourcesIn.ts"
import { compare } from "../plugin/Value.ts"
import { type RightsBySource, rightsBySource } from "../readings/read/rights.ts"
import type { PayloadRights } from "../wire/products/payload.ts"

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
  return { ...payload, ...creditOf(sourcesIn(payload), yield* rightsBySource) }
})

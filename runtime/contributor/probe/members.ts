/** The members of live answers beside those of recorded ones: where an upstream and its fixtures no longer agree. */
import type { Exchange } from "../../../core/plugin/Upstream.ts"
import {
  type AddressShape,
  kindOfRequest,
  shapesOf,
  valuesBy
} from "../../../core/readings/ingest/shapes/addresses.ts"
import { breaksOf, differencesOf, inWords } from "../../../core/readings/ingest/shapes/differences.ts"
import { shapeOf } from "../../../core/readings/ingest/shapes/shape.ts"

/** Places in an answer, each `<method or path>.<member>`, with `[]` for list items and `*` for names that are data. */
export interface Members {
  /** In live answers alone. */
  readonly added: ReadonlyArray<string>
  /** In fixtures alone. */
  readonly missing: ReadonlyArray<string>
  /** In both, but of another kind, such as text where there was a number. */
  readonly changed: ReadonlyArray<string>
}

/**
 * Compares answers of one plugin, kind of request by kind. Answers of a kind that is not recorded, such as those about
 * another token, are compared with all recorded ones. Refusals of the upstream say nothing about its members.
 */
export const compareMembers = (live: ReadonlyArray<Exchange>, recorded: ReadonlyArray<Exchange>): Members => {
  const fixtures = valuesBy(recorded, kindOfRequest)
  const all = [...fixtures.values()].flat()
  const compared = [
    ...valuesBy(live, (exchange) => {
      const kind = kindOfRequest(exchange)
      return fixtures.has(kind) ? kind : "any"
    })
  ].map(([kind, values]) => ({
    kind,
    differences: differencesOf(shapeOf(values), shapeOf(fixtures.get(kind) ?? all))
  }))
  const places = (of: "added" | "gone") =>
    compared.flatMap(({ differences, kind }) => differences[of].map(({ path }) => `${kind}${path}`))
  return {
    added: places("added"),
    missing: places("gone"),
    changed: compared.flatMap(({ differences, kind }) => inWords(differences, kind).changed)
  }
}

/** What live answers break of what they held in the runs that a service accepted, in words. */
export const brokenContracts = (
  live: ReadonlyArray<Exchange>,
  contracts: ReadonlyArray<AddressShape>
): ReadonlyArray<string> =>
  shapesOf(live).flatMap(({ address, shape }) => {
    const before = contracts.find((one) => one.address === address)
    if (before === undefined) return []
    const breaks = breaksOf(differencesOf(shape, before.shape))
    const { changed, gone } = inWords({ ...breaks, added: [], lengths: [] }, address)
    return [...gone, ...changed]
  })

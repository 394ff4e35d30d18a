/** Under which licence a source gives its values, and whom to credit for them, as its feed's terms say. */
import { Effect } from "effect"
import { isLabelled, type Manifest } from "../../plugin/Manifest.ts"
import type { Rights } from "../../wire/data/rights.ts"
import { Feeds } from "../Feeds.ts"

/** The rights of a source by its label; nothing where nobody has read the terms of its feed. */
export type RightsBySource = (source: string) => Rights

const unread: Rights = {}

const rightsIn = (manifests: ReadonlyArray<Manifest>, source: string): Rights => {
  const terms = manifests.find((manifest) =>
    [manifest.source, ...(manifest.sources ?? [])].some((label) => isLabelled(label, source))
  )?.terms
  return terms === undefined ? unread : { licence: terms.licence, attribution: terms.attribution }
}

/** Rows name few sources, and lists have thousands of rows. */
const rightsOf = (manifests: ReadonlyArray<Manifest>): RightsBySource => {
  const bySource = new Map<string, Rights>()
  return (source) => {
    const rights = bySource.get(source) ?? rightsIn(manifests, source)
    bySource.set(source, rights)
    return rights
  }
}

/** A row with the rights of its source. */
export const withRights =
  (rightsOf: RightsBySource) =>
  <A extends { readonly source: string }>(row: A): A & Rights => ({ ...row, ...rightsOf(row.source) })

const rightsOfManifests = new WeakMap<ReadonlyArray<Manifest>, RightsBySource>()

export const rightsBySource: Effect.Effect<RightsBySource, never, Feeds> = Effect.map(
  Feeds,
  ({ manifests }) => {
    const bySource = rightsOfManifests.get(manifests) ?? rightsOf(manifests)
    rightsOfManifests.set(manifests, bySource)
    return bySource
  }
)

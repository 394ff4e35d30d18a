/** Under which licence a source gives its values, whom to credit for them, and whose method they follow, as its feed says. */
import { Effect } from "effect"
import { isLabelled, type Manifest } from "../../plugin/Manifest.ts"
import { methodOf } from "../../plugin/methods.ts"
import type { Rights } from "../../wire/data/rights.ts"
import { Feeds } from "../Feeds.ts"

/** The rights of a source by its label; nothing where nobody has read the terms of its feed. */
export type RightsBySource = (source: string) => Rights

const unread: Rights = {}

const rightsIn = (manifests: ReadonlyArray<Manifest>, source: string): Rights => {
  const feed = manifests.find((manifest) =>
    [manifest.source, ...(manifest.sources ?? [])].some((label) => isLabelled(label, source))
  )
  if (feed === undefined) return unread
  const { terms } = feed
  const method = methodOf(feed, source)
  return {
    ...(terms === undefined ? {} : { licence: terms.licence, attribution: terms.attribution }),
    ...(method === undefined ? {} : { source_method: method })
  }
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

/** Under which licence a source gives its values, whom to credit for them, whose method they follow, and what may be done with them. */
import { Effect } from "effect"
import { isLabelled, type Manifest, type Use } from "../../plugin/Manifest.ts"
import { methodOf } from "../../plugin/methods.ts"
import { mayUse } from "../../rights/mayUse.ts"
import { type InForce, inForce } from "../../rights/Permissions.ts"
import type { Rights } from "../../wire/data/rights.ts"
import { Feeds } from "../Feeds.ts"
import { type BySource, Readable } from "./readable.ts"

/** The rights of a source by its label; nothing where nobody has read the terms of its feed. */
export type RightsBySource = (source: string) => Rights

const unread: Rights = {}

/** The feeds whose rows may carry the label. Two collectors of one upstream share it. */
const feedsOf = (manifests: ReadonlyArray<Manifest>, source: string): ReadonlyArray<Manifest> =>
  manifests.filter((manifest) =>
    [manifest.source, ...(manifest.sources ?? [])].some((label) => isLabelled(label, source))
  )

const rightsIn = (manifests: ReadonlyArray<Manifest>, source: string): Rights => {
  const [feed] = feedsOf(manifests, source)
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

/** A source is allowed what each feed of its label is; one whose feed is no longer there has terms that nobody has read. */
const usableIn = (manifests: ReadonlyArray<Manifest>, use: Use, permissions: InForce): BySource => {
  const bySource = new Map<string, boolean>()
  return (source) => {
    const before = bySource.get(source)
    if (before !== undefined) return before
    const feeds = feedsOf(manifests, source)
    const may = (feeds.length === 0 ? [undefined] : feeds).every((feed) => mayUse(feed, use, permissions))
    bySource.set(source, may)
    return may
  }
}

const usableBefore = new WeakMap<ReadonlyArray<Manifest>, WeakMap<InForce, Map<Use, BySource>>>()

/** Of which sources the values may be put to a use today. */
export const usable = Effect.fnUntraced(function* (use: Use) {
  const { manifests } = yield* Feeds
  const permissions = yield* inForce
  const byPermissions = usableBefore.get(manifests) ?? new WeakMap<InForce, Map<Use, BySource>>()
  usableBefore.set(manifests, byPermissions)
  const byUse = byPermissions.get(permissions) ?? new Map<Use, BySource>()
  byPermissions.set(permissions, byUse)
  const predicate = byUse.get(use) ?? usableIn(manifests, use, permissions)
  byUse.set(use, predicate)
  return predicate
})

/** Of which sources values are shown today; undefined where all of them are, so that nothing need be looked at. */
export const showable = Effect.gen(function* () {
  const { manifests } = yield* Feeds
  const permissions = yield* inForce
  return manifests.every((manifest) => mayUse(manifest, "show", permissions))
    ? undefined
    : yield* usable("show")
})

/** What is shown to anybody: every answer is made of values alone that their sources let be shown. */
export const forShow = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(showable, (may) => Effect.provideService(work, Readable, may))

/** For what is computed and from which no value of a source can be told: such a figure is shown and sold like our own. */
export const derived = forShow

/** What is sold: made of values alone that their sources let be sold. */
export const forSale = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(usable("sell"), (may) => Effect.provideService(work, Readable, may))

/**
 * What may be done with the values of a feed. Pages, pictures, embeds, tables, exports, products, paid reads, webhooks and alerts
 * all ask `mayUse`, so no two of them can answer differently.
 *
 * A value by itself, with its source and the address where it stands there, is `show`: on a page, in a badge, a card or a picture, in
 * JSON, in a message of an alert to a person. Tables, exports, pictures of a series and what webhooks get, alerts among them, are
 * `bulk`; what is paid for is `sell`. Whoever may not show a value may not hand it on or sell it either.
 *
 * A `no` of the terms is obeyed, and a permission of the operator makes it a yes for him. What nobody has read (`unknown`) is shown
 * and given with its attribution, and sold unless the operator says otherwise; bodies are handed on only with a yes. The log and
 * what proves it are evidence: they ask nobody, and keep every value.
 */
import type { Manifest, Permission, Use } from "../plugin/Manifest.ts"
import type { InForce } from "./Permissions.ts"

/** What the rights of a feed depend on; undefined for a source whose feed is no longer there. */
export type RightsOfFeed = Pick<Manifest, "id" | "terms"> | undefined

/** What the feed's own terms say of a use. */
export const statedOf = (feed: RightsOfFeed, use: Use): Permission => feed?.terms?.[use] ?? "unknown"

/** Whether this service may put a feed's values to a use, with the permissions that are in force now. */
export const mayUse = (feed: RightsOfFeed, use: Use, permissions: InForce): boolean =>
  allows(feed, use, permissions) && (use === "bodies" || allows(feed, "show", permissions))

const allows = (feed: RightsOfFeed, use: Use, { granted, sellUnknown }: InForce): boolean => {
  const stated = statedOf(feed, use)
  if (stated === "yes" || (feed !== undefined && granted(feed.id, use))) return true
  if (stated === "no" || use === "bodies") return false
  return use !== "sell" || sellUnknown
}

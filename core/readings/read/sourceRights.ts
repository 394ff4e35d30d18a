/** All feeds by what their sources allow, and what this service does with it: the page `/sources`. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { type Permission, type Terms, type Use, uses } from "../../plugin/Manifest.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { mayUse, statedOf } from "../../rights/mayUse.ts"
import { type Grant, inForce, Permissions, stateOn } from "../../rights/Permissions.ts"
import { Feeds } from "../Feeds.ts"
import { listing } from "./listing.ts"
import { ofAll } from "./readable.ts"

/** What a source says of a use, and whether this service puts its values to it. */
export interface UseOfFeed {
  readonly stated: Permission
  readonly may: boolean
}

export interface RightsOfFeed {
  readonly feed: string
  readonly title: string
  /** Its series with a latest value. */
  readonly series: number
  readonly terms: Terms | undefined
  readonly uses: Readonly<Record<Use, UseOfFeed>>
}

/** A permission, and whether it holds today. One of a feed that is not there holds for nothing. */
export interface ShownGrant extends Grant {
  readonly state: ReturnType<typeof stateOn> | "no_such_feed"
}

/** How many series there are of each answer to a use. */
export type CountsOfUse = Readonly<Record<Permission | "used", number>>

/** Feeds whose sources forbid something first, then those that nobody has read, then those that allow; each by title. */
const weight = ({ uses: of }: RightsOfFeed): number =>
  uses.some((use) => of[use].stated === "no") ? 0 : uses.every((use) => of[use].stated === "yes") ? 2 : 1

export const sourceRights = Effect.gen(function* () {
  const { manifests } = yield* Feeds
  const permissions = yield* Permissions
  const now = yield* inForce
  const today = isoTime(yield* DataClock.now).slice(0, 10)
  const byPlugin = Map.groupBy((yield* ofAll(listing)).rows, ({ plugin }) => plugin)
  const useOf = (manifest: (typeof manifests)[number], use: Use): UseOfFeed => ({
    stated: statedOf(manifest, use),
    may: mayUse(manifest, use, now)
  })
  const feeds = manifests
    .map(
      (manifest): RightsOfFeed => ({
        feed: manifest.id,
        title: manifest.title,
        series: byPlugin.get(manifest.id)?.length ?? 0,
        terms: manifest.terms,
        uses: {
          show: useOf(manifest, "show"),
          bulk: useOf(manifest, "bulk"),
          sell: useOf(manifest, "sell"),
          bodies: useOf(manifest, "bodies")
        }
      })
    )
    .sort((a, b) => weight(a) - weight(b) || compare(a.title, b.title))
  const countsOf = (use: Use): CountsOfUse => {
    const sum = (is: (of: UseOfFeed) => boolean) =>
      feeds.reduce((total, { series, uses: of }) => total + (is(of[use]) ? series : 0), 0)
    return {
      yes: sum(({ stated }) => stated === "yes"),
      no: sum(({ stated }) => stated === "no"),
      unknown: sum(({ stated }) => stated === "unknown"),
      used: sum(({ may }) => may)
    }
  }
  return {
    feeds,
    counts: {
      show: countsOf("show"),
      bulk: countsOf("bulk"),
      sell: countsOf("sell"),
      bodies: countsOf("bodies")
    },
    grants: permissions.grants.map(
      (grant): ShownGrant => ({
        ...grant,
        state: manifests.some(({ id }) => id === grant.feed) ? stateOn(grant, today) : "no_such_feed"
      })
    ),
    simulated: permissions.simulated,
    sellUnknown: permissions.sellUnknown,
    unreadable: permissions.unreadable
  }
})

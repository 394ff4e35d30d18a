/** The load on upstreams: calls per day to each host, from the manifests, compared with what the host allows. */
import { Duration } from "effect"
import { type Host, type Limit, limitsOf, windowOf } from "../../../core/catalog/Hosts.ts"
import type { Manifest } from "../../../core/plugin/Manifest.ts"

/** One host's line. */
export interface Line {
  readonly host: string
  /** Ids of the plugins that may reach it, including disabled ones. */
  readonly plugins: ReadonlyArray<string>
  /** At most: a plugin with several hosts is counted in full at each. */
  readonly callsPerDay: number
  /** The strictest limit, converted to a day. */
  readonly allowedPerDay: number
  readonly limits: ReadonlyArray<Limit>
  readonly stated: Host["stated"]
  readonly source: string
  /** Violated limits, one sentence each. */
  readonly over: ReadonlyArray<string>
}

const day = Duration.toMillis("1 day")
const minute = Duration.toMillis("1 minute")

/** The most calls within `window` milliseconds: a run that overlaps its start counts in full. */
const callsIn = ({ calls = 1, every }: Manifest, window: number): number =>
  calls * Math.ceil(window / Duration.toMillis(every))

const perDay = ({ calls = 1, every }: Manifest): number => (calls * day) / Duration.toMillis(every)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

const overOf = (manifests: ReadonlyArray<Manifest>, limit: Limit): ReadonlyArray<string> => {
  const window = windowOf(limit)
  // The pace of requests keeps shorter limits; there a run only has to finish within its time limit.
  if (window > minute) {
    const calls = sum(manifests.map((manifest) => callsIn(manifest, window)))
    return calls > limit.calls ? [`${calls} calls in ${limit.per}, but only ${limit.calls} are allowed`] : []
  }
  const tooSlow = manifests.flatMap(({ calls = 1, id, timeout = minute }) => {
    const wait = Math.max(0, calls - Math.floor(limit.calls / 2)) * (window / Math.ceil(limit.calls / 2))
    return wait > Duration.toMillis(timeout)
      ? [
          `${id} needs ${Math.round(wait / 1000)} s for its ${calls} calls at the allowed pace, more than its time limit`
        ]
      : []
  })
  const share = (sum(manifests.map(perDay)) * window) / day
  return share > limit.calls
    ? [
        ...tooSlow,
        `${share.toFixed(1)} calls in ${limit.per} on average, but only ${limit.calls} are allowed`
      ]
    : tooSlow
}

/** All hosts of the manifests, by name. */
export const budget = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<Line> => {
  const hosts = [...new Set(manifests.flatMap(({ hosts }) => hosts))].sort()
  return hosts.map((host) => {
    const users = manifests.filter((manifest) => manifest.hosts.includes(host))
    const { limits, source, stated } = limitsOf(host)
    return {
      host,
      plugins: users.map(({ id }) => id),
      callsPerDay: Math.ceil(sum(users.map(perDay))),
      allowedPerDay: Math.floor(Math.min(...limits.map((limit) => (limit.calls * day) / windowOf(limit)))),
      limits,
      stated,
      source,
      over: limits.flatMap((limit) => overOf(users, limit))
    }
  })
}

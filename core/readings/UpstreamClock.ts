/** Checks this machine's clock against the `Date` headers of upstream responses. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { hour } from "../plugin/time.ts"
import type { RunExchange } from "./ingest/Run.ts"

/** Minimum number of recent hosts; a single one may be wrong. */
const quorum = 3
/** How long a response counts, in milliseconds. */
const recent = hour

/** One host's time at a monotonic moment, which wall clock corrections do not affect. */
interface HostTime {
  readonly upstream: number
  readonly moment: number
}

export interface Difference {
  /** How far this machine's clock is ahead of the upstreams, in milliseconds: the median over the hosts. */
  readonly ahead: number
  readonly hosts: number
}

export class UpstreamClock extends Context.Service<
  UpstreamClock,
  {
    /** Records the responses of a run that just finished. */
    readonly note: (exchanges: ReadonlyArray<RunExchange>) => Effect.Effect<void>
    /** None if fewer than three hosts responded in the last hour. */
    readonly difference: Effect.Effect<Option.Option<Difference>>
  }
>()("core/readings/UpstreamClock") {
  static readonly layer = Layer.sync(UpstreamClock, () => {
    // One entry per manifest host.
    const hosts = new Map<string, HostTime>()
    return UpstreamClock.of({
      note: (exchanges) =>
        Effect.gen(function* () {
          const wall = yield* Clock.currentTimeMillis
          const moment = yield* monotonic
          const newestByHost = new Map<string, number>()
          for (const { at, headers, url } of exchanges) {
            const since = wall - Date.parse(at)
            const upstream = Date.parse(headers["date"] ?? "") + since
            if (!Number.isFinite(upstream) || Math.abs(since) > recent || !URL.canParse(url)) continue
            const { host } = new URL(url)
            // A cache repeats an older response's date, so the newest is the most accurate.
            newestByHost.set(host, Math.max(newestByHost.get(host) ?? upstream, upstream))
          }
          for (const [host, upstream] of newestByHost) hosts.set(host, { upstream, moment })
        }),
      difference: Effect.gen(function* () {
        const wall = yield* Clock.currentTimeMillis
        const now = yield* monotonic
        const ahead = [...hosts.values()]
          .filter(({ moment }) => now - moment <= recent)
          .map(({ moment, upstream }) => wall - (upstream + now - moment))
          .sort((a, b) => a - b)
        const median = ahead[Math.floor(ahead.length / 2)]
        return median === undefined || ahead.length < quorum
          ? Option.none()
          : Option.some({ ahead: median, hosts: ahead.length })
      })
    })
  })
}

/** Milliseconds of the monotonic clock. */
export const monotonic = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

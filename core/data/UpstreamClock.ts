/** What upstreams say the time is, by the `Date` headers of their answers: a check on the clock of this machine. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { RunExchange } from "./ingest/Run.ts"

/** Hosts that must have answered lately: one alone may be wrong itself. */
const quorum = 3
/** Milliseconds for which an answer says something about the clock. */
const recent = 3_600_000

/** What one host said: its time at a moment of the monotonic clock, which no correction of the wall clock moves. */
interface Told {
  readonly upstream: number
  readonly moment: number
}

export interface Difference {
  /** Milliseconds that the clock of this machine is ahead of the upstreams': the median over the hosts. */
  readonly ahead: number
  readonly hosts: number
}

export class UpstreamClock extends Context.Service<
  UpstreamClock,
  {
    /** Takes note of the answers of a run that was just finished. */
    readonly note: (exchanges: ReadonlyArray<RunExchange>) => Effect.Effect<void>
    /** None where fewer than three hosts answered in the last hour. */
    readonly difference: Effect.Effect<Option.Option<Difference>>
  }
>()("core/data/UpstreamClock") {
  static readonly layer = Layer.sync(UpstreamClock, () => {
    // One entry for each host of a manifest.
    const hosts = new Map<string, Told>()
    return UpstreamClock.of({
      note: (exchanges) =>
        Effect.gen(function* () {
          const wall = yield* Clock.currentTimeMillis
          const moment = yield* monotonic
          const told = new Map<string, number>()
          for (const { at, headers, url } of exchanges) {
            const since = wall - Date.parse(at)
            const upstream = Date.parse(headers["date"] ?? "") + since
            if (!Number.isFinite(upstream) || Math.abs(since) > recent || !URL.canParse(url)) continue
            const { host } = new URL(url)
            // A cache repeats the date of an older answer: the newest is the best.
            told.set(host, Math.max(told.get(host) ?? upstream, upstream))
          }
          for (const [host, upstream] of told) hosts.set(host, { upstream, moment })
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

const monotonic = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Counts requests in plain numbers, because a cached response takes some twenty microseconds in all. Each series is
 * registered as an Effect `Metric` that reads them when somebody looks. No label is a stranger's, so their number is bounded by
 * the API: routes are templates, with the methods that they have, and what none of them takes is one series.
 */
import { type Context, Metric } from "effect"
import type { Reason } from "../admission/Connections.ts"
import { isOfTestMode } from "../admission/paths.ts"
import { testPath } from "../HttpSettings.ts"
import type { Routes } from "../routing/routes.ts"

/** Upper bounds in seconds: a cached response takes some 0.00002, one that asks SQL some 0.002, an export many seconds. */
const bounds = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 10] as const

interface Timing {
  readonly buckets: Array<number>
  seconds: number
}

/** The requests of one method and route. */
export interface Meter {
  readonly byStatus: Map<number, { count: number }>
  readonly labels: Readonly<Record<string, string>>
  /** A HEAD takes what a GET does, and is timed with it. */
  readonly timing: Timing
}

export interface Counts {
  /** The meter of a request. A cached response keeps its own, so that this look-up is done once for it. */
  readonly meterOf: (method: string, url: string) => Meter
  /** Counts one response that took this many milliseconds. */
  readonly answered: (meter: Meter, status: number, millis: number) => void
  /** Counts a refusal that states no data, by the `error` of its problem. */
  readonly refused: (error: string) => void
  /** The meter of refusals that are sent before a route is looked for. */
  readonly refusals: Meter
  /** Counts one connection that was closed, or one call that was refused, for want of room, by the reason. */
  readonly closed: (reason: Reason) => void
  readonly closedBy: Readonly<Partial<Record<Reason, number>>>
  hits: number
  misses: number
  connections: number
}

/** The router's `:symbol` as `{symbol}`, which is how the API definition writes it. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

/** Registers the series in the registry of `context`. */
export const makeCounts = (
  context: Context.Context<never>,
  routes: Routes,
  cache: { readonly bytes: number; readonly size: number }
): Counts & { readonly end: () => void } => {
  const registrations: Array<Metric.Registration> = []

  const counter = (
    id: string,
    description: string,
    attributes: Metric.Metric.AttributeSet,
    read: () => number
  ) =>
    registrations.push(
      Metric.registerUnsafe(Metric.counter(id, { description, attributes, incremental: true }), context, {
        ...unwritten,
        get: () => ({ count: read(), incremental: true })
      })
    )
  const gauge = (id: string, description: string, read: () => number) =>
    registrations.push(
      Metric.registerUnsafe(Metric.gauge(id, { description }), context, {
        ...unwritten,
        get: () => ({ value: read() })
      })
    )

  const newTiming = (labels: Meter["labels"]): Timing => {
    const timing: Timing = { buckets: Array(bounds.length + 1).fill(0), seconds: 0 }
    const histogram = Metric.histogram("plumbline_http_request_seconds", {
      description: "Time until a response was sent, or its stream had ended",
      attributes: labels,
      boundaries: bounds
    })
    registrations.push(
      Metric.registerUnsafe(histogram, context, { ...unwritten, get: () => histogramOf(timing) })
    )
    return timing
  }

  const newStatus = (meter: Meter, status: number) => {
    const tally = { count: 0 }
    meter.byStatus.set(status, tally)
    counter(
      "plumbline_http_requests_total",
      "Requests by method, route and status",
      { ...meter.labels, status: String(status) },
      () => tally.count
    )
    return tally
  }

  const meters = new Map<string, Meter>()
  const meterOf = (method: string, route: string): Meter => {
    const name = `${method} ${route}`
    const existing = meters.get(name)
    if (existing !== undefined) return existing
    const labels = { method, route }
    const timing = method === "HEAD" ? meterOf("GET", route).timing : newTiming(labels)
    const meter: Meter = { byStatus: new Map(), labels, timing }
    meters.set(name, meter)
    return meter
  }
  const refusedBy = new Map<string, { count: number }>()
  const closedBy: Partial<Record<Reason, number>> = {}
  const counts: Counts = {
    closedBy,
    closed: (reason) => {
      const before = closedBy[reason]
      closedBy[reason] = (before ?? 0) + 1
      if (before !== undefined) return
      counter(
        "plumbline_http_turned_away_total",
        "Connections closed and calls refused because there are too many connections, by reason",
        { reason },
        () => closedBy[reason] ?? 0
      )
    },
    hits: 0,
    misses: 0,
    connections: 0,
    refusals: meterOf("any", "refused"),
    meterOf: (method, url) => {
      // Its routes are those of the test service, which counts them.
      if (isOfTestMode(url)) return meterOf("any", testPath)
      const routed = method === "HEAD" ? "GET" : method
      const route = routes.at(url).find((one) => one.method === routed)
      return route === undefined ? meterOf("any", "none") : meterOf(method, templateOf(route.path))
    },
    answered: (meter, status, millis) => {
      const seconds = millis / 1000
      const tally = meter.byStatus.get(status) ?? newStatus(meter, status)
      tally.count += 1
      const { timing } = meter
      timing.seconds += seconds
      let at = 0
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++
      timing.buckets[at] = (timing.buckets[at] ?? 0) + 1
    },
    refused: (error) => {
      const existing = refusedBy.get(error)
      if (existing !== undefined) {
        existing.count += 1
        return
      }
      const tally = { count: 1 }
      refusedBy.set(error, tally)
      counter(
        "plumbline_http_refusals_total",
        "Requests refused before anything was read, by the error of the problem",
        { error },
        () => tally.count
      )
    }
  }
  counter("plumbline_http_cache_hits_total", "Responses sent from the cache", {}, () => counts.hits)
  counter(
    "plumbline_http_cache_misses_total",
    "Responses that can be cached and had to be made",
    {},
    () => counts.misses
  )
  gauge("plumbline_http_cache_bytes", "Size of the cache of responses", () => cache.bytes)
  gauge("plumbline_http_cache_entries", "Responses in the cache", () => cache.size)
  gauge("plumbline_http_connections", "Open connections", () => counts.connections)
  return Object.assign(counts, {
    end: () => {
      for (const registration of registrations) registration.remove()
    }
  })
}

/** The series are only read. */
const unwritten = { update: () => {}, modify: () => {} }

const histogramOf = ({ buckets, seconds }: Timing): Metric.HistogramState => {
  let count = 0
  const cumulative = bounds.map((bound, at): [number, number] => {
    count += buckets[at] ?? 0
    return [bound, count]
  })
  return {
    buckets: cumulative,
    count: count + (buckets[bounds.length] ?? 0),
    sum: seconds,
    min: 0,
    max: bounds[bounds.length - 1] ?? 0
  }
}

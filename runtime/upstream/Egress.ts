/**
 * The outgoing side that all plugins of a process share: sockets, the pace and breaker of each host, and earlier answers.
 * `live.ts` builds each plugin's own `Upstream` on top of it.
 */
import type { Socket } from "node:net"
import { Context, Duration, Effect, Layer, Schedule, Semaphore } from "effect"
import { CircuitBreaker, RateLimiter } from "effect/persistence"
import { Agent, buildConnector } from "undici"
import { type Limit, limitsOf, windowOf } from "../../core/catalog/Hosts.ts"
import { minute } from "../../core/plugin/time.ts"
import packageJson from "../../package.json" with { type: "json" }
import { guard, type Resolve, systemResolve } from "./address.ts"
import { defaults, type UpstreamLimits } from "./limits.ts"
import type { UpstreamMap } from "./map.ts"
import * as Earlier from "./responseCache.ts"
import { TransportError } from "./TransportError.ts"

export interface Options {
  readonly limits?: Partial<UpstreamLimits>
  readonly map?: UpstreamMap
  /** A URL in the `User-Agent` where upstreams can find out who is calling. */
  readonly contact?: string
  readonly resolve?: Resolve
  /** The limits of a host. Default: those in the catalog. */
  readonly allowed?: (host: string) => ReadonlyArray<Limit>
}

/** How to connect: `mapped` to a stand-in directly, `guarded` to anything else, behind the address check. */
export type Route = "guarded" | "mapped"

/** Opens the connections of an agent. */
export type Connector = buildConnector.connector

export class Egress extends Context.Service<
  Egress,
  {
    readonly limits: UpstreamLimits
    readonly map: UpstreamMap
    readonly userAgent: string
    readonly agent: (route: Route) => Agent
    /** An agent of its own, whose connections `connect` makes of those behind the address check; the caller must destroy it. */
    readonly agentBy: (connect: (guarded: Connector) => Connector, keepsAlive: boolean) => Agent
    /** An agent for one WebSocket; the caller must destroy it. */
    readonly webSocketAgent: (route: Route, onSocket: (socket: Socket | Error) => void) => Agent
    /** Runs one request at the pace of its host, which `via`, the name of another address than ours, has for itself. */
    readonly paced: <A, R>(
      host: string,
      request: Effect.Effect<A, TransportError, R>,
      via?: string
    ) => Effect.Effect<A, TransportError, R>
    /** Runs one exchange with its retries, unless the breaker of its host is open. */
    readonly guarded: <A extends { readonly status: number }, R>(
      host: string,
      exchange: Effect.Effect<A, TransportError, R>
    ) => Effect.Effect<A, TransportError, R>
    readonly earlier: Earlier.Earlier
  }
>()("runtime/upstream/Egress") {
  static readonly layer = (options: Options = {}): Layer.Layer<Egress> =>
    Layer.effect(Egress, make(options)).pipe(
      Layer.provide([
        RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory)),
        CircuitBreaker.layerStoreMemory()
      ])
    )
}

const make = Effect.fnUntraced(function* (options: Options) {
  const limits = { ...defaults, ...options.limits }
  const limiter = yield* RateLimiter.RateLimiter
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(limits.failures),
    openDuration: Schedule.min([Schedule.exponential(limits.open), Schedule.spaced(limits.longestOpen)])
  })
  const agentOptions = (route: Route): Agent.Options => ({
    allowH2: false,
    maxHeaderSize: limits.headerBytes,
    // The whole request has a time limit; undici's own limits would only use the real clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: limits.perHost,
    webSocket: { maxPayloadSize: limits.window.bytes },
    connect: route === "mapped" ? {} : { lookup: guard(options.resolve ?? systemResolve) }
  })
  const agents = yield* Effect.acquireRelease(
    Effect.sync(() => ({
      guarded: new Agent(agentOptions("guarded")),
      mapped: new Agent(agentOptions("mapped"))
    })),
    // biome-ignore lint/plugin/promise: closes connections, which does not reject
    ({ guarded, mapped }) => Effect.promise(() => Promise.all([guarded.destroy(), mapped.destroy()]))
  )
  // One entry per host in a manifest; upstreams cannot add any.
  const slots = new Map<string, Semaphore.Semaphore>()
  const slotsOf = (host: string) => {
    const slot = slots.get(host) ?? Semaphore.makeUnsafe(limits.perHost)
    slots.set(host, slot)
    return slot
  }
  const allowed = options.allowed ?? ((host: string) => limitsOf(host).limits)
  const own: Bucket = { limit: limits.perSecond, window: 1000 }
  const pace = (host: string, via = "") =>
    Effect.forEach(
      [own, ...allowed(host).flatMap(bucketOf)],
      (bucket, n) =>
        RateLimiter.sleep(limiter, { key: `${n} ${host} ${via}`, algorithm: "token-bucket", ...bucket }),
      { discard: true }
    ).pipe(Effect.orDie)
  return Egress.of({
    limits,
    map: options.map ?? new Map(),
    userAgent: `plumbline/${packageJson.version}${options.contact === undefined ? "" : ` (+${options.contact})`}`,
    agent: (route) => agents[route],
    agentBy: (connect, keepsAlive) =>
      new Agent({
        ...agentOptions("guarded"),
        // undici closes a connection after each request then.
        ...(keepsAlive ? {} : { pipelining: 0 }),
        connect: connect(buildConnector({ ...agentOptions("guarded").connect, allowH2: false }))
      }),
    webSocketAgent: (route, onSocket) => {
      const connect = buildConnector({ ...agentOptions(route).connect, allowH2: false })
      return new Agent({
        ...agentOptions(route),
        connect: (to, callback) =>
          connect(to, (...result) => {
            onSocket(result[0] ?? result[1])
            callback(...result)
          })
      })
    },
    paced: (host, request, via) => slotsOf(host).withPermits(1)(Effect.andThen(pace(host, via), request)),
    guarded: (host, exchange) =>
      breaker
        .execute(exchange, {
          key: host,
          classify: (exit) => {
            if (exit._tag === "Success") {
              return exit.value.status >= 500 ? CircuitBreaker.failure() : CircuitBreaker.success
            }
            const isRefused = exit.cause.reasons.some(
              (reason) => reason._tag === "Fail" && reason.error.kind === "refused"
            )
            return isRefused ? CircuitBreaker.ignored : CircuitBreaker.failure()
          }
        })
        .pipe(
          // While one request tries the host again, the others wait for its result instead of failing.
          Effect.retry({ while: isBeingTried, schedule: Schedule.spaced("200 millis"), times: 150 }),
          Effect.catchTag("CircuitBreakerError", ({ reason }) =>
            Effect.fail(new TransportError({ kind: "refused", detail: circuitOpenMessage(host, reason) }))
          )
        ),
    earlier: Earlier.memory(limits.earlierBytes)
  })
})

/** At most `limit` at once, refilled within `window` milliseconds. */
interface Bucket {
  readonly limit: number
  readonly window: number
}

/** Limits over a longer time are kept by the manifests' cadences, which a test adds up: no run waits an hour. */
const longestPaced = minute

/**
 * A bucket that never exceeds the limit in any window: it allows a burst of half the limit and spreads the other half over
 * the window.
 */
const bucketOf = (limit: Limit): ReadonlyArray<Bucket> => {
  const window = windowOf(limit)
  if (window > longestPaced) return []
  const burst = Math.max(1, Math.floor(limit.calls / 2))
  const rest = limit.calls - burst
  return [{ limit: burst, window: rest === 0 ? window : (window * burst) / rest }]
}

const isBeingTried = (error: TransportError | CircuitBreaker.CircuitBreakerError): boolean =>
  error._tag === "CircuitBreakerError" && error.reason._tag === "CircuitHalfOpen"

const circuitOpenMessage = (host: string, reason: CircuitBreaker.CircuitBreakerErrorReason): string =>
  "retryAfter" in reason
    ? `${host} failed too often; no requests for ${Math.ceil(Duration.toSeconds(reason.retryAfter))} s`
    : `${host} failed too often; another request is testing it`

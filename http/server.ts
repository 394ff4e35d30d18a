/** The HTTP interface as one layer: routes, middleware, byte cache and the Node server. `runtime` provides its services. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as DataClock from "../core/clock/DataClock.ts"
import { Callers } from "../core/credits/Callers.ts"
import type { ServedHead } from "../core/log/heads.ts"
import { Log } from "../core/log/Log.ts"
import { guarded } from "../core/process/guarded.ts"
import { inBackground } from "../core/process/loop.ts"
import { ProcessState } from "../core/process/ProcessState.ts"
import { fromHex } from "../core/proof/bytes.ts"
import { logHeadText } from "../core/proof/logHead.ts"
import type { Feeds } from "../core/readings/Feeds.ts"
import { showable } from "../core/readings/read/rights.ts"
import { stampingClock } from "../core/readings/TrustedClock.ts"
import { makeBodies } from "./admission/bodies.ts"
import { type Bounds, makeConnections } from "./admission/Connections.ts"
import { makeQueue, QueueBounds } from "./admission/queue.ts"
import { Api } from "./api/Api.ts"
import { commonHeaders } from "./delivery/answer.ts"
import { ByteCache } from "./delivery/ByteCache.ts"
import { makeEncode } from "./delivery/coding.ts"
import type { DeliveryContext } from "./delivery/DeliveryContext.ts"
import { makeDeliver } from "./delivery/deliver.ts"
import { LogFiles } from "./delivery/LogFiles.ts"
import { makeResponse } from "./delivery/makeResponse.ts"
import { type ConnectionError, refuseConnection, refuseUnreadable } from "./delivery/malformed.ts"
import { RateLimits } from "./delivery/RateLimits.ts"
import { makeRefusals } from "./delivery/refusals.ts"
import { Spool } from "./delivery/Spool.ts"
import { makeSingleFlight } from "./delivery/singleFlight.ts"
import * as TableFiles from "./delivery/tableFiles.ts"
import { makeHandOver } from "./delivery/testService.ts"
import { Assets } from "./explorer/assets/Assets.ts"
import { Painter } from "./explorer/charts/Painter.ts"
import * as ExplorerHandlers from "./explorer/handlers.ts"
import { Excerpts } from "./explorer/pages/excerpt.ts"
import { makeProblemPage } from "./explorer/pages/problem.ts"
import { Site } from "./explorer/Site.ts"
import { TableReader } from "./explorer/TableReader.ts"
import { authorityOf, basePathOf, HttpSettings } from "./HttpSettings.ts"
import * as AlertsHandlers from "./handlers/alerts.ts"
import * as ArchiveHandlers from "./handlers/archive.ts"
import * as BriefHandlers from "./handlers/brief.ts"
import * as BuyHandlers from "./handlers/buy.ts"
import * as CatalogsHandlers from "./handlers/catalogs.ts"
import * as CreditsHandlers from "./handlers/credits.ts"
import * as DerivationHandlers from "./handlers/derivation.ts"
import * as EventsHandlers from "./handlers/events.ts"
import * as ExportHandlers from "./handlers/export.ts"
import * as GatedHandlers from "./handlers/gated.ts"
import * as IcebergCatalog from "./handlers/icebergCatalog.ts"
import * as KeylessHandlers from "./handlers/keyless.ts"
import * as LogHandlers from "./handlers/log.ts"
import * as ManifoldHandlers from "./handlers/manifold.ts"
import * as MeasuresHandlers from "./handlers/measures.ts"
import * as MetaHandlers from "./handlers/meta.ts"
import * as PaidReadsHandlers from "./handlers/paidReads.ts"
import * as WebhooksHandlers from "./handlers/webhooks.ts"
import * as X402Handlers from "./handlers/x402.ts"
import { type Counts, makeCounts } from "./metrics/Counts.ts"
import { makeMetricsPage } from "./metrics/page.ts"
import * as Account from "./middleware/account.ts"
import * as Contract from "./middleware/contract.ts"
import * as Paid from "./middleware/paid.ts"
import { Documents } from "./pages/docs/Documents.ts"
import { Till } from "./payments/Till.ts"
import { JoinReader } from "./request/JoinReader.ts"
import { networkOfRequest } from "./request/origin.ts"
import { ExtraRoutes } from "./routing/ExtraRoutes.ts"
import { makeRoutes, routerConfig } from "./routing/routes.ts"
import { Signer } from "./signing/Signer.ts"
import { makeSign } from "./signing/sign.ts"
import { Streams } from "./stream/Streams.ts"

/** Each family is one line here, one file in `handlers/` and one in `api/`. */
const handlers = Layer.mergeAll(
  KeylessHandlers.layer,
  MeasuresHandlers.layer,
  EventsHandlers.layer,
  WebhooksHandlers.layer,
  AlertsHandlers.layer,
  CreditsHandlers.layer,
  BuyHandlers.layer,
  GatedHandlers.layer,
  ExportHandlers.layer,
  X402Handlers.layer,
  PaidReadsHandlers.layer,
  LogHandlers.layer,
  ArchiveHandlers.layer,
  DerivationHandlers.layer,
  BriefHandlers.layer,
  ManifoldHandlers.layer,
  MetaHandlers.layer
)

const app = Layer.merge(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
  HttpApiBuilder.layer(Site).pipe(Layer.provide([ExplorerHandlers.layer, CatalogsHandlers.layer]))
).pipe(
  Layer.provide(
    Layer.mergeAll(Contract.layer(makeRoutes(Api, [], Site)), Account.layer, Paid.layer, LogFiles.layer)
  ),
  Layer.provide(Till.layer)
)

/** Each takes a second at most. */
const longBounds = { slots: 1, mostWaitingOfNetwork: 4 }

/** Bodies at a time: bytes that they may have together, to accounts and to all else each, and how many of one network. */
const bodyBounds = { bytes: 256 * 1024 * 1024, ofNetwork: 20 }

/** The most bytes to cache, for responses and for compressed bodies each. */
export const CacheBytes = Context.Reference<number>("http/CacheBytes", {
  defaultValue: () => 64 * 1024 * 1024
})

/**
 * The most connections at a time, in all and of one network (an IPv4 address, or the /64 around an IPv6 one). Asked for each
 * connection: an operator may change them.
 */
export const ConnectionBounds = Context.Reference<() => Pick<Bounds, "most" | "mostOfNetwork">>(
  "http/ConnectionBounds",
  { defaultValue: () => () => ({ most: 1000, mostOfNetwork: 1000 }) }
)

export class CanNotListen extends Schema.TaggedError<CanNotListen>()("CanNotListen", {
  message: Schema.String
}) {}

/** The running server and its address. */
export class Http extends Context.Service<Http, { readonly host: string; readonly port: number }>()(
  "http/Http"
) {
  /** Listens on an address; port 0 picks a free port. On close, it accepts no more calls and finishes those in progress. */
  static readonly layer = (address: { readonly host: string; readonly port: number }) =>
    Layer.effect(
      Http,
      Effect.flatMap(stampingClock, (clock) => Effect.provideService(listen(address), Clock.Clock, clock))
    ).pipe(
      Layer.provide(Documents.layer),
      Layer.provide(Layer.mergeAll(Assets.layer, Excerpts.layer, TableFiles.layer, Streams.layer)),
      Layer.provide(Layer.mergeAll(Painter.layer, Spool.layer, TableReader.layer, JoinReader.layer)),
      Layer.provide(NodeHttpServer.layerHttpServices)
    )
}

/** The served head, as the header of answers says it. */
const headText = ({ note, root, size }: ServedHead): string | undefined =>
  note === null ? undefined : logHeadText({ root: fromHex(root, 32), size })

/** Wall clock in epoch milliseconds, as a plain function for synchronous code. */
const wallClock: Effect.Effect<() => number> = Effect.map(
  Clock.clockWith((clock) => Effect.succeed(clock)),
  (clock) => () => clock.currentTimeMillisUnsafe()
)

const listen = Effect.fnUntraced(function* (address: { readonly host: string; readonly port: number }) {
  const scope = yield* Effect.scope
  const settings = yield* HttpSettings
  const signer = yield* Signer
  const log = yield* Log
  const limits = yield* RateLimits
  const extraRoutes = [...(yield* ExtraRoutes), ...(yield* IcebergCatalog.routes)]
  const now = yield* wallClock
  const cacheBytes = yield* CacheBytes
  const { perRequest } = yield* Callers
  const routes = makeRoutes(Api, extraRoutes, Site)
  const assets = yield* Assets
  const problemPage = makeProblemPage({ settings, assets })
  const context = yield* Effect.context<never>()
  const cache = new ByteCache(cacheBytes)
  const counts = makeCounts(context, routes, cache)
  yield* Effect.addFinalizer(() => Effect.sync(counts.end))
  const delivery: DeliveryContext = {
    settings,
    showable: Effect.provideContext(showable, yield* Effect.context<Feeds>()),
    common: commonHeaders(settings),
    routes,
    limits,
    refusals: makeRefusals(settings, routes, problemPage, perRequest),
    problemPage,
    cache,
    counts,
    singleFlight: makeSingleFlight(),
    queue: makeQueue(yield* QueueBounds),
    longQueue: makeQueue(longBounds),
    bodies: makeBodies(bodyBounds),
    now,
    dataOffset: yield* DataClock.offset,
    sign: makeSign({
      key: signer.key,
      authority: authorityOf(settings.baseUrl),
      basePath: basePathOf(settings.baseUrl),
      keyAddress: `${settings.baseUrl}/.well-known/service-signing-key.json`,
      logHead: () => headText(Effect.runSync(log.served)),
      now
    }),
    encode: makeEncode(cacheBytes)
  }
  const others = HttpRouter.addAll(
    extraRoutes.map(({ handler, method, path }) => HttpRouter.route(method, path, Effect.orDie(handler)))
  )
  const routed = yield* HttpRouter.toHttpEffect(Layer.merge(app, others)).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routerConfig)
  )
  const start = yield* NodeHttpServer.makeHandler(makeResponse(routed, delivery), { scope })
  const bounds = yield* ConnectionBounds
  const connections = makeConnections(
    bounds,
    settings.trustProxy === 0 ? undefined : (request) => networkOfRequest(request, settings.trustProxy),
    (socket) => refuseConnection(settings, socket),
    counts.closed,
    limits.knows
  )
  const { testMode } = settings
  const test =
    testMode.keys === "live" && testMode.service !== undefined
      ? makeHandOver(testMode.service, settings)
      : undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => test?.end()))
  const deliver = makeDeliver(
    delivery,
    start,
    makeMetricsPage(settings, context),
    connections,
    test?.handOver
  )
  const server = createServer({
    // A slow client holds only a connection, and not for long.
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    // How often Node checks these timeouts.
    connectionsCheckingInterval: 1000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 32 * 1024,
    // `deliver` rejects these with a problem; Node's own rejection has no body.
    requireHostHeader: false
  })
  // A client that reads nothing for this long is disconnected.
  server.setTimeout(300_000)
  server.on(
    "connection",
    guarded(
      "a connection",
      (socket: Socket) => {
        counts.connections += 1
        socket.once(
          "close",
          guarded("a closed connection", () => {
            counts.connections -= 1
          })
        )
        connections.connected(socket)
      },
      (socket) => socket.destroy()
    )
  )
  const { isStopping } = yield* ProcessState
  const answer = guarded(
    "a request",
    (request: IncomingMessage, response: ServerResponse) => {
      // The client then connects to another process before this one stops to listen.
      if (isStopping()) response.shouldKeepAlive = false
      deliver(request, response)
    },
    (_, response) => response.destroy()
  )
  // biome-ignore-start lint/plugin/callback: it is guarded
  server.on("request", answer)
  server.on("checkExpectation", answer)
  // biome-ignore-end lint/plugin/callback: it is guarded
  server.on(
    "clientError",
    guarded(
      "an unreadable request",
      (error: ConnectionError, socket: Duplex) =>
        refuseUnreadable(settings, counts, error, socket, connections.isAnswering(socket)),
      (_, socket) => socket.destroy()
    )
  )
  const { stop } = yield* Streams
  const opened = yield* open(server, address)
  yield* tellOfRefused(counts, bounds)
  // Without descriptors the system refuses connections, and the listener goes on.
  server.on(
    "error",
    guarded("the listener", (error: Error) => {
      connections.starved()
      throw error
    })
  )
  // Before the listener waits for its connections to end.
  yield* Effect.addFinalizer(() => stop)
  return opened
})

/** Says in the log, once in a while, that connections were closed or calls refused for want of room. */
const tellOfRefused = (counts: Counts, bounds: () => Pick<Bounds, "most">) => {
  let before = 0
  return inBackground(
    "looking after connections",
    "10 seconds",
    Effect.suspend(() => {
      const { full = 0, network = 0, silent = 0 } = counts.closedBy
      const now = full + network + silent
      const more = now - before
      before = now
      return more === 0
        ? Effect.void
        : Effect.logWarning("clients were turned away, because there are too many connections", {
            turned_away: more,
            open: counts.connections,
            most: bounds().most
          })
    })
    // Connections are of this moment, whatever clock the service runs by.
  ).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
}

/** How long calls in progress may take once the service stops. */
const graceMillis = 5000

/** Why the server cannot listen on the address, and which setting to change. */
const unboundWords = (
  { host, port }: { readonly host: string; readonly port: number },
  error: Error & { readonly code?: string }
): string => {
  switch (error.code) {
    case "EADDRINUSE":
      return `PORT: ${port} on ${host} is in use; stop what listens there, or set PORT to another`
    case "EACCES":
      return `PORT: this user may not listen on ${port}; set PORT to 1024 or more`
    case "EADDRNOTAVAIL":
      return `HOST: ${host} is not an address of this machine; set HOST to one of its addresses, or to 0.0.0.0 for all`
    default:
      return `HOST, PORT: cannot listen on ${host} port ${port}: ${error.message}`
  }
}

const open = (server: Server, address: { readonly host: string; readonly port: number }) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly host: string; readonly port: number }, CanNotListen>((resume) => {
      const fail = guarded("the listener", (error: Error) =>
        resume(Effect.fail(new CanNotListen({ message: unboundWords(address, error) })))
      )
      // biome-ignore lint/plugin/callback: it is guarded
      server.once("error", fail)
      server.listen(address.port, address.host, () => {
        server.off("error", fail)
        const bound = server.address()
        const port = typeof bound === "object" && bound !== null ? bound.port : address.port
        resume(Effect.succeed({ host: address.host, port }))
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        const last = setTimeout(
          guarded("the end of the listener", () => server.closeAllConnections()),
          graceMillis
        )
        server.close(() => {
          clearTimeout(last)
          resume(Effect.void)
        })
        server.closeIdleConnections()
      })
  )

/** Fails as the listener would, if the address cannot be listened on now. */
export const mayListen = (address: { readonly host: string; readonly port: number }) =>
  Effect.scoped(Effect.asVoid(Effect.suspend(() => open(createServer(), address))))

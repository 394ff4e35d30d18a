/** What callers see: HTTP, MCP and metrics. */
import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { QueueBounds } from "../../http/admission/queue.ts"
import { HttpSettings } from "../../http/HttpSettings.ts"
import { Operator } from "../../http/Operator.ts"
import { ConnectionBounds, Http } from "../../http/server.ts"
import { roomForConnections } from "../cli/descriptors.ts"
import type * as Database from "../database/Database.ts"
import * as MetricsPort from "../metrics/port.ts"
import * as ProcessMetrics from "../metrics/process.ts"
import { liveOf, Settings } from "../settings/Settings.ts"
import * as Mcp from "./mcp.ts"
import { Readiness } from "./Readiness.ts"
import { vouching } from "./vouching.ts"

const httpSettings = (mode: Database.Mode) =>
  Layer.effect(
    HttpSettings,
    Effect.gen(function* () {
      const settings = yield* Settings
      return HttpSettings.of({
        baseUrl: settings.base,
        mode,
        testMode: settings.testMode,
        trustProxy: settings.trustProxy,
        metrics: Option.isNone(settings.metricsPort),
        spoolFolder: join(settings.dataDir, "spool"),
        filesFolder: join(settings.dataDir, "files")
      })
    })
  )

const operator = Layer.effect(
  Operator,
  Effect.map(Settings, ({ operator }) => operator)
)

/** As many connections as the operator set, or as there is room for. */
export const connectionBounds = Layer.effect(
  ConnectionBounds,
  Effect.gen(function* () {
    const settings = yield* Settings
    return () => {
      const { mostConnections, mostConnectionsOfNetwork } = liveOf(settings)
      return {
        most: Option.getOrElse(mostConnections, roomForConnections),
        mostOfNetwork: mostConnectionsOfNetwork
      }
    }
  })
)

/** The queue's default bounds, with as many slots as the operator set. */
export const queueBounds = Layer.effect(
  QueueBounds,
  Effect.gen(function* () {
    const { answerSlots } = yield* Settings
    return { ...(yield* QueueBounds), slots: answerSlots }
  })
)

const http = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    yield* (yield* Readiness).newest
    return Http.layer({ host: settings.host, port: settings.port })
  })
)

/** Everything that listens. */
export const faces = (mode: Database.Mode) =>
  Layer.mergeAll(http, MetricsPort.layer, ProcessMetrics.layer).pipe(
    Layer.provide(Mcp.layer),
    Layer.provideMerge(
      Layer.mergeAll(httpSettings(mode), operator, vouching(mode), connectionBounds, queueBounds)
    )
  )

/** Several operators of Plumbline who read one upstream: whole services, each with a database, a log and a key of its own. */
import { assert } from "@effect/vitest"
import { type Context, Effect, Layer } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { type Log, LogKey } from "../../core/log/Log.ts"
import { AgreementLog } from "../../core/log/observers/AgreementLog.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { parseVkey, vkey } from "../../core/proof/checkpoint.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Outside from "../../runtime/outside/observers.ts"
import { postgres } from "./database.ts"
import * as Runs from "./runs.ts"
import { type Handler, startScriptedServer } from "./scriptedServer.ts"
import { Service } from "./service.ts"

export const manifests: ReadonlyArray<Manifest> = [
  {
    ...Runs.manifest,
    covers: { networks: ["FIL", "STORJ"] },
    metrics: {
      nodes_online: { unit: "count", min: 0, meaning: "Nodes that answer.", role: "headline" },
      storage_bytes: { unit: "bytes", min: 0, meaning: "Bytes stored.", role: "capacity" }
    }
  }
]

/** What the upstream tells an operator of a metric; undefined: it does not answer. */
export type Word = (operator: string, metric: string, day: string) => number | undefined

/** A stand-in for the upstream of all of them: it may lie to one. */
export const startUpstream = Effect.map(startScriptedServer, (server) => ({
  say: (word: Word) => {
    server.handle = (request, response) => {
      const { searchParams } = new URL(request.url ?? "/", "http://upstream.test")
      const value = word(...wordsOf(searchParams))
      if (value === undefined) response.writeHead(503).end()
      else response.end(String(value))
    }
  },
  url: server.url
}))

const wordsOf = (params: URLSearchParams) =>
  [params.get("operator") ?? "", params.get("metric") ?? "", params.get("day") ?? ""] as const

/** The program of an operator. */
export type Operator = Context.Context<Service | Ingest | DailyClose | LogKey | Log | SqlClient.SqlClient>

/** One more service on a port of its own, whose log has this name. */
export const startOperator = (origin: string) =>
  Effect.map(
    Layer.build(Layer.fresh(Service.layer({ database: postgres, manifests, origin }))),
    (context): Operator => context
  )

/** What the operator's key is called in `OBSERVERS`, and where its service is. */
export const named = Effect.gen(function* () {
  const { keys, origin } = yield* LogKey
  const key = keys().find(({ purpose }) => purpose === "log")
  assert(key !== undefined)
  const { port } = yield* Service
  return { key: parseVkey(vkey(origin, key.publicKey)), url: `http://127.0.0.1:${port}` }
})

/** Reads the upstream as the operator `name`, in the evening of the day, and stores what it says. */
export const collect = Effect.fnUntraced(function* (upstream: string, name: string, day: string) {
  const { write } = yield* Ingest
  const at = Date.parse(`${day}T20:00:00Z`)
  const rows = yield* Effect.forEach(["nodes_online", "storage_bytes"], (metric) =>
    Effect.promise(async () => {
      const answer = await fetch(`${upstream}?operator=${name}&metric=${metric}&day=${day}`)
      if (answer.status !== 200) return []
      const unit = metric === "nodes_online" ? ("count" as const) : ("bytes" as const)
      return [Runs.row(Number(await answer.text()), isoTime(at), { metric, unit })]
    })
  )
  yield* TestClock.setTime(at)
  yield* write(Runs.delivery(at, rows.flat()))
})

/** Closes what is due at this time. */
export const closeAt = (time: string) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse(time))
    return yield* (yield* DailyClose).run
  })

/** A server between an operator and whoever reads it: it hands on, or does what `lie` does. */
export const startMiddle = Effect.fnUntraced(function* (target: string) {
  const server = yield* startScriptedServer
  const handOn: Handler = (request, response) => {
    fetch(target + (request.url ?? "/")).then(
      async (answer) => response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
      () => response.destroy()
    )
  }
  server.handle = handOn
  return {
    url: server.url,
    /** Answers these paths with other bytes; undefined as bytes: 404. */
    lie: (change: (path: string, body: Buffer) => Buffer | undefined) => {
      server.handle = (request, response) => {
        fetch(target + (request.url ?? "/")).then(
          async (answer) => {
            const body = change(request.url ?? "/", Buffer.from(await answer.arrayBuffer()))
            if (body === undefined) response.writeHead(404).end()
            else response.writeHead(answer.status).end(body)
          },
          () => response.destroy()
        )
      }
    },
    /** Answers nothing any more. */
    die: () => {
      server.handle = (_, response) => void response.destroy()
    },
    behave: () => {
      server.handle = handOn
    }
  }
})

/** The comparison with these observers. */
export const agreement = (observers: Parameters<typeof Outside.layer>[0]) =>
  Effect.flatMap(AgreementLog, ({ run }) => run).pipe(
    Effect.provide(Layer.fresh(AgreementLog.layer.pipe(Layer.provide(Outside.layer(observers)))))
  )

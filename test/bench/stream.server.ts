/**
 * A service for streams, without limits: prints its port. For each message it adds an event, and answers with the memory
 * that the process has resident after a full collection of garbage (`--expose-gc`).
 */
import { Context, Effect, Layer, Queue } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LimitSettings } from "../../core/credits/Limits.ts"
import { EventFeed } from "../../core/events/EventFeed.ts"
import { Http } from "../../http/server.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { bareService } from "../support/bareService.ts"

const database = Layer.effectDiscard(migrate).pipe(Layer.provideMerge(Pglite.layer({})))

const service = EventFeed.layer.pipe(
  Layer.provideMerge(bareService(database)),
  Layer.provide(Layer.succeed(LimitSettings, { perMinute: null, perDay: null }))
)

/** An event as large as one of a network with a few metrics. */
const body = (id: number) => JSON.stringify({ id, padding: "x".repeat(1500) })

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const built = yield* Layer.build(service)
      const feed = Context.get(built, EventFeed)
      const sql = Context.get(built, SqlClient.SqlClient)
      const requests = yield* Queue.unbounded<void>()
      process.on("message", () => Queue.offerUnsafe(requests, undefined))
      process.send?.({ port: Context.get(built, Http).port })
      let id = 0
      const add = Effect.gen(function* () {
        yield* Queue.take(requests)
        id++
        globalThis.gc?.()
        process.send?.({ resident: process.memoryUsage.rss() / 2 ** 20 })
        yield* sql`insert into event (id, kind, symbol, at, body) values (${id}, 'values', 'FIL', now(), ${body(id)})`
        yield* feed.pull
      })
      return yield* Effect.forever(add)
    })
  )
)

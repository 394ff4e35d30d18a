/** Follows the other processes on a Postgres database: by its notifications, and by a full look now and then. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Layer, Option, Queue } from "effect"
import { inBackground } from "../../core/process/loop.ts"
import { Changes, channel } from "../../core/readings/Changes.ts"
import { Follower } from "../../core/readings/Follower.ts"
import * as Postgres from "../database/Postgres.ts"
import { Settings } from "../settings/Settings.ts"

/** How long a look may take whether everything is applied; others' work may be before it. */
const patience = "15 seconds"

/** A connection that only listens. The process looks by others, so that one that is lost is missed. */
const listener = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  if (config.url === undefined) return yield* Effect.die("a database without an address")
  return yield* PgConnection.make({
    ...Postgres.connection(config.url, Postgres.brisk),
    applicationName: "plumbline listens"
  })
})

/**
 * Listens on a connection of its own until that is lost or proves to be deaf, and applies what it hears. `begun` runs once
 * it listens and has read everything.
 */
export const listening = Effect.fnUntraced(function* (begun: Effect.Effect<void>) {
  const follower = yield* Follower
  const wakeups = yield* Queue.sliding<void>(1)
  yield* follower.begin
  const notices = yield* (yield* listener).listen(channel)
  yield* (yield* Changes).followed
  // What was written before it listened.
  yield* follower.reload
  yield* Effect.logInfo("following other processes on this database")
  yield* begun
  const hearing = Queue.take(notices).pipe(
    Effect.flatMap(({ payload }) => follower.hear(payload)),
    Effect.andThen(Queue.offer(wakeups, undefined))
  )
  const applying = Effect.andThen(Queue.take(wakeups), follower.apply)
  const checking = Effect.andThen(Effect.timeout(follower.check, patience), Effect.sleep("1 second"))
  const reloading = Effect.andThen(Effect.sleep("5 minutes"), follower.reload)
  yield* Effect.all(
    // biome-ignore lint/plugin/loop: ends with the connection, and the loop around it begins anew
    [hearing, applying, checking, reloading].map((work) => Effect.forever(work)),
    { concurrency: "unbounded", discard: true }
  )
}, Effect.scoped)

/** Listens again wherever that ends, until the scope does. */
export const keepListening = Effect.gen(function* () {
  let lost = false
  const regained = Effect.sync(() => {
    lost = false
  })
  const tell = (message: string) =>
    Effect.suspend(() => {
      if (lost) return Effect.void
      lost = true
      return Effect.logError("lost touch with other processes; retrying every second", { cause: message })
    })
  yield* inBackground(
    "following other processes",
    "1 second",
    listening(regained).pipe(Effect.catch((error) => tell(error.message)))
  )
})

/** Nothing on the embedded engine, which no other process opens. */
export const following = Layer.effectDiscard(
  Effect.gen(function* () {
    const { databaseUrl } = yield* Settings
    if (Option.isNone(databaseUrl)) return
    // `Current` and `Log` have just loaded everything.
    yield* (yield* Follower).upToDate
    yield* keepListening
  })
).pipe(Layer.provide(Follower.layer))

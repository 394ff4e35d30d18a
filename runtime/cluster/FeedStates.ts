/** How all feeds fare, wherever they are collected: each owner writes its feeds' states, and every process reads them all. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Context, Effect, Latch, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { inBackground } from "../../core/process/loop.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { FeedState } from "../../core/wire/data/feedState.ts"
import type { RunState } from "../collector/RunState.ts"
import { Claims } from "./Claims.ts"

const stateRows = rowsOf({ state: FeedState, changed_at: Schema.Date })

/** A transaction that is this much older than the newest one seen may still commit. Milliseconds. */
const overlap = 10_000

interface Change {
  readonly epoch: number
  readonly state: FeedState
  readonly standing: RunState
}

export class FeedStates extends Context.Service<
  FeedStates,
  {
    /** Takes the state of a feed that this process owns; it is written soon. One that cannot be loaded is not written. */
    readonly note: (state: FeedState, standing: RunState | undefined) => void
    /** Writes what was noted. */
    readonly flush: Effect.Effect<void, SqlError>
    /** By plugin id, as written: the same in every process that has heard of the change. */
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
  }
>()("runtime/cluster/FeedStates") {
  /** One process on the embedded engine: what its collector says is all there is to know. */
  static readonly layerAlone = Layer.effect(
    FeedStates,
    Effect.map(Versions, ({ changedUnsafe }) =>
      FeedStates.of({
        note: () => changedUnsafe("feeds"),
        flush: Effect.void,
        states: Effect.succeed(new Map())
      })
    )
  ).pipe(Layer.provide(Versions.layer))

  static readonly layer = Layer.effect(
    FeedStates,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { epochOf } = yield* Claims
      const { changedUnsafe } = yield* Versions
      const changes = yield* Changes
      const noted = new Map<string, Change>()
      const any = Latch.makeUnsafe(false)
      const turn = yield* Semaphore.make(1)

      const note = (state: FeedState, standing: RunState | undefined): void => {
        if (standing === undefined) changedUnsafe("feeds")
        const epoch = epochOf(state.plugin)
        if (standing === undefined || epoch === undefined) return
        noted.set(state.plugin, { epoch, state, standing })
        any.openUnsafe()
      }

      const write = ({ epoch, standing, state }: Change) => sql`
        insert into feed_state as s ${sql.insert({
          plugin: state.plugin,
          epoch,
          state: PgTypes.jsonb(state),
          standing: PgTypes.jsonb(standing)
        })}
        on conflict (plugin) do update set epoch = excluded.epoch, state = excluded.state,
          standing = excluded.standing, changed_at = clock_timestamp()
        where s.epoch <= excluded.epoch`

      const states = new Map<string, FeedState>()
      let newest = 0
      const look = Effect.gen(function* () {
        const rows = yield* sql`
          select state, changed_at from feed_state where changed_at > ${new Date(newest - overlap)}
          order by changed_at`.pipe(stateRows)
        for (const { state } of rows) states.set(state.plugin, state)
        newest = rows.at(-1)?.changed_at.getTime() ?? newest
      })

      const flush = Effect.gen(function* () {
        any.closeUnsafe()
        for (const [plugin, change] of [...noted]) {
          yield* sql.withTransaction(
            write(change).pipe(Effect.andThen(look), Effect.andThen(changes.tell("feeds")))
          )
          if (noted.get(plugin) === change) noted.delete(plugin)
        }
      }).pipe(turn.withPermits(1))

      yield* look
      yield* changes.onElsewhere("feeds", look)
      yield* inBackground(
        "writing the states of feeds",
        { afterFailure: "1 second" },
        Effect.andThen(any.await, flush)
      )
      return FeedStates.of({ note, flush, states: Effect.sync(() => new Map(states)) })
    })
  ).pipe(Layer.provide(Changes.layer), Layer.provide(Versions.layer))
}

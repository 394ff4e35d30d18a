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

const WrittenState = Schema.Struct({ state: FeedState, changed_at: Schema.Date })
const stateRows = rowsOf(WrittenState.fields)

/** A transaction that is this much older than the newest one seen may still commit. Milliseconds. */
const overlap = 10_000

interface Change {
  readonly epoch: number
  readonly state: FeedState
  readonly runState: RunState
}

export class FeedStates extends Context.Service<
  FeedStates,
  {
    /** Takes the state of a feed that this process owns; it is written soon. One that cannot be loaded is not written. */
    readonly note: (state: FeedState, runState: RunState | undefined) => void
    /** Writes what was noted. */
    readonly flush: Effect.Effect<void, SqlError>
    /**
     * By plugin id, as written: the same in every process for which the same change of `feeds` counts. One that nobody has
     * written and this process cannot load is added as it has it.
     */
    readonly states: Effect.Effect<ReadonlyMap<string, FeedState>>
  }
>()("runtime/cluster/FeedStates") {
  /** One process on the embedded engine: what its collector says is all there is to know. */
  static readonly layerAlone = Layer.effect(
    FeedStates,
    Effect.map(Versions, ({ changedUnsafe }) => {
      const states = new Map<string, FeedState>()
      return FeedStates.of({
        note: (state) => {
          states.set(state.plugin, state)
          changedUnsafe("feeds")
        },
        flush: Effect.void,
        states: Effect.sync(() => new Map(states))
      })
    })
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

      const unloaded = new Map<string, FeedState>()

      const note = (state: FeedState, runState: RunState | undefined): void => {
        if (runState === undefined) {
          unloaded.set(state.plugin, state)
          changedUnsafe("feeds")
          return
        }
        const epoch = epochOf(state.plugin)
        if (epoch === undefined) return
        noted.set(state.plugin, { epoch, state, runState })
        any.openUnsafe()
      }

      const write = ({ epoch, runState, state }: Change) => sql`
        insert into feed_state as s ${sql.insert({
          plugin: state.plugin,
          epoch,
          state: PgTypes.jsonb(state),
          standing: PgTypes.jsonb(runState)
        })}
        on conflict (plugin) do update set epoch = excluded.epoch, state = excluded.state,
          standing = excluded.standing, changed_at = clock_timestamp()
        where s.epoch <= excluded.epoch`

      const states = new Map<string, typeof WrittenState.Type>()
      let newest = 0
      /** What the database has by now; it is taken over when the change counts, and not before. */
      const look = Effect.gen(function* () {
        const rows = yield* sql`
          select state, changed_at from feed_state where changed_at > ${new Date(newest - overlap)}
          order by changed_at`.pipe(stateRows)
        return Effect.sync(() => {
          for (const row of rows) {
            const before = states.get(row.state.plugin)
            // What this process wrote meanwhile may be newer than what it looked up.
            if (before === undefined || before.changed_at <= row.changed_at) states.set(row.state.plugin, row)
          }
          newest = Math.max(newest, rows.at(-1)?.changed_at.getTime() ?? 0)
        })
      })

      // The record comes before the look: it makes writers wait for each other, so that each sees all that counts before it.
      const publish = (change: Change) =>
        Effect.gen(function* () {
          yield* write(change)
          const changed = yield* changes.record(["feeds"])
          const takeStates = yield* look
          yield* sql.afterCommit(Effect.andThen(takeStates, changes.take(changed)))
        }).pipe(sql.withTransaction, changes.publishing)

      const flush = Effect.gen(function* () {
        any.closeUnsafe()
        for (const [plugin, change] of [...noted]) {
          yield* publish(change)
          if (noted.get(plugin) === change) noted.delete(plugin)
        }
      }).pipe(turn.withPermits(1))

      yield* yield* look
      yield* changes.heldWithVersion("feeds", look)
      yield* inBackground(
        "writing the states of feeds",
        { afterFailure: "1 second" },
        Effect.andThen(any.await, flush)
      )
      return FeedStates.of({
        note,
        flush,
        states: Effect.sync(
          () => new Map([...unloaded, ...[...states].map(([plugin, { state }]) => [plugin, state] as const)])
        )
      })
    })
  ).pipe(Layer.provide(Changes.layer), Layer.provide(Versions.layer))
}

/**
 * Applies to this process what other processes wrote to the database they share: for each notification, what it names, and
 * everything where notifications may have been missed.
 */
import { Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Availability } from "../process/Availability.ts"
import type { Dependency, Named } from "../wire/data/dependency.ts"
import { Changes, isNamed, Notice, type Numbered, nameOf } from "./Changes.ts"
import { Current } from "./read/Current.ts"
import { RecentDays } from "./read/RecentDays.ts"
import { Versions } from "./read/Versions.ts"

/** How often a process listens for itself, milliseconds. */
const markEvery = 5000

/** A process that has not heard its own mark for so long does not hear the others either. Milliseconds. */
const longestDeaf = 30_000

/** Changes that the database had, and this process did not. */
interface Lack {
  readonly changes: ReadonlyArray<Numbered>
  /** When they were looked up; epoch milliseconds. */
  readonly at: number
  /** Sent after that: Postgres delivers in order, so with it all notifications of these changes were heard. */
  readonly mark: number
}

const noticeOf = Schema.decodeUnknownOption(Schema.fromJsonString(Notice))

/** What was heard of and is not applied yet. */
interface PendingChanges {
  readonly names: Set<Named>
  readonly series: Set<number>
  everything: boolean
  /** What answers wait for. */
  readonly announced: Map<string, Dependency>
}

const nothing = (): PendingChanges => ({
  names: new Set(),
  series: new Set(),
  everything: false,
  announced: new Map()
})

export class Follower extends Context.Service<
  Follower,
  {
    /** Takes a notification: from here on, answers wait for what it names. Those that this process sent are passed over. */
    readonly hear: (payload: string) => Effect.Effect<void>
    /** Applies what was heard of; nothing if that is nothing. */
    readonly apply: Effect.Effect<void, SqlError>
    /** Reads everything again. */
    readonly reload: Effect.Effect<void, SqlError>
    /** Begins to listen: what was heard so far, by another connection, counts no longer. */
    readonly begin: Effect.Effect<void>
    /** This process has applied all that others wrote until now. */
    readonly upToDate: Effect.Effect<void>
    /**
     * Compares what this process has applied with what the database has, and says how far it is. Sends a mark, which
     * `hear` must get. Fails with `Unheard` where the mark came and a change before it did not, or where no mark comes.
     */
    readonly check: Effect.Effect<void, SqlError | Unheard>
  }
>()("core/readings/Follower") {
  static readonly layer = Layer.effect(
    Follower,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* Changes
      const versions = yield* Versions
      const current = yield* Current
      const recent = yield* RecentDays
      const availability = yield* Availability
      const turn = yield* Semaphore.make(1)
      let pending = nothing()
      /** Everything up to this number was found applied. */
      let checked = 0
      let lack: Lack | undefined
      /** The last mark that was sent, the last one that was heard, and when; epoch milliseconds. */
      let mark = 0
      let markedAt = 0
      let receivedMark = 0
      let receivedAt: number | undefined

      const followed = Effect.fnUntraced(function* (at: number) {
        yield* availability.followed(at)
        yield* versions.vouchedFor(at)
      })

      const hear = Effect.fnUntraced(function* (payload: string) {
        const notice = noticeOf(payload)
        // A version of this code that speaks otherwise: it is not known what changed.
        if (notice._tag === "None") pending.everything = true
        else {
          const { by, mark: own = 0, names, series } = notice.value
          if (by === changes.me) {
            receivedMark = Math.max(receivedMark, own)
            if (own > 0) receivedAt = yield* Clock.currentTimeMillis
            return
          }
          const recognized = names.filter(isNamed)
          for (const name of recognized) pending.names.add(name)
          for (const one of series ?? []) pending.series.add(one)
          pending.everything ||= series === null
          yield* announce([...recognized, ...current.symbolsOf(series ?? []).map((symbol) => ({ symbol }))])
        }
      })

      const announce = (dependencies: ReadonlyArray<Dependency>) => {
        const fresh = dependencies.filter((one) => !pending.announced.has(nameOf(one)))
        for (const one of fresh) pending.announced.set(nameOf(one), one)
        return versions.announced(fresh)
      }

      /** What a state of the database says, all of it of one moment. */
      const atOneMoment = <A, E, R>(read: Effect.Effect<A, E, R>) =>
        sql`set transaction isolation level repeatable read, read only`.pipe(
          Effect.andThen(read),
          sql.withTransaction
        )

      const readNamed = (names: Iterable<Named>) =>
        Effect.forEach(
          [...names].flatMap((name) => changes.elsewhere(name)),
          (read) => read,
          { discard: true }
        )

      /** What they hold of these, as of the snapshot under way; to be taken over with the changes. */
      const readHeld = (names: Iterable<Named>) =>
        Effect.forEach(
          [...names].flatMap((name) => changes.withVersion(name)),
          (read) => read
        )

      const follow = Effect.fnUntraced(function* ({ names, series }: PendingChanges) {
        const ids = [...series]
        yield* Effect.gen(function* () {
          const written = yield* recent.readOf(ids)
          const { gone, rows, symbols } = yield* current.read(ids)
          const recorded = yield* changes.read([...names, ...symbols.map((symbol) => ({ symbol }))])
          const heldUpdates = yield* readHeld(names)
          return { written, rows, gone, recorded, heldUpdates }
        }).pipe(
          atOneMoment,
          Effect.flatMap(({ gone, heldUpdates, recorded, rows, written }) =>
            Effect.andThen(readNamed(names), () =>
              Effect.all([...heldUpdates, recent.apply(written), current.apply(rows, gone, recorded)], {
                discard: true
              })
            )
          ),
          current.change
        )
      })

      const followAll = Effect.gen(function* () {
        yield* Effect.gen(function* () {
          const recorded = yield* changes.read()
          yield* recent.reload
          const names = recorded.flatMap(({ dependency }) => (isName(dependency) ? [dependency] : []))
          return { recorded, names, heldUpdates: yield* readHeld(names), ...(yield* current.read("all")) }
        }).pipe(
          atOneMoment,
          Effect.flatMap(({ gone, heldUpdates, names, recorded, rows }) =>
            Effect.andThen(readNamed(names), () =>
              Effect.all([...heldUpdates, current.apply(rows, gone, recorded)], { discard: true })
            )
          ),
          current.change
        )
      }).pipe(Effect.withSpan("Follower.reload"))

      const apply = Effect.suspend(() => {
        const due = pending
        pending = nothing()
        if (!due.everything && due.names.size === 0 && due.series.size === 0) return Effect.void
        return (due.everything ? followAll : follow(due)).pipe(
          Effect.onError(() =>
            Effect.sync(() => {
              pending.everything = true
            })
          ),
          Effect.ensuring(Effect.suspend(() => versions.applied([...due.announced.values()])))
        )
      }).pipe(turn.withPermits(1), Effect.withSpan("Follower.apply"))

      const check = Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        if (lack !== undefined) {
          const { changes: missing, mark } = lack
          const isReceived = receivedMark >= mark
          // What came with the mark may not be applied yet.
          if (isReceived && changes.unapplied(missing).length > 0) yield* apply
          const lost = changes.unapplied(missing)
          if (lost.length === 0) {
            yield* followed(lack.at)
            lack = undefined
          } else if (isReceived) {
            lack = undefined
            const some = lost.slice(0, 5).map(({ name }) => name)
            return yield* new Unheard({ message: `no notification told of changes of ${some.join(", ")}` })
          }
        }
        receivedAt ??= at
        if (at - receivedAt > longestDeaf) {
          return yield* new Unheard({
            message: `the connection that listens has heard nothing for ${longestDeaf / 1000} s, not even this process`
          })
        }
        if (lack === undefined) {
          const { changes: missing, newest } = yield* changes.lacking(checked)
          if (missing.length === 0) {
            checked = newest
            yield* followed(at)
          } else lack = { changes: missing, at, mark: mark + 1 }
        }
        if (mark < (lack?.mark ?? 0) || at - markedAt >= markEvery) {
          markedAt = at
          yield* changes.mark(++mark)
        }
      })

      return Follower.of({
        hear,
        apply,
        begin: Effect.sync(() => {
          lack = undefined
          markedAt = 0
          receivedAt = undefined
        }),
        upToDate: Effect.flatMap(Clock.currentTimeMillis, followed),
        reload: Effect.suspend(() => {
          pending.everything = true
          return apply
        }),
        check
      })
    })
  )
}

/** Changes that no notification told of. */
export class Unheard extends Schema.TaggedError<Unheard>()("Unheard", { message: Schema.String }) {}

const isName = (dependency: Dependency): dependency is Named => typeof dependency === "string"

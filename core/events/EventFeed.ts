/**
 * The feed of events as this process knows it: the newest events in memory, each encoded once for everyone who listens,
 * and the older ones in SQL.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Changes } from "../readings/Changes.ts"
import { rowsOf } from "../sql/rows.ts"

/** One event with what filters ask for. */
export class FeedEvent {
  readonly id: number
  /** A process of a newer release may have written one of a kind that is not known here. */
  readonly kind: string
  readonly symbol: string | null
  readonly category: string | null
  /** As it is served. */
  readonly body: string
  #frame: Uint8Array | undefined

  constructor(row: typeof EventRow.Type) {
    this.id = row.id
    this.kind = row.kind
    this.symbol = row.symbol
    this.category = row.category
    this.body = row.body
  }

  /** As a stream has it: made once, and the same bytes for every listener. */
  get frame(): Uint8Array {
    this.#frame ??= Buffer.from(`id: ${this.id}\nevent: ${this.kind}\ndata: ${this.body}\n\n`)
    return this.#frame
  }
}

const EventRow = Schema.Struct({
  id: Schema.Finite,
  kind: Schema.String,
  symbol: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String),
  body: Schema.String
})
const eventRows = rowsOf(EventRow.fields)
const boundRows = rowsOf({ oldest: Schema.Finite, newest: Schema.Finite })

/** The ids that are kept; both 0 while there are none. */
export interface Bounds {
  readonly oldest: number
  readonly newest: number
}

/** Which events are wanted. Absent: all of them. */
export interface EventFilter {
  readonly kinds?: ReadonlySet<string>
  /** Networks; an event of no network is then left out. */
  readonly symbols?: ReadonlySet<string>
  readonly category?: string
  /** The networks whose values are shown; other kinds are not affected. */
  readonly sample?: ReadonlySet<string>
}

export const matchesFilter = (
  { category, kinds, sample, symbols }: EventFilter,
  event: Pick<FeedEvent, "kind" | "symbol" | "category">
): boolean =>
  (kinds === undefined || kinds.has(event.kind)) &&
  (symbols === undefined || (event.symbol !== null && symbols.has(event.symbol))) &&
  (category === undefined || event.category === category) &&
  (sample === undefined || event.kind !== "values" || (event.symbol !== null && sample.has(event.symbol)))

/** The events that are missing if everything after `after` was asked for; undefined if nothing is. */
export const gapAfter = (
  after: number,
  { newest, oldest }: Bounds
): { readonly from: number; readonly to: number } | undefined => {
  // An id from the future: of another service, or from before a backup was restored.
  if (after > newest) return { from: newest + 1, to: after }
  return after + 1 < oldest ? { from: after + 1, to: oldest - 1 } : undefined
}

/** Events and bytes in memory. */
const mostBuffered = 2000
const mostBytes = 16 * 1024 * 1024
/** Events that are read from SQL at once, and how many of them at least before more are read. */
const atOnce = 500

export class EventFeed extends Context.Service<
  EventFeed,
  {
    /** The newest event that this process knows of; 0 without one. */
    readonly newest: () => number
    /** Those in memory after an id, oldest first; undefined if one of them is only in SQL. */
    readonly remembered: (after: number) => ReadonlyArray<FeedEvent> | undefined
    /** The next events after an id, from SQL. */
    readonly read: (after: number, limit: number) => Effect.Effect<ReadonlyArray<FeedEvent>, SqlError>
    readonly bounds: Effect.Effect<Bounds, SqlError>
    /** Reads what other processes, or this one, have added, and tells those who listen. */
    readonly pull: Effect.Effect<void, SqlError>
    /** Calls `added` whenever there are more events, until the returned function is called. */
    readonly listen: (added: () => void) => () => void
  }
>()("core/events/EventFeed") {
  static readonly layer = Layer.effect(
    EventFeed,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* Changes
      const turn = yield* Semaphore.make(1)
      const listeners = new Set<() => void>()

      const read = (after: number, limit: number) =>
        sql`select id::float8 as id, kind, symbol, category, body from event
          where id > ${after} order by id limit ${limit}`.pipe(
          eventRows,
          Effect.map((rows) => rows.map((row) => new FeedEvent(row)))
        )

      const bounds = Effect.map(
        sql`select coalesce(min(id), 0)::float8 as oldest, coalesce(max(id), 0)::float8 as newest from event`.pipe(
          boundRows
        ),
        ([row]): Bounds => row ?? { oldest: 0, newest: 0 }
      )

      let tail: ReadonlyArray<FeedEvent> = []
      let newest = (yield* bounds).newest

      const remember = (events: ReadonlyArray<FeedEvent>): void => {
        const all = [...tail, ...events]
        let bytes = 0
        let from = all.length
        while (from > 0 && all.length - from < mostBuffered) {
          bytes += all[from - 1]?.body.length ?? 0
          if (bytes > mostBytes) break
          from--
        }
        tail = all.slice(from)
        newest = all.at(-1)?.id ?? newest
      }

      const pull: Effect.Effect<void, SqlError> = Effect.gen(function* () {
        while (true) {
          const events = yield* read(newest, atOnce)
          if (events.length === 0) return
          remember(events)
          for (const added of listeners) added()
          if (events.length < atOnce) return
        }
      }).pipe(turn.withPermits(1), Effect.withSpan("EventFeed.pull"))

      yield* changes.onElsewhere("events", pull)

      return EventFeed.of({
        newest: () => newest,
        remembered: (after) => {
          if (after >= newest) return []
          const first = tail[0]
          // Ids have no gaps.
          return first === undefined || after + 1 < first.id ? undefined : tail.slice(after + 1 - first.id)
        },
        read,
        bounds,
        pull,
        listen: (added) => {
          listeners.add(added)
          return () => listeners.delete(added)
        }
      })
    })
  )
}

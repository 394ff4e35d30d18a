/**
 * Writes the feed of events: finds what happened since, numbers and signs it, and stores it. Ids follow the order of the
 * commits, because one transaction at a time writes them: whoever has read up to an id never misses one below it.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { hashOfStored } from "../log/eventsEntry.ts"
import { LogKey } from "../log/Log.ts"
import { day } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { utf8 } from "../proof/bytes.ts"
import { eventHash, eventTag, eventText, servedEvent } from "../proof/event.ts"
import { tagged } from "../proof/leaf.ts"
import { signatureHeader } from "../proof/statement.ts"
import { Changes } from "../readings/Changes.ts"
import { Feeds } from "../readings/Feeds.ts"
import { ints, texts } from "../readings/ingest/arrays.ts"
import { CacheValidators, Versions } from "../readings/read/Versions.ts"
import type { Due } from "../readings/removing.ts"
import { stampingClock } from "../readings/TrustedClock.ts"
import { advisoryLock } from "../sql/advisoryLock.ts"
import { storedFact, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { EventFeed } from "./EventFeed.ts"
import { EventKey } from "./EventKey.ts"
import {
  categoryOf,
  changedValues,
  contradictedByObservers,
  type Draft,
  newDisagreements,
  otherHappenings
} from "./eventDrafts.ts"

const writing = advisoryLock("events")

/** How long events are kept: longer than a webhook is tried. */
const retention = 3 * day

/** Where nothing is known to have changed, it is looked at all the same once in this time, in milliseconds. */
const longestUnseen = 10_000

/** Signatures between which others get a turn: one takes some 50 microseconds. */
const signedAtOnce = 50

const valuesCursor = "events_values"

const newestRows = rowsOf({ id: Schema.Finite, body: Schema.String })
const countRows = rowsOf({ n: Schema.Int })

export class EventLog extends Context.Service<
  EventLog,
  {
    /** Adds everything that happened; returns the number of events. One event holds what changed of a network. */
    readonly run: Effect.Effect<number, SqlError>
    /** The same, if something may have happened since the last time. */
    readonly runIfDue: Effect.Effect<number, SqlError>
    /** Removes events that are older than they are kept; returns how many. The newest one stays, so ids go on. */
    readonly removeOld: (due: Due) => Effect.Effect<number, SqlError>
  }
>()("core/events/EventLog") {
  static readonly layer = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* Changes
      const versions = yield* Versions
      const feed = yield* EventFeed
      const { key } = yield* EventKey
      const { simulated } = yield* LogKey
      // An event is signed like an answer: dated no later than what is trusted.
      const clock = yield* stampingClock

      const keep = Effect.fnUntraced(function* (drafts: ReadonlyArray<Draft>) {
        const [last] = yield* sql`
          select id::float8 as id, body from event order by id desc limit 1`.pipe(newestRows)
        const first = (last?.id ?? 0) + 1
        const at = yield* DataClock.now
        const signedAt = yield* Clock.currentTimeMillis
        const signer = key(signedAt)
        let previous = last === undefined ? undefined : yield* hashOfStored(last)
        const rows: Array<{ readonly draft: Draft; readonly body: string }> = []
        for (const draft of drafts) {
          const category = categoryOf(draft.symbol)
          const text = eventText({
            v: tagged(eventTag, simulated),
            id: first + rows.length,
            kind: draft.kind,
            at: isoTime(at),
            signed_at: isoTime(signedAt),
            ...(draft.symbol === undefined ? {} : { symbol: draft.symbol }),
            ...(category === undefined ? {} : { category }),
            data: { ...draft.data, ...(previous === undefined ? {} : { previous }) },
            ...(simulated ? { simulated: true } : {})
          })
          previous = eventHash(text)
          const signature = signatureHeader(signer.sign(utf8(text)))
          rows.push({ draft, body: servedEvent(text, { kid: signer.kid, signature }) })
          if (rows.length % signedAtOnce === 0) yield* Effect.yieldNow
        }
        yield* sql`
          insert into event (id, kind, symbol, category, at, body)
          select ${first}::bigint + n - 1, kind, symbol, category, ${new Date(at)}, body
          from unnest(${texts(drafts.map(({ kind }) => kind))},
            ${texts(drafts.map(({ symbol }) => symbol ?? null))},
            ${texts(drafts.map(({ symbol }) => categoryOf(symbol) ?? null))},
            ${texts(rows.map(({ body }) => body))}) with ordinality as t(kind, symbol, category, body, n)`
        yield* changes.tell("events")
      })

      /** One transaction: either all of it is in the feed and remembered as seen, or nothing is. */
      const pass = Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(${writing.space}::int, ${writing.number}::int)`
        const cursor = Number((yield* storedFact(valuesCursor)) ?? 0)
        const values = yield* changedValues(cursor)
        const others = yield* otherHappenings
        const drafts = [
          ...values.drafts,
          ...others.drafts,
          ...(yield* newDisagreements),
          ...(yield* contradictedByObservers)
        ]
        if (drafts.length > 0) yield* Effect.provideService(keep(drafts), Clock.Clock, clock)
        if (values.upTo > cursor) yield* storeFact(valuesCursor, String(values.upTo))
        if (others.due.length > 0) yield* sql`delete from event_due where id = any(${ints(others.due)})`
        return { added: drafts.length, more: values.more || others.more }
      }).pipe(
        sql.withTransaction,
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(LogKey, yield* LogKey),
        Effect.provideService(Feeds, yield* Feeds)
      )

      const run = Effect.gen(function* () {
        let added = 0
        while (true) {
          const done = yield* pass
          added += done.added
          if (!done.more) break
        }
        if (added > 0) yield* feed.pull
        return added
      }).pipe(Effect.withSpan("EventLog.run"))

      const cells = (["reads", "revisions", "incidents", "log", "anchors"] as const).map(versions.cell)
      let looked: { readonly validators: CacheValidators; readonly at: number } | undefined
      const runIfDue = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (looked !== undefined && now - looked.at < longestUnseen && looked.validators.holds(now)) return 0
        const validators = new CacheValidators(cells, now)
        const added = yield* run
        looked = { validators, at: now }
        return added
      })

      const removeOld = Effect.fnUntraced(function* (due: Due) {
        const before = new Date(due.data - retention)
        const [removed] = yield* sql`
          with gone as (
            delete from event where at < ${before} and id < (select max(id) from event) returning 1
          ) select count(*)::int as n from gone`.pipe(countRows)
        if ((removed?.n ?? 0) > 0) yield* changes.tell("events")
        return removed?.n ?? 0
      }, sql.withTransaction)

      return EventLog.of({ run, runIfDue, removeOld })
    })
  ).pipe(Layer.provideMerge(EventFeed.layer))
}

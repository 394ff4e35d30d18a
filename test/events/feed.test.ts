/** The feed of events: each change once, numbered in the order of the commits, and signed. */
import { createPublicKey, verify } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { EventFeed } from "../../core/events/EventFeed.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { events, eventsText } from "../../core/events/read/events.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { eventsEntries } from "../../core/log/eventsEntry.ts"
import { Log } from "../../core/log/Log.ts"
import { document } from "../../core/log/record/files.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { allHold, allProved } from "../../core/proof/check.ts"
import { hashOfServed } from "../../core/proof/event.ts"
import { parseEvents } from "../../core/proof/eventsDocument.ts"
import { keyDocument, thumbprint } from "../../core/proof/keys.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { Event, type EventsResponse, EventsResponse as Response } from "../../core/wire/events/event.ts"
import { eventsIn, verifyEvents } from "../../http/client/verifier/src/verifyEvents.ts"
import { onBothEngines, type postgres } from "../support/database.ts"
import { dueAt } from "../support/due.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"
import { trustedClock } from "../support/trustedClock.ts"

const start = Date.UTC(2026, 8, 5, 8, 1)
const at = (hour: string) => `2026-09-04T${hour}:00:00Z`

const servicesOn = (database: typeof postgres) =>
  EventLog.layer.pipe(
    Layer.provideMerge(DailyClose.layer),
    Layer.provideMerge(logged(database, start, Runs.feedsOf(["AKT", "FIL", "RENDER", "STORJ"])))
  )
type Services = Layer.Success<ReturnType<typeof servicesOn>>

/** A feed with nothing in it or in memory. */
const fresh = <A, E>(body: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`truncate event, event_due, signal, happened, anchor, anchor_failure, checkpoint, cosignature, document, log_entry,
      tree_level, leaf, batch, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob,
      fact restart identity`
    yield* (yield* Current).reload
    yield* TestClock.setTime(start)
    return yield* Effect.provide(
      body,
      EventLog.layer.pipe(Layer.provideMerge(DailyClose.layer), Layer.provideMerge(Log.layer)),
      { local: true }
    )
  })

const run = Effect.flatMap(EventLog, ({ run }) => run)

const write = (
  rows: ReadonlyArray<readonly [symbol: string, value: number, hour: string, metric?: string]>
) =>
  Effect.flatMap(Ingest, (ingest) =>
    ingest.write(
      Runs.delivery(
        start,
        rows.map(([symbol, value, hour, metric]) =>
          Runs.row(value, at(hour), {
            symbol,
            ...(metric === undefined ? {} : { metric, unit: "pct" as const })
          })
        )
      )
    )
  )

const everyEvent = (params: { readonly after?: number; readonly limit?: number } = {}) =>
  Effect.map(
    events({ access: { ...keyless, breadth: "all" }, limit: 500, ...params }),
    (page) => Schema.decodeUnknownSync(Response)(JSON.parse(eventsText(page))) as EventsResponse
  )

const isEvent = Schema.is(Event)

const short = Effect.map(everyEvent(), ({ events }) =>
  events.map((event) => [
    event.id,
    event.kind,
    "symbol" in event ? event.symbol : undefined,
    event.kind === "values" ? event.data.values.map(({ value }) => value) : undefined
  ])
)

onBothEngines("the feed of events", (database) => {
  layer(servicesOn(database), { excludeTestServices: false })((it) => {
    it.effect("dates no event later than the time that is trusted", () =>
      fresh(
        Effect.gen(function* () {
          const ahead = start + 400 * 86_400_000
          yield* write([["FIL", 10, "10"]])
          yield* TestClock.setTime(ahead)
          yield* run.pipe(
            Effect.provide(EventLog.layer, { local: true }),
            Effect.provideService(TrustedClock, { ...trustedClock, stamp: () => start })
          )
          const [event] = (yield* everyEvent()).events
          assert.deepInclude(event, { signed_at: isoTime(start), at: isoTime(start) })
        })
      )
    )

    it.effect("has one event for what a commit changed of a network", () =>
      fresh(
        Effect.gen(function* () {
          yield* write([
            ["FIL", 10, "10"],
            ["FIL", 0.5, "10", "price_change_24h_pct"],
            ["STORJ", 20, "10"]
          ])
          assert.strictEqual(yield* run, 2)
          assert.deepStrictEqual(yield* short, [
            [1, "values", "FIL", [10, 0.5]],
            [2, "values", "STORJ", [20]]
          ])
        })
      )
    )

    it.effect("says nothing of a reading that confirms the value", () =>
      fresh(
        Effect.gen(function* () {
          yield* write([["FIL", 10, "10"]])
          yield* run
          yield* write([["FIL", 10, "11"]])
          assert.strictEqual(yield* run, 0)
          yield* write([["FIL", 11, "12"]])
          assert.strictEqual(yield* run, 1)
          assert.deepStrictEqual((yield* short).at(-1), [2, "values", "FIL", [11]])
        })
      )
    )

    it.effect("has revisions, incidents and closed days", () =>
      fresh(
        Effect.gen(function* () {
          yield* write([["FIL", 10, "10"]])
          yield* write([["FIL", 12, "10"]])
          yield* run
          const incidents = yield* Incidents
          const id = yield* incidents.open(
            {
              symbol: "FIL",
              metric: "nodes_online",
              from: Date.parse(at("09")),
              to: Date.parse(at("11"))
            },
            "counted twice"
          )
          yield* run
          yield* incidents.close(id, "they were right")
          yield* run
          yield* (yield* DailyClose).run
          yield* run
          const kinds = (yield* short).map(([n, kind]) => `${n} ${kind}`)
          assert.deepStrictEqual(kinds, [
            "1 values",
            "2 revisions",
            "3 incident_opened",
            // It is served again.
            "4 values",
            "5 incident_closed",
            "6 day_closed"
          ])
          const all = (yield* everyEvent()).events
          assert.isTrue(all.every((event) => isEvent(event)))
          const [, revised, opened, , closed, day] = all
          assert.strictEqual(revised?.kind === "revisions" ? revised.data.revisions[0]?.before_value : 0, 10)
          assert.strictEqual(
            opened?.kind === "incident_opened" ? opened.data.incident.reason : "",
            "counted twice"
          )
          assert.strictEqual(
            closed?.kind === "incident_closed" ? closed.data.incident.note : "",
            "they were right"
          )
          assert.strictEqual(day?.kind === "day_closed" ? day.data.batch.day : "", "2026-09-04")
        })
      )
    )

    it.effect("has an anchor once a block contains it, and not again when it is final", () =>
      fresh(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`insert into checkpoint (size, root, note, signed_at) values (3, 'r', 'n', now())`
          yield* sql`insert into anchor (size, state, network, digest, proof, stamped_at)
            values (3, 'pending', 'bitcoin', 'd', '', now())`
          assert.strictEqual(yield* run, 0)
          yield* sql`update anchor set state = 'confirmed', block_height = 900000, block_hash = 'ab',
            block_time = '2026-09-05T07:00:00Z'`
          assert.strictEqual(yield* run, 1)
          yield* sql`update anchor set state = 'final'`
          assert.strictEqual(yield* run, 0)
          const [event] = (yield* everyEvent()).events
          assert.deepStrictEqual(event?.data, {
            anchor: {
              checkpoint_size: 3,
              network: "bitcoin",
              block_height: 900000,
              block_hash: "ab",
              block_time: "2026-09-05T07:00:00Z",
              ots_url: "/v1/log/checkpoints/3.ots"
            }
          })
        })
      )
    )

    it.effect("is signed so that anybody can check it, event by event", () =>
      fresh(
        Effect.gen(function* () {
          yield* write([
            ["FIL", 10.25, "10"],
            ["STORJ", 1e21, "10"]
          ])
          yield* run
          const page = eventsText(yield* events({ access: keyless, symbol: "FIL,STORJ" }))
          // Without our code: the members in order, and node's own crypto.
          const { kid, signature, ...event } = JSON.parse(page).events[0]
          const sorted = (value: unknown): unknown =>
            Array.isArray(value)
              ? value.map(sorted)
              : typeof value === "object" && value !== null
                ? Object.fromEntries(
                    Object.entries(value)
                      .sort(([a], [b]) => (a < b ? -1 : 1))
                      .map(([name, member]) => [name, sorted(member)])
                  )
                : value
          const x = Buffer.from(LogKeys.publicKey).toString("base64url")
          const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
          const signed = Buffer.from(JSON.stringify(sorted(event)))
          assert.isTrue(verify(null, signed, key, Buffer.from(signature.slice("ed25519:".length), "hex")))
          assert.strictEqual(kid, thumbprint(LogKeys.publicKey))
          // With the verifier.
          const keys = JSON.parse(
            JSON.stringify(keyDocument({ origin: LogKeys.origin, keys: LogKeys.keys, now: start }))
          )
          const checks = verifyEvents(eventsIn(Buffer.from(page)), { keys, pins: [kid], now: start })
          const all: ReadonlyArray<{ readonly data: { readonly previous?: string } }> =
            JSON.parse(page).events
          assert.deepStrictEqual(
            all.map(({ data: { previous } }) => previous),
            all.map((_, place) => (place === 0 ? undefined : hashOfServed(all[place - 1])))
          )
          assert.isTrue(allProved(checks), JSON.stringify(checks))
          const forged = page.replace('"value":10.25', '"value":10.26')
          assert.isFalse(allHold(verifyEvents(eventsIn(Buffer.from(forged)), { keys, now: start })))
        })
      )
    )

    it.effect("has the head of each day in the log, from the event after the one before", () =>
      fresh(
        Effect.gen(function* () {
          const documentsOf = (day: string, now: number) =>
            Effect.gen(function* () {
              const entries = yield* eventsEntries(day, now, false)
              return yield* Effect.forEach(entries, ({ sha256 }) =>
                Effect.map(document(sha256), ({ body }) => parseEvents(body))
              )
            })
          const tomorrow = start + 86_400_000
          yield* write([["FIL", 1, "10"]])
          yield* run
          assert.deepStrictEqual(yield* documentsOf("2026-09-04", start), [], "nothing happened on that day")
          const [today] = yield* documentsOf("2026-09-05", tomorrow)
          const newest = (yield* (yield* EventFeed).read(0, 100)).at(-1)
          assert.deepStrictEqual([today?.first, today?.last, today?.n], [1, newest?.id, newest?.id])
          assert.strictEqual(today?.head, hashOfServed(JSON.parse(newest?.body ?? "")))
          yield* TestClock.setTime(tomorrow)
          yield* write([["FIL", 2, "11"]])
          yield* run
          const [next] = yield* documentsOf("2026-09-06", tomorrow + 86_400_000)
          assert.strictEqual(next?.first, (newest?.id ?? 0) + 1)
          assert.deepStrictEqual(yield* documentsOf("2026-09-07", tomorrow + 2 * 86_400_000), [])
        })
      )
    )

    it.effect("goes on after a stored event that was damaged", () =>
      fresh(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* write([["FIL", 1, "10"]])
          yield* run
          yield* sql`update event set body = '{}'`
          assert.deepStrictEqual(yield* eventsEntries("2026-09-05", start, false), [])
          yield* write([["FIL", 2, "11"]])
          assert.isAtLeast(yield* run, 1)
        })
      )
    )

    it.effect("keeps three days, always the newest event, and goes on with the next id", () =>
      fresh(
        Effect.gen(function* () {
          const { removeOld } = yield* EventLog
          for (const [n, value] of [10, 11, 12].entries()) {
            yield* write([["FIL", value, `1${n}`]])
            yield* run
          }
          assert.strictEqual(yield* removeOld(dueAt(yield* Clock.currentTimeMillis)), 0)
          yield* TestClock.adjust("73 hours")
          assert.strictEqual(yield* removeOld(dueAt(yield* Clock.currentTimeMillis)), 2)
          const gone = yield* everyEvent({ after: 1 })
          assert.deepStrictEqual(gone.gap, { from: 2, to: 2 })
          assert.deepStrictEqual([gone.oldest_id, gone.newest_id, gone.events.length], [3, 3, 1])
          yield* write([["FIL", 13, "13"]])
          yield* run
          assert.deepStrictEqual(
            (yield* short).map(([id]) => id),
            [3, 4]
          )
        })
      )
    )

    it.effect("is paged without a hole, whatever the size of a page", () =>
      fresh(
        Effect.gen(function* () {
          for (let n = 0; n < 7; n++) {
            yield* write([[["FIL", "STORJ", "AKT"][n % 3] ?? "", n + 1, String(10 + n)]])
            yield* run
          }
          for (const limit of [1, 2, 3, 7, 8]) {
            const ids: Array<number> = []
            let after = 0
            for (let page = 0; page < 10; page++) {
              const response = yield* everyEvent({ after, limit })
              ids.push(...response.events.map(({ id }) => id))
              after = response.next_after
              if (!response.more) break
            }
            assert.deepStrictEqual(ids, [1, 2, 3, 4, 5, 6, 7], `pages of ${limit}`)
            assert.strictEqual(after, 7)
          }
          const future = yield* everyEvent({ after: 9_007_199_254_740_991 })
          assert.deepStrictEqual(future.gap, { from: 8, to: 9_007_199_254_740_991 })
        })
      )
    )

    it.effect("has no id twice and no change twice when several processes write it", () =>
      fresh(
        Effect.gen(function* () {
          const elsewhere = run.pipe(Effect.provide(EventLog.layer, { local: true }))
          for (let n = 1; n <= 6; n++) {
            yield* write([
              ["FIL", n, String(9 + n)],
              ["STORJ", n, String(9 + n)]
            ])
            const added = yield* Effect.all([run, elsewhere, run], { concurrency: "unbounded" })
            assert.strictEqual(
              added.reduce((sum, one) => sum + one, 0),
              2
            )
          }
          const { events } = yield* everyEvent()
          assert.deepStrictEqual(
            events.map(({ id }) => id),
            Array.from({ length: 12 }, (_, n) => n + 1)
          )
          const feed = yield* EventFeed
          yield* feed.pull
          assert.strictEqual(feed.newest(), 12)
          assert.deepStrictEqual(
            feed.remembered(9)?.map(({ id }) => id),
            [10, 11, 12]
          )
        })
      )
    )
  })
})

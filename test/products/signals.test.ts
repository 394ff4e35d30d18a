/** The signal ledger: each event once, in one chain, whatever restarts and however many replicas there are. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { signalCoverage, signalLedger } from "../../core/products/signal_ledger/build.ts"
import { SignalLedger } from "../../core/products/signal_ledger/definition.ts"
import { allHold } from "../../core/proof/check.ts"
import { parseEntry } from "../../core/proof/entry.ts"
import { signalPages, verifySignals } from "../../core/proof/verifySignals.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Readable } from "../../core/readings/read/readable.ts"
import { onBothEngines, postgres } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const eight = (day: number) => Date.UTC(2026, 8, day, 8, 1)
const on = (day: number, value: number, symbol = "FIL", hour = "10") =>
  Runs.row(value, `2026-09-0${day}T${hour}:00:00Z`, { symbol })

const servicesOn = (database: typeof postgres) =>
  Signals.layer.pipe(
    Layer.provideMerge(DailyClose.layer),
    Layer.provideMerge(logged(database, eight(5), Runs.feedsOf(["AKT", "FIL", "RENDER", "STORJ"])))
  )
type Services = Layer.Success<ReturnType<typeof servicesOn>>

/** Services with nothing in their tables or their memory. */
const fresh = <A, E>(body: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`truncate signal, happened, anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch,
      incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact
      restart identity`
    yield* (yield* Current).reload
    yield* TestClock.setTime(eight(5))
    return yield* body.pipe(
      Effect.provide(
        Signals.layer.pipe(Layer.provideMerge(DailyClose.layer), Layer.provideMerge(Log.layer)),
        { local: true }
      )
    )
  })

const restarted = Effect.flatMap(Signals, ({ run }) => run).pipe(
  Effect.provide(Signals.layer, { local: true })
)
/** The same in a process of its own, which knows nothing of what this one read. */
const elsewhere = Effect.flatMap(Signals, ({ run }) => run).pipe(
  Effect.provide(Signals.layer.pipe(Layer.provide(Log.layer)), { local: true })
)
const ledger = Effect.flatMap(signalLedger({ limit: 500 }), (response) => {
  assert.isTrue(allHold(verifySignals(signalPages(response))))
  return Effect.succeed(response)
})
/** What the rows say, oldest first. */
const ledgerRows = Effect.map(ledger, ({ signals }) =>
  signals
    .toReversed()
    .map((row) => [
      row.kind,
      row.symbol,
      row.before_value ?? row.before_text,
      row.after_value ?? row.after_text,
      row.as_of
    ])
)

/** Four closed days: FIL moves on the third, STORJ falls silent on it and comes back. */
const fourDays = Effect.gen(function* () {
  yield* (yield* Ingest).write(
    Runs.delivery(eight(5), [
      ...[on(1, 100), on(2, 104), on(3, 110), on(4, 110)],
      ...[on(1, 50, "STORJ"), on(2, 50, "STORJ"), on(4, 50, "STORJ")]
    ])
  )
  yield* (yield* DailyClose).run
})
const ofFourDays = [
  ["supply_move", "FIL", 104, 110, "2026-09-03T10:00:00Z"],
  ["freshness_change", "STORJ", "recent", "stale", "2026-09-04T00:00:00Z"],
  ["freshness_change", "STORJ", "stale", "recent", "2026-09-05T00:00:00Z"]
]

onBothEngines("the signal ledger", (database) => {
  layer(servicesOn(database))((it) => {
    const ledgerTest = <A, E>(name: string, body: Effect.Effect<A, E, Services>) =>
      it.effect(name, () => fresh(body))

    ledgerTest(
      "has no value and no note of a source that does not let them be sold, and keeps its chain",
      Effect.gen(function* () {
        yield* fourDays
        yield* (yield* Ingest).write(Runs.delivery(eight(5), [on(5, 3, "FIL", "07")]))
        yield* (yield* Signals).run
        const whole = yield* ledger
        const barred = Effect.provideService(Readable, (source: string) => source !== "test_feed")
        const sold = yield* signalLedger({ limit: 500 }).pipe(barred)
        assert.match(JSON.stringify(whole.signals), /"after_value":110|"note":/)
        assert.notMatch(JSON.stringify(sold.signals), /_value"|"note"/)
        assert.deepStrictEqual(
          sold.signals.map(({ hash, n, unit, withheld }) => [
            n,
            hash,
            unit === "state" || withheld === "rights"
          ]),
          whole.signals.map(({ hash, n }) => [n, hash, true])
        )
        const names = verifySignals(signalPages(sold)).map(({ name, ok }) => [name, ok])
        assert.includeDeepMembers(names, [
          ["links", true],
          ["withheld rows", "not checked"],
          ["end", true]
        ])
        assert.match((yield* barred(signalCoverage)).missing.join(), /no values: their sources/)
        assert.notMatch((yield* signalCoverage).missing.join(), /no values/)
      })
    )

    ledgerTest(
      "has one row for each event, of every kind",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [ingest, incidents] = [yield* Ingest, yield* Incidents]
        yield* fourDays
        yield* ingest.write(Runs.delivery(eight(5), [on(3, 110.5)]))
        yield* ingest.write(Runs.delivery(eight(5), [on(5, 3, "FIL", "07")]))
        const [open] = yield* incidents.list(true, 1)
        yield* TestClock.adjust("1 hour")
        yield* incidents.close(open?.id ?? 0, "it was right, and nobody is to read this")
        yield* incidents.open(
          { symbol: "STORJ", metric: "nodes_online", from: 0, to: 1 },
          "only for operators"
        )
        yield* sql`insert into anchor ${sql.insert({
          size: 1,
          state: "pending",
          network: "bitcoin",
          digest: "00",
          proof: new Uint8Array(1),
          stamped_at: new Date(eight(5))
        })}`
        yield* sql`update anchor set asked_at = stamped_at where state = 'pending'`
        yield* sql`update anchor set state = 'confirmed', block_height = 900000, block_hash = 'ab12',
          block_time = ${new Date(eight(5) + 60_000)}`
        yield* sql`update anchor set state = 'final'`
        assert.strictEqual(yield* (yield* Signals).run, 9)
        const response = yield* ledger
        const decoded = Schema.decodeUnknownExit(SignalLedger, { onExcessProperty: "error" })(response)
        assert.isTrue(decoded._tag === "Success", JSON.stringify(decoded).slice(0, 2000))
        assert.notInclude(JSON.stringify(response), "operators")
        assert.notInclude(JSON.stringify(response), "nobody")
        yield* Effect.promise(() =>
          expect(`${JSON.stringify(response, null, 1)}\n`).toMatchFileSnapshot("golden/signal_ledger.json")
        )
      })
    )

    ledgerTest(
      "says nothing twice: not in a second pass, nor after a restart, nor where a pass was cut off",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const signals = yield* Signals
        yield* fourDays
        yield* Effect.flip(
          elsewhere.pipe(Effect.andThen(Effect.fail("killed" as const)), sql.withTransaction)
        )
        assert.deepStrictEqual((yield* ledger).signals, [])
        assert.strictEqual(yield* signals.run, 3)
        const before = yield* ledger
        assert.strictEqual(yield* signals.run, 0)
        assert.strictEqual(yield* restarted, 0)
        assert.deepStrictEqual(yield* ledger, before)
        assert.deepStrictEqual(yield* ledgerRows, ofFourDays)
      })
    )

    ledgerTest(
      "adds what comes late at its end, with its own time",
      Effect.gen(function* () {
        yield* fourDays
        yield* (yield* Signals).run
        const { head } = yield* ledger
        // After ten, which is when the rows of the 5th are true.
        yield* TestClock.setTime(eight(5) + 3 * 3_600_000)
        yield* (yield* Ingest).write(
          Runs.delivery(eight(5), [on(3, 60, "STORJ"), on(5, 111), on(5, 50, "STORJ")])
        )
        yield* TestClock.setTime(eight(6))
        yield* (yield* DailyClose).run
        assert.strictEqual(yield* restarted, 1)
        const { signals } = yield* ledger
        assert.deepStrictEqual((yield* ledgerRows).at(-1), [
          "supply_move",
          "STORJ",
          50,
          60,
          "2026-09-03T10:00:00Z"
        ])
        assert.strictEqual(signals[0]?.prev_hash, head?.hash)
        assert.strictEqual(signals[0]?.recorded_at, isoTime(eight(6)))
      })
    )

    ledgerTest(
      "tells of a source by its whole silence: stale after a day, static after seven, then recent",
      Effect.gen(function* () {
        // The log begins a week before the first reading at the earliest, so the first days are read on the fifth.
        yield* (yield* Ingest).write(
          Runs.delivery(eight(5), [
            ...[1, 2, 3, 4].map((day) => on(day, 100)),
            on(1, 50, "STORJ"),
            // New on the third day: its first word is no change.
            on(3, 70, "AKT")
          ])
        )
        const last = Date.UTC(2026, 8, 10, 8, 1)
        yield* TestClock.setTime(last)
        yield* (yield* Ingest).write(
          Runs.delivery(last, [...[5, 6, 7, 8, 9].map((day) => on(day, 100)), on(9, 50, "STORJ")])
        )
        yield* (yield* DailyClose).run
        yield* (yield* Signals).run
        assert.deepStrictEqual(yield* ledgerRows, [
          ["freshness_change", "STORJ", "recent", "stale", "2026-09-03T00:00:00Z"],
          ["freshness_change", "AKT", "recent", "stale", "2026-09-05T00:00:00Z"],
          ["freshness_change", "STORJ", "stale", "static", "2026-09-09T00:00:00Z"],
          ["freshness_change", "STORJ", "static", "recent", "2026-09-10T00:00:00Z"]
        ])
      })
    )

    ledgerTest(
      "does not compare what cannot be: days apart, small counts, no stocks, what an incident took away",
      Effect.gen(function* () {
        const pct = { metric: "price_change_24h_pct", unit: "pct" } as const
        const incidents = yield* Incidents
        yield* (yield* Ingest).write(
          Runs.delivery(eight(5), [
            ...[on(1, 100), on(3, 200)],
            ...[on(1, 19, "STORJ"), on(2, 38, "STORJ"), on(3, 38, "STORJ")],
            ...[Runs.row(30, "2026-09-01T10:00:00Z", pct), Runs.row(60, "2026-09-02T10:00:00Z", pct)],
            ...[on(1, 100, "AKT"), on(2, 150, "AKT"), on(3, 150, "AKT"), on(3, 10, "RENDER")]
          ])
        )
        yield* incidents.open(
          { symbol: "AKT", metric: "nodes_online", from: Date.UTC(2026, 8, 2), to: Date.UTC(2026, 8, 3) },
          "a bad deploy"
        )
        yield* (yield* DailyClose).run
        yield* (yield* Signals).run
        assert.deepStrictEqual(
          (yield* ledgerRows).filter(([kind]) => kind === "supply_move"),
          []
        )
      })
    )

    ledgerTest(
      "is in the log by the hash of its newest row, once a closed day",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const signals = yield* Signals
        yield* fourDays
        const sizeBefore = (yield* (yield* Log).signed).size
        yield* signals.run
        yield* signals.run
        const { head, logged } = yield* ledger
        assert.deepStrictEqual(logged, { n: 3, hash: head?.hash, log_index: sizeBefore })
        const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
        assert.strictEqual(rows.length, sizeBefore + 1)
        const entry = parseEntry(rows.at(-1)?.text ?? "")
        assert.deepInclude(entry, { kind: "signals", subject: "3", sha256: head?.hash ?? "" })
        const [document] = yield* sql<{
          body: string
        }>`select body from document where sha256 = ${head?.hash ?? ""}`
        assert.include(document?.body ?? "", '"n":3,')
        assert.strictEqual((yield* (yield* Log).signed).size, sizeBefore + 1)
        // More rows of the same closed day wait for the next one.
        yield* (yield* Ingest).write(Runs.delivery(eight(5), [on(4, 111)]))
        assert.strictEqual(yield* signals.run, 1)
        assert.strictEqual((yield* ledger).logged?.n, 3)
        yield* TestClock.setTime(eight(6))
        yield* (yield* DailyClose).run
        yield* signals.run
        const later = yield* ledger
        assert.strictEqual(later.logged?.hash, later.head?.hash)
      })
    )

    ledgerTest(
      "refuses to be changed",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* fourDays
        yield* (yield* Signals).run
        for (const change of [
          "update signal set text = '{}' where n = 1",
          "delete from signal where n = 3"
        ]) {
          const refused = yield* Effect.flip(sql.unsafe(change))
          assert.include(JSON.stringify(refused.reason.cause), "signal_stays")
        }
      })
    )

    ledgerTest(
      "is served in pages without a gap, and empty before the first event",
      Effect.gen(function* () {
        const none = yield* signalLedger()
        assert.deepStrictEqual([none.head, none.logged, none.signals], [null, null, []])
        yield* fourDays
        yield* (yield* Signals).run
        const first = yield* signalLedger({ limit: 2 })
        assert.deepStrictEqual(
          first.signals.map(({ n }) => n),
          [3, 2]
        )
        assert.strictEqual(first.next_cursor, "2")
        const second = yield* signalLedger({ limit: "2", cursor: first.next_cursor })
        assert.deepStrictEqual(
          second.signals.map(({ n }) => n),
          [1]
        )
        assert.isUndefined(second.next_cursor)
        for (const page of [first, second]) assert.isTrue(allHold(verifySignals(signalPages(page))))
        for (const wrong of [{ limit: 0 }, { limit: 501 }, { limit: "x" }, { limit: [] }, { cursor: "-1" }]) {
          assert.strictEqual((yield* Effect.flip(signalLedger(wrong)))._tag, "BadParameter")
        }
      })
    )
  })
})

layer(servicesOn(postgres))("replicas of the signal ledger", (it) => {
  it.effect("that run at once, while readings come in, make one chain that says everything once", () =>
    fresh(
      Effect.gen(function* () {
        const ingest = yield* Ingest
        yield* fourDays
        const revising = Effect.forEach(
          Array.from({ length: 30 }, (_, n) => n),
          (n) => ingest.write(Runs.delivery(eight(5), [on(4, 200 + n), on(4, 300 + n, "STORJ")])),
          { discard: true }
        )
        const replica = Effect.repeat(restarted, { times: 8 })
        yield* Effect.all([revising, replica, replica, replica, replica, replica], {
          concurrency: "unbounded"
        })
        yield* restarted
        const rows = yield* ledgerRows
        assert.deepStrictEqual(rows.slice(0, 3), ofFourDays)
        const revisions = rows.slice(3)
        assert.strictEqual(revisions.length, 60)
        for (const symbol of ["FIL", "STORJ"]) {
          const start = symbol === "FIL" ? 200 : 300
          assert.deepStrictEqual(
            revisions.filter((row) => row[1] === symbol).map((row) => row[3]),
            Array.from({ length: 30 }, (_, n) => start + n)
          )
        }
      })
    )
  )
})

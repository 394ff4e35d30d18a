import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Claimant } from "../../core/log/claims.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { fromHex, toHex } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote, verifierOf, verifyNote } from "../../core/proof/checkpoint.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseLeaf, type RowLeaf } from "../../core/proof/leaf.ts"
import { inclusionFrom, leafHash, verifyConsistency, verifyInclusion } from "../../core/proof/merkle.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { UpstreamClock } from "../../core/readings/UpstreamClock.ts"
import { captureLog } from "../support/captureLog.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const eight = (day: number) => Date.UTC(2026, 8, day, 8)

onBothEngines("the daily close", (database) => {
  const services = DailyClose.layer.pipe(Layer.provideMerge(logged(database, noon)))

  layer(services)((it) => {
    const empty = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch, incident_event,
        exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
      yield* (yield* Current).reload
    })
    /** Services whose memory is as empty as the tables. */
    const closing = <A, E>(
      name: string,
      body: Effect.Effect<A, E, Layer.Success<typeof services> | Scope.Scope>
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          yield* empty
          yield* TestClock.setTime(noon)
          const fresh = DailyClose.layer.pipe(Layer.provideMerge(Log.layer))
          return yield* Effect.provide(body, fresh, { local: true })
        })
      )
    /** A close by a clock that is compared with others. */
    const comparing = Layer.fresh(DailyClose.layer).pipe(Layer.provide(TrustedClock.layer))
    /** A close as another process makes it. */
    const another = (log: Log["Service"]) =>
      Effect.provide(
        Effect.flatMap(DailyClose, ({ run }) => run),
        DailyClose.layer.pipe(Layer.provide(Layer.succeed(Log, log))),
        { local: true }
      )
    const leaves = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{
        text: string
      }>`select text from leaf where place is not null order by batch, place`
      return rows.map(({ text }) => parseLeaf(text))
    })

    closing(
      "makes one leaf a series and day, and one that commits to what is absent",
      Effect.gen(function* () {
        const ingest = yield* Ingest
        yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(100, "2026-09-05T10:00:00Z"),
            Runs.row(101, "2026-09-05T11:00:00Z"),
            Runs.row(7, "2026-09-05T11:00:00Z", { symbol: "STORJ", value_text: "7.0000000000000000001" })
          ])
        )
        const close = yield* DailyClose
        yield* TestClock.setTime(eight(6) - 1)
        assert.deepStrictEqual(yield* close.run, [])
        yield* TestClock.setTime(eight(6))
        const [closed, ...others] = yield* close.run
        assert.deepStrictEqual(others, [])
        assert.strictEqual(closed?.tree_size, 3)
        assert.strictEqual(closed?.late, false)
        const [fil, storj, absent] = (yield* leaves) as [RowLeaf, RowLeaf, { n_series: number }]
        assert.deepStrictEqual(
          [fil.symbol, fil.kind, fil.value, fil.n_observations],
          ["FIL", "reading", 101, 2]
        )
        assert.strictEqual(
          fil.readings_sha256,
          createHash("sha256").update("2026-09-05T10:00:00Z|100\n2026-09-05T11:00:00Z|101").digest("hex")
        )
        assert.strictEqual(
          storj.readings_sha256,
          createHash("sha256").update("2026-09-05T11:00:00Z|7.0000000000000000001").digest("hex")
        )
        assert.strictEqual(absent.n_series, 0)
        assert.deepStrictEqual(yield* close.run, [])
      })
    )

    closing(
      "signs by the wall clock, also where the data's clock lies behind it",
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const close = yield* DailyClose
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T10:00:00Z")]))
        yield* TestClock.setTime(eight(10))
        const closed = yield* Effect.provideService(close.run, DataClock.offset, -4 * 86_400_000)
        assert.deepStrictEqual(
          closed.map(({ day }) => day),
          ["2026-09-05"]
        )
        const sql = yield* SqlClient.SqlClient
        const [signed] = yield* sql`select signed_at from checkpoint`
        assert.deepStrictEqual(signed?.["signed_at"], new Date(eight(10)))
      })
    )

    closing(
      "serves proofs out of stored levels that verify under the signed head",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        const close = yield* DailyClose
        const log = yield* Log
        yield* ingest.write(
          Runs.delivery(
            noon,
            ["FIL", "STORJ"].flatMap((symbol) =>
              [1, 2, 3].map((hour) => Runs.row(hour, `2026-09-0${hour}T0${hour}:00:00Z`, { symbol }))
            )
          )
        )
        yield* TestClock.setTime(eight(2))
        yield* close.run
        const before = yield* log.signed
        yield* TestClock.setTime(eight(4))
        const closed = yield* close.run
        assert.deepStrictEqual(
          closed.map(({ day, late }) => [day, late]),
          [
            ["2026-09-02", true],
            ["2026-09-03", false]
          ]
        )
        const head = yield* log.signed
        const note = parseNote(head.note ?? "")
        assert.isNotEmpty(verifyNote(note, [verifierOf(LogKeys.origin, LogKeys.publicKey)]))
        assert.strictEqual(toHex(parseCheckpointText(note.text).root), head.root)
        assert.isTrue(
          verifyConsistency({
            firstSize: before.size,
            firstRoot: fromHex(before.root),
            secondSize: head.size,
            secondRoot: fromHex(head.root),
            path: (yield* log.consistency(before.size)).map((hash) => fromHex(hash))
          })
        )
        const [entry] = yield* sql<{
          text: string
          hash: Uint8Array
        }>`select text, hash from log_entry where place = 2`
        const batch = parseEntry(entry?.text ?? "")
        assert.isTrue(isBatch(batch))
        assert.isTrue(
          verifyInclusion({
            leaf: leafHash(new TextEncoder().encode(entry?.text)),
            index: 2,
            size: head.size,
            path: (yield* log.inclusion(2, head.size)).map((hash) => fromHex(hash)),
            root: fromHex(head.root)
          })
        )
        const levels = yield* sql<{ level: number; hashes: Uint8Array }>`
          select level, hashes from tree_level t join batch b on b.id = t.batch where b.day = '2026-09-03' order by level`
        const [leaf] = yield* sql<{ text: string; place: number }>`
          select l.text, l.place from leaf l join batch b on b.id = l.batch
          where b.day = '2026-09-03' and l.text like '%STORJ%'`
        const size = isBatch(batch) ? batch.tree_size : 0
        assert.isTrue(
          verifyInclusion({
            leaf: leafHash(new TextEncoder().encode(leaf?.text)),
            index: leaf?.place ?? -1,
            size,
            path: inclusionFrom(
              (level, at) => (levels[level]?.hashes ?? new Uint8Array()).slice(at * 32, at * 32 + 32),
              size,
              leaf?.place ?? 0
            ),
            root: fromHex(isBatch(batch) ? batch.root : "")
          })
        )
      })
    )

    closing(
      "what comes after a close enters the next batch as a new version that names the one before",
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const close = yield* DailyClose
        yield* TestClock.setTime(Date.UTC(2026, 8, 4, 12))
        yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(100, "2026-09-04T10:00:00Z"),
            Runs.row(5, "2026-09-04T10:00:00Z", { symbol: "STORJ" })
          ])
        )
        yield* TestClock.setTime(eight(5))
        yield* close.run
        yield* TestClock.setTime(noon)
        yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(110, "2026-09-04T10:00:00Z"),
            Runs.row(6, "2026-09-04T12:00:00Z", { symbol: "STORJ" })
          ])
        )
        yield* TestClock.setTime(eight(6))
        yield* close.run
        const all = (yield* leaves).filter((leaf): leaf is RowLeaf => leaf.kind !== "absent")
        assert.deepStrictEqual(
          all.map(({ kind, symbol, value, version }) => [symbol, version, kind, value]),
          [
            // Recorded at noon, after the cut-off of their day.
            ["FIL", 1, "reading", 100],
            ["STORJ", 1, "reading", 5],
            ["FIL", 2, "revision", 110],
            ["STORJ", 2, "late", 6]
          ]
        )
        const sql = yield* SqlClient.SqlClient
        const [first] = yield* sql<{
          hash: Uint8Array
        }>`select hash from leaf where version = 1 and text like '%"FIL"%'`
        assert.strictEqual(all[2]?.follows, toHex(first?.hash ?? new Uint8Array()))
        const documents = yield* sql<{ kind: string }>`select kind from document`
        assert.deepStrictEqual(documents, [{ kind: "revisions" }])
      })
    )

    closing(
      "flags what an incident excludes",
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const close = yield* DailyClose
        yield* ingest.write(Runs.delivery(noon, [Runs.row(1000, "2026-09-04T10:00:00Z")]))
        yield* ingest.write(Runs.delivery(noon, [Runs.row(1, "2026-09-04T11:00:00Z")]))
        yield* close.run
        const all = (yield* leaves).filter((leaf): leaf is RowLeaf => leaf.kind !== "absent")
        assert.deepStrictEqual(
          all.map(({ excluded_by, value }) => [value, excluded_by !== undefined]),
          [
            [1000, false],
            [1, true]
          ]
        )
      })
    )

    closing(
      "gives the same root for the same data, however often it was begun and given up",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        const close = yield* DailyClose
        // Leaves are in the order of names, not in that of the series.
        for (const symbol of ["STORJ", "FIL"]) {
          yield* ingest.write(Runs.delivery(noon, [Runs.row(5, "2026-09-04T10:00:00Z", { symbol })]))
        }
        const [first] = yield* close.run
        // What a kill between two chunks leaves: a claimed batch, and a leaf where another one comes.
        yield* sql`truncate log_entry, checkpoint, cosignature, anchor, anchor_failure, tree_level`
        const [fil] = yield* sql<{ id: number }>`select id from series where symbol = 'FIL'`
        yield* sql`delete from leaf where series is null or series = ${fil?.id ?? 0}`
        yield* sql`update daily set sealed_by = null, readings_sha256 = null where series = ${fil?.id ?? 0}`
        yield* sql`update leaf set place = 0`
        yield* sql`update batch set closed_at = null, root = null`
        const restarted = Effect.provide(Effect.flatMap(Log, another), Log.layer, { local: true })
        const again = yield* restarted
        // Its claim is held by the process that died: nobody takes it before it ends.
        assert.deepStrictEqual(again, [])
        assert.deepStrictEqual(yield* close.due, ["2026-09-04"])
        yield* TestClock.adjust("61 seconds")
        const [second] = yield* restarted
        assert.strictEqual(second?.root, first?.root)
        assert.strictEqual(second?.tree_size, 3)
      })
    )

    closing(
      "is given up by a process that is stopped, and taken up at once where there is one process at a time",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const close = yield* DailyClose
        const log = yield* Log
        const begun = yield* Deferred.make<void>()
        const stuck = Log.of({
          ...log,
          append: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        })
        yield* (yield* Ingest).write(Runs.delivery(noon, [Runs.row(100, "2026-09-04T10:00:00Z")]))
        const stopped = yield* Effect.forkChild(another(stuck))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(stopped)
        assert.deepStrictEqual(
          yield* sql`select claimed_until < ${new Date(noon)} as free from batch where closed_at is null`,
          [{ free: true }]
        )
        yield* sql`
          insert into batch (day, cut_off, claimed_by, claimed_until)
          values ('2026-09-04', ${new Date(eight(5))}, 'the one', ${new Date(noon + 600_000)})
          on conflict (day) do update set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until`
        assert.deepStrictEqual(yield* another(log), [])
        const [closed] = yield* Effect.provideService(another(log), Claimant, "the one")
        assert.strictEqual(closed?.day, "2026-09-04")
        assert.deepStrictEqual(yield* close.due, [])
      })
    )

    closing(
      "proves absence: a declared series without a reading of the day is in the list",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        const close = yield* DailyClose
        yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(100, "2026-09-03T10:00:00Z"),
            Runs.row(1, "2026-09-04T10:00:00Z", { symbol: "STORJ" })
          ])
        )
        yield* close.run
        const [row] = yield* sql<{ absent: string }>`select absent from batch where day = '2026-09-04'`
        const list = JSON.parse(row?.absent ?? "[]") as ReadonlyArray<{ symbol: string; metric: string }>
        assert.deepStrictEqual(
          list.filter(({ metric }) => metric === "nodes_online").map(({ symbol }) => symbol),
          ["FIL"]
        )
      })
    )

    closing(
      "skips a row that cannot become a leaf: its day is put under an incident, once",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        const close = yield* DailyClose
        const storj = { symbol: "STORJ" }
        yield* ingest.write(
          Runs.delivery(noon, [
            Runs.row(100, "2026-09-04T10:00:00Z"),
            Runs.row(5, "2026-09-04T10:00:00Z", storj),
            Runs.row(6, "2026-09-05T10:00:00Z", storj)
          ])
        )
        yield* sql`update daily set verify_url = '' where day = '2026-09-04'
          and series = (select id from series where symbol = 'STORJ' and metric = 'nodes_online')`
        const [closed] = yield* close.run
        assert.strictEqual(closed?.day, "2026-09-04")
        const sealed = leaves.pipe(
          Effect.map((all) => all.filter((leaf): leaf is RowLeaf => leaf.kind !== "absent")),
          Effect.map((all) => all.map(({ day, symbol }) => [day, symbol]))
        )
        assert.deepStrictEqual(yield* sealed, [["2026-09-04", "FIL"]])
        const [batch] = yield* sql<{ absent: string }>`select absent from batch`
        assert.include(batch?.absent, '"symbol":"STORJ"')
        yield* TestClock.setTime(eight(6))
        yield* close.run
        assert.deepStrictEqual(yield* sealed, [
          ["2026-09-04", "FIL"],
          ["2026-09-05", "STORJ"]
        ])
        const incidents = yield* (yield* Incidents).list(true, 10)
        assert.deepStrictEqual(
          incidents.map(({ from_as_of, kind, symbol, to_as_of }) => [kind, symbol, from_as_of, to_as_of]),
          [["automatic", "STORJ", new Date("2026-09-04T00:00:00Z"), new Date("2026-09-04T23:59:59.999Z")]]
        )
        assert.match(incidents[0]?.reason ?? "", /`verify_url` must be a non-empty string/)
      })
    )

    closing(
      "is late when it comes more than an hour after its time",
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const close = yield* DailyClose
        const hour = 3_600_000
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T10:00:00Z")]))
        yield* TestClock.setTime(eight(6) + hour)
        assert.deepStrictEqual(
          (yield* close.run).map(({ late }) => late),
          [false]
        )
        yield* TestClock.setTime(eight(7) + hour + 1)
        assert.deepStrictEqual(
          (yield* close.run).map(({ late }) => late),
          [true]
        )
      })
    )

    closing(
      "waits while the clock contradicts the dates of several upstreams, and says so",
      Effect.gen(function* () {
        const { lines, logger } = captureLog()
        const ingest = yield* Ingest
        const { run } = Context.get(yield* Layer.build(comparing), DailyClose)
        const close = Effect.provide(run, logger)
        /** A run whose answers came from these hosts, dated so much before this machine's time. */
        const answered = (now: number, behind: number, hosts: ReadonlyArray<string>) => {
          const { bodies, run } = Runs.delivery(now, [Runs.row(100, "2026-09-05T10:00:00Z")])
          const exchanges = run.exchanges.flatMap((exchange) =>
            hosts.map((host, n) => ({
              ...exchange,
              n,
              url: `https://${host}/`,
              headers: { date: new Date(now - behind).toUTCString() }
            }))
          )
          return ingest.write({ bodies, run: { ...run, exchanges } })
        }
        const threeDays = 3 * 86_400_000
        // The clock was set three days ahead: two hosts say so, which are too few.
        const wrong = noon + threeDays
        yield* TestClock.setTime(wrong)
        yield* answered(wrong, threeDays, ["a.example", "b.example"])
        yield* answered(wrong, 0, ["c.example"])
        yield* answered(wrong, threeDays, ["c.example"])
        assert.deepStrictEqual(yield* close, [])
        assert.strictEqual(lines.length, 1)
        assert.match(
          lines[0] ?? "",
          /nothing irreversible is done: the system clock is 3d ahead of the upstreams' \(median of 3 hosts\); set the clock/
        )
        // Five minutes are tolerated.
        yield* answered(wrong, 300_000, ["a.example", "b.example"])
        assert.deepStrictEqual(
          (yield* close).map(({ day }) => day),
          ["2026-09-05", "2026-09-06", "2026-09-07"]
        )
      })
    )

    closing(
      "goes by the clock where no three upstreams answered within the hour",
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const upstreams = yield* UpstreamClock
        const close = Context.get(yield* Layer.build(comparing), DailyClose)
        yield* ingest.write(Runs.delivery(noon, [Runs.row(100, "2026-09-05T10:00:00Z")]))
        yield* TestClock.setTime(eight(6))
        const [exchange] = Runs.delivery(eight(6), []).run.exchanges
        const exchanges = ["a", "b", "c"].map((host) => ({
          ...(exchange ?? assert.fail("a run without an exchange")),
          url: `https://${host}.example/`,
          headers: { date: new Date(noon).toUTCString() }
        }))
        yield* upstreams.note(exchanges)
        assert.deepStrictEqual(yield* close.run, [])
        yield* TestClock.adjust("61 minutes")
        assert.strictEqual((yield* close.run).length, 1)
      })
    )
  })
})

/** The chain of runs: every hour that is over has its document, and a run that comes too late is marked as such. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { attest } from "../../core/log/record/attest.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import { document, runLeaves } from "../../core/log/record/files.ts"
import { observedRun } from "../../core/log/record/observed.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { fromHex, utf8 } from "../../core/proof/bytes.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { leafHash, verifyInclusion } from "../../core/proof/merkle.ts"
import { demandRow } from "../../core/proof/row.ts"
import {
  noRows,
  parseRunLeaf,
  parseRunLeaves,
  type RanLeaf,
  rowsRoot,
  rowText
} from "../../core/proof/runLeaf.ts"
import { checkRunOf, checkRunsOf, parseRuns } from "../../core/proof/runs.ts"
import { parseSchedule } from "../../core/proof/schedule.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { linesOf, packRows } from "../../core/readings/ingest/runs/lines.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { Unavailable } from "../../core/wire/problems/service.ts"
import { namedBodies } from "../../runtime/database/bodies.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import { statingNotary } from "../support/notary/statements.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const minutes = (n: number) => noon + n * 60_000

/** A run that ended so many minutes after noon, otherwise than it would have. */
const ran = (at: number, value: number, more: Partial<Delivery["run"]> = {}): Delivery => {
  const { bodies, run } = Runs.delivery(minutes(at), [Runs.row(value, isoTime(minutes(at)))])
  return { bodies, run: { ...run, due: isoTime(minutes(at) - 1000), ...more } }
}

onBothEngines("the log of runs", (database) => {
  const states = new Map<string, FeedState>()
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [Runs.manifest], states: Effect.sync(() => states) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, noon, feeds))
  )

  layer(services)((it) => {
    const entries = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
      return rows.flatMap(({ text }) => {
        const entry = parseEntry(text)
        return isBatch(entry) ? [] : [entry]
      })
    })

    /** The newest document and its leaves, which belong together. */
    const newest = Effect.gen(function* () {
      const entry = (yield* entries).at(-1)
      if (entry === undefined) return yield* Effect.die("no entry")
      const runs = parseRuns((yield* document(entry.sha256)).body)
      const leaves = parseRunLeaves(yield* runLeaves(runs.hour))
      checkRunsOf(runs, leaves)
      return { entry, runs, leaves }
    })

    it.effect("has an hour once it is over and its runs are stored, each with its outcome", () =>
      Effect.gen(function* () {
        const log = yield* RunLog
        const { write } = yield* Ingest
        yield* TestClock.setTime(minutes(59))
        const body = Runs.delivery(minutes(1), []).run
        yield* write(ran(1, 10), ran(2, 20))
        // The same reading again; one that was refused; one that failed before it read anything.
        const again = Runs.delivery(minutes(3), [Runs.row(20, isoTime(minutes(2)))])
        yield* write(again)
        yield* write({
          ...ran(4, 0),
          run: {
            ...ran(4, 0).run,
            observations: [],
            refused: [{ symbol: "FIL", metric: "nodes_online", reason: "off" }]
          }
        })
        yield* write(
          ran(5, 0, {
            status: "failed",
            error: { tag: "RunTimeout", message: "late" },
            // A clock that was set back while it ran.
            finished: isoTime(minutes(5) - 60_000),
            observations: [],
            exchanges: []
          })
        )
        assert.strictEqual(yield* log.run, 0)
        yield* TestClock.setTime(minutes(63))
        assert.strictEqual(yield* log.run, 0)
        yield* TestClock.setTime(minutes(64) + 1)
        assert.strictEqual(yield* log.run, 1)
        assert.strictEqual(yield* log.run, 0)
        const { entry, leaves, runs } = yield* newest
        assert.deepInclude(entry, {
          kind: "runs",
          subject: "2026-09-05T12",
          recorded_at: isoTime(minutes(64) + 1)
        })
        assert.deepInclude(runs, { late: false, n_late: 0, n_exchanges: 4, tree_size: 5 })
        assert.deepStrictEqual(
          leaves.map(({ outcome }) => outcome),
          ["stored", "stored", "unchanged", "refused", "failed"]
        )
        const [failed] = leaves.flatMap((leaf) => (leaf.outcome === "failed" ? [leaf] : []))
        assert.strictEqual(failed?.ended, failed?.began)
        for (const hour of ["2026-13-05T12", "2026-02-31T12", "2026-09-05T24"])
          assert.strictEqual((yield* Effect.flip(runLeaves(hour)))._tag, "NotFound", hour)
        const [first, , third, , fifth] = leaves as ReadonlyArray<RanLeaf>
        assert.deepInclude(first, {
          plugin: "testnet",
          due: "2026-09-05T12:00:59Z",
          ended: "2026-09-05T12:01:00Z",
          n_rows: 1,
          rows_root: rowsRoot([Runs.row(10, isoTime(minutes(1)))]),
          targets_sha256: body.targets_sha256
        })
        assert.isUndefined(third?.due)
        assert.deepInclude(fifth, { n_rows: 0, rows_root: noRows, exchanges: [] })
      })
    )

    it.effect("takes a run that comes later up in the next hour, as late, and never changes an old one", () =>
      Effect.gen(function* () {
        const log = yield* RunLog
        const { write } = yield* Ingest
        const before = (yield* newest).entry
        yield* TestClock.setTime(minutes(90))
        yield* write(ran(30, 30))
        yield* write(ran(61, 40))
        assert.strictEqual(yield* log.run, 0)
        // Nobody was there at the end of the hour, nor of the next one, in which nothing ran.
        yield* write(ran(190, 50))
        yield* TestClock.setTime(minutes(250))
        assert.strictEqual(yield* log.run, 2)
        const all = yield* entries
        assert.deepStrictEqual(all[0], before)
        assert.deepStrictEqual(
          all.map(({ subject }) => subject),
          ["2026-09-05T12", "2026-09-05T13", "2026-09-05T15"]
        )
        const thirteen = parseRuns((yield* document(all[1]?.sha256 ?? "")).body)
        assert.deepInclude(thirteen, { late: true, n_late: 1, tree_size: 2 })
        const late = parseRunLeaves(yield* runLeaves("2026-09-05T13"))
        checkRunsOf(thirteen, late)
        assert.deepStrictEqual(
          late.map((leaf) => leaf.outcome !== "skipped" && leaf.late === true),
          [true, false]
        )
        assert.isFalse((yield* newest).runs.late)
      })
    )

    it.effect("leaves runs of an earlier version, and those that are half stored, out", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* RunLog
        const { write } = yield* Ingest
        yield* write(ran(250, 60), ran(251, 70))
        yield* sql`update run set rows_root = null, outcome = null where finished_at = ${new Date(minutes(250))}`
        yield* sql`update run set complete = false where finished_at = ${new Date(minutes(251))}`
        yield* TestClock.setTime(minutes(310))
        assert.strictEqual(yield* log.run, 0)
        yield* sql`update run set complete = true where finished_at = ${new Date(minutes(251))}`
        assert.strictEqual(yield* log.run, 1)
        assert.strictEqual((yield* newest).runs.tree_size, 1)
      })
    )

    it.effect("has the schedule of a day ahead of it, and says which run was skipped and why", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* RunLog
        const { write } = yield* Ingest
        const midnight = Date.UTC(2026, 8, 6)
        const at = (n: number) => (midnight - noon) / 60_000 + n
        states.set("testnet", {
          plugin: "testnet",
          state: "failing",
          last_started: null,
          last_success: null,
          last_failure: null,
          last_error: null,
          // Again after a failure, which is not of its cadence.
          next_run: "2026-09-05T23:31:17Z",
          cadence_from: "2026-09-05T20:05:00Z",
          runs: 0,
          failures: 0
        })
        yield* TestClock.setTime(midnight - 31 * 60_000)
        // What is left of today.
        assert.strictEqual(yield* log.run, 1)
        yield* TestClock.setTime(midnight - 30 * 60_000)
        assert.strictEqual(yield* log.run, 1)
        assert.strictEqual(yield* log.run, 0)
        const [today, tomorrow] = (yield* entries).slice(-2)
        const schedules = yield* Effect.forEach([today, tomorrow], (entry) =>
          Effect.map(document(entry?.sha256 ?? ""), ({ body }) => parseSchedule(body))
        )
        assert.deepStrictEqual(
          schedules.map(({ day, feeds }) => [day, ...feeds]),
          [
            ["2026-09-05", { plugin: "testnet", every: 900, first: "2026-09-05T23:35:00Z" }],
            ["2026-09-06", { plugin: "testnet", every: 900, first: "2026-09-06T00:05:00Z" }]
          ]
        )
        // Due at 23:35, 23:50, 0:05 and so on. The service is up until 0:21; the run of 0:05 fails, and that of 0:20 never comes.
        yield* sql`insert into uptime ${sql.insert({
          part: "answering",
          process: "p",
          up_from: new Date(noon),
          up_until: new Date(midnight + 21 * 60_000)
        })}`
        yield* write(ran(at(-25), 80), ran(at(-9.5), 90))
        yield* write(
          ran(at(5.5), 0, {
            status: "failed",
            error: { tag: "UpstreamRefused", message: "no" },
            observations: []
          })
        )
        yield* write(ran(at(65.5), 100))
        yield* TestClock.setTime(midnight + 125 * 60_000)
        assert.strictEqual(yield* log.run, 3)
        const [before, first, second] = yield* Effect.forEach(
          ["2026-09-05T23", "2026-09-06T00", "2026-09-06T01"],
          (hour) => Effect.map(runLeaves(hour), parseRunLeaves)
        )
        assert.deepStrictEqual([before?.length, first?.length], [2, 1])
        assert.deepStrictEqual(
          second?.flatMap((leaf) =>
            leaf.outcome === "skipped" ? [[leaf.due.slice(11, 16), leaf.cause]] : []
          ),
          [
            ["00:20", "its last run had failed: UpstreamRefused"],
            ["00:35", "the service was away"]
          ]
        )
        const { entry, runs } = yield* newest
        assert.deepEqual([runs.n_skipped, runs.schedule], [2, tomorrow?.sha256])
        assert.strictEqual(entry.subject, "2026-09-06T01")
        states.clear()
      })
    )

    it.effect("proves which run gave the value of a day, from its leaf to the head", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 8, 6, 8))
        const sql = yield* SqlClient.SqlClient
        const since = Date.UTC(2026, 7, 1)
        const first = { announcedAt: since, notBefore: since, endOfOld: since }
        yield* sql.withTransaction(enter("log", LogKeys.publicKey, first))
        assert.lengthOf(yield* (yield* DailyClose).run, 1)
        const { leaf, log, observed } = yield* attest({
          symbol: "FIL",
          metric: "nodes_online",
          date: "2026-09-05"
        })
        assert.isDefined(observed)
        if (observed === undefined) return
        const run = parseRunLeaf(observed.leaf)
        const value = parseLeaf(leaf)
        if (run.outcome === "skipped" || value.kind === "absent") return assert.fail("another leaf")
        assert.strictEqual(run.run, observed.run)
        demandRow(value, run, observed.row)
        assert.throws(
          () => demandRow({ ...value, value: value.value + 1 }, run, observed.row),
          /does not lead/
        )
        const hour = parseRuns(observed.document)
        checkRunOf(hour, run)
        const under = (
          text: string,
          proof: { index: number; size: number; path: ReadonlyArray<string> },
          root: string
        ) =>
          verifyInclusion({
            leaf: leafHash(utf8(text)),
            index: proof.index,
            size: proof.size,
            path: proof.path.map((node) => fromHex(node, 32)),
            root: fromHex(root, 32)
          })
        assert.isTrue(under(observed.leaf, observed, hour.root))
        assert.isTrue(under(observed.log.entry, observed.log, log.root))
        const entry = parseEntry(observed.log.entry)
        assert.isFalse(isBatch(entry))
        if (isBatch(entry)) return
        assert.strictEqual(entry.sha256, createHash("sha256").update(observed.document).digest("hex"))
        const proof = yield* bundle({ symbol: "FIL", metric: "nodes_online", date: "2026-09-05" })
        const beside = yield* evidence({ symbol: "FIL", metric: "nodes_online", date: "2026-09-05" })
        const check = verifyBundle(proof, { evidence: beside }).checks.find(({ name }) => name === "run")
        assert.deepInclude(check, { ok: true })
        assert.include(check?.detail, `run ${observed.run} gave this value`)
        // What is no longer what was published is not shown as such.
        yield* sql`update run set n_rows = 2 where id = ${observed.run}`
        assert.isUndefined(yield* observedRun(observed.run))
        yield* sql`update run set n_rows = 1 where id = ${observed.run}`
        assert.isDefined(yield* observedRun(observed.run))
      })
    )

    it.effect("signs heads that are neither stamped nor shown to witnesses once there are newer ones", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // Three documents, the schedules of two days, three documents at once; and the close, which dates them all.
        assert.deepStrictEqual(
          yield* sql`select array_agg(gathered order by size) as gathered from checkpoint`,
          [{ gathered: [true, true, true, true, true, true, false] }]
        )
      })
    )

    it.effect("keeps the rows of what was stored, the leaves, and the inputs, and a backup has them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { stored } = yield* Blobs
        const hashes = (yield* sql<{ sha256: string }>`
          select rows_sha256 as sha256 from run where outcome = 'stored' union all select leaves from runs_hour`).map(
          ({ sha256 }) => sha256
        )
        const named = new Set((yield* Stream.runCollect(namedBodies)).flat())
        assert.isAbove(hashes.length, 6)
        assert.strictEqual((yield* stored(hashes)).size, new Set(hashes).size)
        assert.isTrue(hashes.every((one) => named.has(one)))
        assert.deepStrictEqual(yield* sql`select kind, text from run_input order by kind`, [
          { kind: "settings", text: "{}" },
          { kind: "targets", text: "[]" }
        ])
      })
    )

    it.effect("sends the leaves of an hour only if they are those that its document commits to", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [first, second] = yield* sql<{ hour: Date; leaves: string }>`
          select hour, leaves from runs_hour where hour > ${new Date(noon)} order by hour limit 2`
        if (first === undefined || second === undefined) return assert.fail("too few hours")
        const hour = first.hour.toISOString().slice(0, 13)
        const sealed = yield* runLeaves(hour)
        yield* sql`update runs_hour set leaves = ${second.leaves} where hour = ${first.hour}`
        const refused = yield* Effect.flip(runLeaves(hour))
        assert.strictEqual(refused instanceof Unavailable, true)
        assert.match(String(refused), /are not those that the log commits to/)
        yield* sql`update runs_hour set leaves = ${first.leaves} where hour = ${first.hour}`
        assert.strictEqual(yield* runLeaves(hour), sealed)
      })
    )

    it.effect("counts the hours in which notaries were drawn, and no other", () =>
      Effect.gen(function* () {
        const { write } = yield* Ingest
        const log = yield* RunLog
        const { vkey } = statingNotary(1)
        const lot = { head: "7".repeat(64), notary: vkey, from: [vkey] }
        const first = 60 * 24 * 5
        const drawnIn = [0, 2, 3]
        for (const hour of [0, 1, 2, 3, 4])
          yield* write(ran(first + 60 * hour, hour, drawnIn.includes(hour) ? { lot } : {}))
        // Hours are written many at a time, and one at a time after a restart.
        for (const until of [3.5, 4.5, 6]) {
          yield* TestClock.setTime(minutes(first + 60 * until))
          while ((yield* log.run) > 0);
        }
        const ofHours = yield* Effect.forEach([0, 1, 2, 3, 4], (hour) =>
          Effect.map(runLeaves(isoTime(minutes(first + 60 * hour)).slice(0, 13)), parseRunLeaves)
        )
        assert.deepStrictEqual(
          ofHours.map((leaves) => leaves.some((leaf) => "lot" in leaf)),
          [true, false, true, true, false]
        )
        const sql = yield* SqlClient.SqlClient
        const documents = yield* sql<{ body: string }>`
          select body from document where kind = 'runs' and body like '%"drawn_from":%' order by subject`
        assert.deepStrictEqual(
          documents.map(({ body }) => parseRuns(body).n_draws),
          [1, 2, 3]
        )
      })
    )

    it.effect("backs up the leaves of an earlier log as well", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ hour: Date; leaves: string }>`
          select hour, leaves from runs_hour where hour > ${new Date(noon)} order by hour limit 2`
        const [first, second] = rows
        if (first === undefined || second === undefined) return assert.fail("too few hours")
        yield* sql`insert into earlier_log (origin, format, size, root, note, restarted_at)
          values ('log.example/earlier', 2, 1, '', '', now())`
        // As a restart sets them aside.
        yield* sql`insert into earlier_row (log, name, row)
          select (select max(id) from earlier_log), 'runs_hour', to_jsonb(t) from runs_hour t where hour = ${first.hour}`
        yield* sql`delete from runs_hour where hour = ${first.hour}`
        const named = new Set((yield* Stream.runCollect(namedBodies)).flat())
        assert.isTrue(named.has(first.leaves) && named.has(second.leaves))
      })
    )

    it.effect("has one root over rows, however it is made, and of one row the line of the derivation", () =>
      Effect.gen(function* () {
        const rows = Array.from({ length: 9000 }, (_, n) =>
          Runs.row(n, isoTime(noon + n), n % 2 === 0 ? { value_text: `${n}.0` } : {})
        )
        for (const some of [rows, rows.slice(0, 4096), rows.slice(0, 4097), rows.slice(0, 1), []])
          assert.strictEqual((yield* packRows(some)).root, rowsRoot(some))
        assert.strictEqual(linesOf(rows.slice(0, 2)), `${rows.slice(0, 2).map(rowText).join("\n")}\n`)
      })
    )
  })
})

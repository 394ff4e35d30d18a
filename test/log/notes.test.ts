/** What notaries state of a run: in its leaf, in what is served of it, in the bundle of its value, and what a reader makes of that. */
import { hash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { derivationOf, noteOf as servedNote } from "../../core/log/record/derivation.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import { document, runLeaves } from "../../core/log/record/files.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import type { Bundle } from "../../core/proof/bundle.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import type { Evidence } from "../../core/proof/evidence.ts"
import { notaryListHash } from "../../core/proof/lot.ts"
import { noteHash } from "../../core/proof/notarisation.ts"
import { parseRunLeaves } from "../../core/proof/runLeaf.ts"
import { checkRunsOf, parseRuns } from "../../core/proof/runs.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { keepNotes } from "../../core/readings/ingest/runs/notes.ts"
import { silenceOf } from "../../core/readings/ingest/runs/silentNotary.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import { noteOf, type StatingNotary, statedExchange, statingNotary } from "../support/notary/statements.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const minutes = (n: number) => noon + n * 60_000
const host = "stats.example.net"
const [n1, n2, stranger] = [statingNotary(1), statingNotary(2), statingNotary(3)]
const head = "a".repeat(64)

/** A run so many minutes after noon through a notary, which read the value of noon. */
const ran = (at: number, notary: StatingNotary, symbol = "FIL"): Delivery => {
  const { bodies, run } = Runs.delivery(minutes(at), [Runs.row(10, isoTime(noon), { symbol })])
  return { bodies, run: { ...run, lot: { head, notary: notary.vkey, from: [notary.vkey] } } }
}

const noteAbout = ({ run }: Delivery, notary: StatingNotary): string =>
  noteOf(
    notary,
    host,
    run.exchanges.map((exchange) => statedExchange(exchange)),
    // A session that two notaries claim counts once.
    { session: hash("sha256", `${run.id} ${notary.vkey}`) }
  )

/** The notes of a run as its collector hands them over. */
const notesOf = ({ run }: Delivery, notes: ReadonlyArray<string>) => ({
  run: run.id,
  notes,
  exchanges: [{ n: 0, notes: notes.map(noteHash) }]
})

onBothEngines("what notaries state", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [Runs.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, noon, feeds))
  )

  layer(services)((it) => {
    it.effect("is in the leaf of the run and proved with its value, for who names the notaries", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { write } = yield* Ingest
        const log = yield* RunLog
        const notaries = [n1.verifier, n2.verifier]
        yield* TestClock.setTime(minutes(59))
        const first = ran(1, n1)
        const again = ran(16, n2)
        const note = noteAbout(first, n1)
        // Of a run that is not stored, of another notary, with a part of the notes missing, or altered: nothing is kept.
        assert.isFalse(yield* keepNotes(notesOf(first, [note]), notaries))
        yield* write(first)
        yield* write(again)
        // Its lot fell on another notary than the one that carried it.
        const elsewhere = ran(31, n1, "STORJ")
        yield* write(elsewhere)
        for (const bad of [
          notesOf(first, [noteAbout(first, stranger)]),
          notesOf(first, [note.replace('"cut":false', '"cut":true')]),
          { ...notesOf(first, [note]), notes: [] },
          { ...notesOf(first, [note]), exchanges: [{ n: 7, notes: [noteHash(note)] }] }
        ])
          assert.isFalse(yield* keepNotes(bad, notaries))
        assert.isTrue(yield* keepNotes(notesOf(first, [note]), notaries))
        assert.isTrue(yield* keepNotes(notesOf(again, [noteAbout(again, n2)]), notaries))
        assert.isTrue(yield* keepNotes(notesOf(elsewhere, [noteAbout(elsewhere, n2)]), notaries))

        yield* TestClock.setTime(minutes(66))
        yield* log.run
        const [entry] = yield* sql<{ text: string }>`select text from log_entry order by place desc limit 1`
        const parsed = parseEntry(entry?.text ?? "")
        if (isBatch(parsed)) return assert.fail("no document of runs")
        const hours = yield* sql<{ document: string }>`select document from runs_hour`
        const runs = parseRuns((yield* document(hours[0]?.document ?? "")).body)
        const leaves = parseRunLeaves(yield* runLeaves(runs.hour))
        checkRunsOf(runs, leaves)
        assert.deepStrictEqual(
          [runs.n_exchanges, runs.n_notarised, runs.notaries],
          [3, 3, [n1.vkey, n2.vkey].sort()]
        )
        const [leaf] = leaves
        if (leaf === undefined || leaf.outcome === "skipped") return assert.fail("no leaf")
        assert.deepStrictEqual(leaf.lot, { head, notary: n1.vkey, from: notaryListHash([n1.vkey]) })
        // One after the other, as each run drew from its own.
        assert.sameDeepMembers([...(runs.drawn_from ?? [])], [[n1.vkey], [n2.vkey]])
        assert.deepStrictEqual(leaf.exchanges[0]?.notes, [noteHash(note)])

        // The leaf is written: what comes now is too late.
        assert.isFalse(yield* keepNotes(notesOf(first, [noteAbout(first, n2)]), notaries))

        const served = yield* derivationOf(first.run.id)
        assert.deepStrictEqual(served.lot, { head, notary: n1.vkey })
        assert.deepStrictEqual(served.exchanges[0]?.notes, [noteHash(note)])
        assert.strictEqual(yield* servedNote(noteHash(note)), note)
        assert.strictEqual((yield* Effect.flip(servedNote("0".repeat(64))))._tag, "NotDerived")

        yield* TestClock.setTime(Date.UTC(2026, 8, 6, 8))
        const since = Date.UTC(2026, 7, 1)
        const key = { announcedAt: since, notBefore: since, endOfOld: since }
        yield* sql.withTransaction(enter("log", LogKeys.publicKey, key))
        yield* (yield* DailyClose).run
        const proof = yield* bundle({ symbol: "FIL", metric: "nodes_online", date: "2026-09-05" })
        const beside = yield* evidence({ symbol: "FIL", metric: "nodes_online", date: "2026-09-05" })
        const verdict = (
          notaries: ReadonlyArray<StatingNotary>,
          least = 1,
          evidence: Evidence = beside,
          of: Bundle = proof
        ) =>
          verifyBundle(of, {
            evidence,
            ...(notaries.length === 0
              ? {}
              : { notaries: { notaries: notaries.map(({ verifier }) => verifier), least } })
          }).checks.find(({ name }) => name === "notaries")
        assert.strictEqual(verdict([])?.ok, "not checked")
        const one = verdict([n1])
        assert.strictEqual(one?.ok, true, one?.detail)
        assert.include(
          one?.detail,
          "1 notary (notary.test/n1) carried this answer from the holder of the host's certificate (stats.example.net)"
        )
        assert.include(one?.detail, "remains to be trusted")
        // Two runs with the very same rows, through two notaries.
        const both = verdict([n1, n2, stranger], 2)
        assert.strictEqual(both?.ok, true, both?.detail)
        assert.include(both?.detail, "2 notaries (notary.test/n1, notary.test/n2)")
        assert.strictEqual(verdict([n1, n2, stranger], 3)?.ok, "not proved")
        assert.strictEqual(verdict([stranger])?.ok, "not proved")

        const storj = { symbol: "STORJ", metric: "nodes_online", date: "2026-09-05" }
        const wrong = verdict([n1, n2], 1, yield* evidence(storj), yield* bundle(storj))
        assert.strictEqual(wrong?.ok, false)
        assert.include(
          wrong?.detail,
          `run ${elsewhere.run.id} was carried by the notary ${n2.vkey}, but ${n1.vkey} was drawn for it`
        )

        if (beside.observed === undefined) return assert.fail("no run")
        const { again: others = [], notes = [], ...observed } = beside.observed
        assert.deepStrictEqual([others.length, notes.length], [1, 2])
        // Without its statements, or with that of another run, the value has none.
        assert.strictEqual(verdict([n1], 1, { ...beside, observed })?.ok, "not proved")
        const altered = notes.map((text) => text.replace('"cut":false', '"cut":true'))
        assert.strictEqual(
          verdict([n1], 1, { ...beside, observed: { ...observed, notes: altered } })?.ok,
          false
        )
        const [other] = others
        if (other === undefined) return assert.fail("no other run")
        const twice = {
          ...beside.observed,
          again: [{ ...other, leaf: other.leaf.replace(again.run.id, first.run.id) }]
        }
        assert.strictEqual(verdict([n1, n2], 2, { ...beside, observed: twice })?.ok, false)
      })
    )

    it.effect("is absent where none was drawn, and nothing else of the run differs", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { write } = yield* Ingest
        yield* TestClock.setTime(minutes(119))
        const plain = Runs.delivery(minutes(70), [Runs.row(11, isoTime(minutes(69)))])
        yield* write(plain)
        const [row] = yield* sql<{
          lot_head: string | null
        }>`select lot_head from run where id = ${plain.run.id}`
        assert.isNull(row?.lot_head)
        const served = yield* derivationOf(plain.run.id)
        assert.isUndefined(served.lot)
        assert.isUndefined(served.exchanges[0]?.notes)
      })
    )

    it.effect(
      "says of a notary that stated before when three of its runs have no statement, and no longer when one has",
      () =>
        Effect.gen(function* () {
          const { write } = yield* Ingest
          const n4 = statingNotary(4)
          const silent = (at: number) => silenceOf(n4.vkey, minutes(at))
          yield* TestClock.setTime(minutes(119))
          yield* write(ran(80, n4))
          yield* write(ran(81, n4))
          yield* write(ran(82, n4))
          // It has stated nothing yet: whether it can is not known.
          assert.isUndefined(yield* silent(119))
          const stated = ran(83, n4)
          yield* write(stated)
          yield* keepNotes(notesOf(stated, [noteAbout(stated, n4)]), [n4.verifier])
          yield* write(ran(85, n4))
          yield* write(ran(86, n4))
          yield* write(ran(87, n1))
          assert.isUndefined(yield* silent(119))
          yield* write(ran(88, n4))
          // What it states of the last one may still come.
          assert.isUndefined(yield* silent(98))
          assert.deepStrictEqual(yield* silent(99), { runs: 3, since: new Date(minutes(85) - 1000) })
          const again = ran(90, n4)
          yield* write(again)
          yield* keepNotes(notesOf(again, [noteAbout(again, n4)]), [n4.verifier])
          assert.isUndefined(yield* silent(119))
        })
    )
  })
})

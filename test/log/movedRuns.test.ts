/**
 * Runs that left the tables: every reader answers of them as before, byte for byte; what cannot be read back never leaves; and a damaged
 * file is an error, never a run that is not there.
 */
import { hash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { faultsOf } from "../../core/log/archive/requireIntact.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { attest } from "../../core/log/record/attest.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import {
  derivation,
  derivationOf,
  newestRunOf,
  provenDerivationOf
} from "../../core/log/record/derivation.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import { document, runLeaves } from "../../core/log/record/files.ts"
import { verification } from "../../core/log/record/verification.ts"
import { moveRuns } from "../../core/log/runFiles/moveRuns.ts"
import { removeReturned } from "../../core/log/runFiles/removeReturned.ts"
import { watchRunFiles } from "../../core/log/runFiles/watchRunFiles.ts"
import { leavesOfRuns } from "../../core/log/runLeaves.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { noteHash } from "../../core/proof/notarisation.ts"
import { runLeafText } from "../../core/proof/runLeaf.ts"
import { hourOf } from "../../core/proof/runs.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { removeOld } from "../../core/readings/ingest/bodies.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { keepNotes } from "../../core/readings/ingest/runs/notes.ts"
import { Unavailable } from "../../core/wire/problems/service.ts"
import { namedBodies } from "../../runtime/database/bodies.ts"
import { onBothEngines } from "../support/database.ts"
import { attested, dueAt } from "../support/due.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import { noteOf, statedExchange, statingNotary } from "../support/notary/statements.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000
const hour = 3_600_000
const start = Date.UTC(2026, 8, 5)
/** Everything of September is over. */
const later = Date.UTC(2027, 1, 20)
const keepDays = 90

const notaries = [statingNotary(1), statingNotary(2)]
const plugins = ["testnet", "othernet"]

const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !value.includes("\0"))
const exchange = fc.record({
  method: fc.constantFrom("GET" as const, "POST" as const, "LISTEN" as const),
  path: fc.oneof(text, fc.constant("x".repeat(600))),
  body: fc.option(text, { nil: undefined }),
  status: fc.constantFrom(200, 304, 404, 503),
  headers: fc.dictionary(fc.constantFrom("date", "etag", "last-modified", "content-type"), text),
  confirmed: fc.boolean()
})
/** What a run is beside its time. */
const kind = fc.record({
  plugin: fc.constantFrom(...plugins),
  value: fc.integer({ min: 1000, max: 1001 }),
  symbol: fc.constantFrom("FIL", "STORJ"),
  fate: fc.constantFrom("ok" as const, "ok" as const, "refused" as const, "failed" as const),
  message: text,
  exchanges: fc.array(exchange, { maxLength: 4 }),
  settings: fc.dictionary(fc.constantFrom("REGION", "LIMIT"), text),
  code: fc.nat(1),
  notary: fc.constantFrom(undefined, ...notaries)
})
type Kind = typeof kind extends fc.Arbitrary<infer A> ? A : never

const deliveryOf = (one: Kind, at: number): Delivery => {
  // The same rows come again, through another notary among others.
  const asOf = isoTime(Math.floor(at / (6 * hour)) * 6 * hour)
  const rows =
    one.fate === "ok" ? [Runs.row(one.value, asOf, { symbol: one.symbol, source: `${one.plugin}_feed` })] : []
  const { bodies, run } = Runs.delivery(at, rows, one.plugin)
  const [first] = run.exchanges
  if (first === undefined) return assert.fail("no exchange")
  const more = one.exchanges.map(({ body, confirmed, headers, method, path, status }, n) => ({
    ...first,
    n: n + 1,
    method,
    url: `https://stats.example.net/v1/${path}`,
    ...(body === undefined ? {} : { request_body: body }),
    status,
    headers,
    confirmed
  }))
  return {
    bodies,
    run: {
      ...run,
      due: isoTime(at - 1000),
      code_hash: String(one.code).repeat(64),
      settings: one.settings,
      exchanges: one.fate === "failed" && one.code === 1 ? [] : [first, ...more],
      ...(one.fate === "failed"
        ? { status: "failed" as const, error: { tag: "UpstreamRefused", message: one.message } }
        : {}),
      ...(one.fate === "refused"
        ? { refused: [{ symbol: one.symbol, metric: "nodes_online", reason: one.message }] }
        : {}),
      ...(one.notary === undefined
        ? {}
        : { lot: { head: "7".repeat(64), notary: one.notary.vkey, from: notaries.map(({ vkey }) => vkey) } })
    }
  }
}

/** A run that read one value, through a notary or without one. */
const plain = (value: number, through?: (typeof notaries)[number]): Kind => ({
  plugin: "testnet",
  value,
  symbol: "FIL",
  fate: "ok",
  message: "",
  exchanges: [],
  settings: {},
  code: 0,
  notary: through
})

onBothEngines("runs in files", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({
      manifests: plugins.map((id) => ({ ...Runs.manifest, id, source: `${id}_feed` })),
      states: Effect.succeed(new Map())
    })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, start, feeds))
  )

  layer(services)((it) => {
    const ids: Array<string> = []
    const write = Effect.fnUntraced(function* (one: Kind, at: number) {
      const delivery = deliveryOf(one, at)
      ids.push(delivery.run.id)
      yield* TestClock.setTime(at)
      yield* (yield* Ingest).write(delivery)
      const [first] = delivery.run.exchanges
      if (one.notary === undefined || first === undefined) return
      const session = hash("sha256", delivery.run.id)
      const note = noteOf(one.notary, "stats.example.net", [statedExchange(first)], { session })
      yield* keepNotes(
        { run: delivery.run.id, notes: [note], exchanges: [{ n: 0, notes: [noteHash(note)] }] },
        notaries.map(({ verifier }) => verifier)
      )
    })
    /** Hours that are over, in the log. */
    const logHours = Effect.gen(function* () {
      const log = yield* RunLog
      while ((yield* log.run) > 0);
    })
    /** As the maintenance removes what is over: bodies, then readings. */
    const retire = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(later)
      yield* partitions.ensure(later)
      yield* sql`delete from fact where starts_with(name, 'bodies_removed_until:')`
      yield* removeOld(dueAt(later), { attested, keepDays })
      yield* partitions.dropBefore(dueAt(later), { attested, keepDays })
    })
    const move = moveRuns(dueAt(later), { attested, keepDays })
    const rows = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ runs: number; exchanges: number; moved: number }>`
        select (select count(*)::int from run) as runs, (select count(*)::int from exchange) as exchanges,
          (select count(*)::int from moved_run) as moved`
      return row ?? assert.fail("no counts")
    })
    const pagesOf = Effect.fnUntraced(function* (plugin: string | undefined) {
      const pages: Array<unknown> = []
      let cursor: string | undefined
      do {
        const page: Effect.Success<ReturnType<typeof derivation>> = yield* derivation({
          plugin,
          limit: "7",
          cursor
        })
        pages.push(page)
        cursor = page.next_cursor
      } while (cursor !== undefined)
      return pages
    })
    /** What everybody who reads runs is told, from nothing that is remembered of earlier readers. */
    const everything = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Proofs are remembered by the database: this is another one.
      return yield* Effect.provideService(answers, SqlClient.SqlClient, new Proxy(sql, {}))
    })
    const answers = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const hours = yield* sql<{ hour: Date }>`select hour from runs_hour order by hour`
      const days = yield* sql<{ day: string; origin: string | null }>`
        select day::text as day, origin from batch order by day`
      const values = days.flatMap(({ day: date }) =>
        ["FIL", "STORJ"].map((symbol) => ({ symbol, metric: "nodes_online", date }))
      )
      return {
        pages: yield* Effect.forEach([undefined, ...plugins], pagesOf),
        runs: yield* Effect.forEach(ids, provenDerivationOf),
        newest: yield* Effect.forEach(plugins, newestRunOf),
        leaves: yield* Effect.forEach(hours, ({ hour: at }) => runLeaves(hourOf(at.getTime()))),
        recomputed: (yield* leavesOfRuns(ids, "2026-09-05T00", false)).map(runLeafText),
        values: yield* Effect.forEach(values, (value) =>
          Effect.all({
            attest: Effect.option(attest(value)),
            bundle: Effect.option(bundle(value)),
            evidence: Effect.option(evidence(value)),
            verification: Effect.option(verification(value))
          })
        ),
        origins: yield* Effect.forEach(days, ({ origin }) =>
          origin === null ? Effect.succeed(null) : document(origin)
        )
      }
    })

    it.effect("answer as they did in the tables, to every reader", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const since = Date.UTC(2026, 7, 1)
        const first = { announcedAt: since, notBefore: since, endOfOld: since }
        yield* TestClock.setTime(start)
        yield* sql.withTransaction(enter("log", LogKeys.publicKey, first))
        for (const [n, one] of fc.sample(kind, { numRuns: 60, seed: 57 }).entries())
          yield* write(one, start + hour + n * 41 * 60_000)
        // The same rows, through two notaries that state every answer; and again, with an answer that nobody states.
        const evening = start + 2 * day + 20 * hour
        for (const [n, through] of notaries.entries())
          yield* write(plain(1002, through), evening + n * 600_000)
        const [bare] = fc.sample(exchange, { numRuns: 1, seed: 57 })
        yield* write(
          { ...plain(1002, notaries[1]), exchanges: bare === undefined ? [] : [bare] },
          evening + 1_800_000
        )
        yield* TestClock.setTime(start + 3 * day + 9 * hour)
        yield* logHours
        yield* (yield* DailyClose).run
        yield* logHours
        yield* retire
        const before = yield* everything
        assert.isAbove(before.origins.filter((origin) => origin !== null).length, 0)
        assert.isTrue(
          before.values.some(({ verification }) => Option.isSome(verification) && verification.value.verified)
        )
        assert.isTrue(
          before.values.some(
            ({ evidence }) => Option.isSome(evidence) && (evidence.value.observed?.again?.length ?? 0) > 0
          )
        )
        const there = yield* rows
        const least = sql`select value from fact where name = 'schema_least:log'`
        assert.deepStrictEqual(yield* least, [])
        assert.strictEqual(yield* move, 63)
        // A release that knows no files would find no run where there is one: it does not start any more.
        assert.deepStrictEqual(yield* least, [{ value: "18" }])
        const left = yield* rows
        assert.deepInclude(left, { exchanges: 0, moved: 63 })
        assert.isAbove(left.runs, 0)
        assert.isBelow(left.runs, there.runs / 2)
        assert.deepStrictEqual(yield* sql`select run from unmoved_run`, [])
        assert.deepStrictEqual(yield* everything, before)
        assert.strictEqual(yield* move, 0)
        // A backup has the files.
        const named = new Set((yield* Stream.runCollect(namedBodies)).flat())
        const files = yield* sql<{ sha256: string }>`select sha256 from run_file`
        assert.isAbove(files.length, 10)
        assert.isTrue(files.every(({ sha256 }) => named.has(sha256)))
      })
    )

    /** An hour of three runs, logged and over. */
    const anHour = Effect.fnUntraced(function* (at: number) {
      const from = ids.length
      for (const n of [1, 2, 3]) yield* write(plain(1000 + n), at + n * 60_000)
      yield* TestClock.setTime(at + 2 * hour)
      yield* logHours
      yield* retire
      return ids.slice(from)
    })

    it.effect("stay where one is not what the log has, and says why", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const three = yield* anHour(start + 10 * day)
        yield* sql`update exchange set url = 'https://elsewhere.example/' where run = ${three[1] ?? ""}`
        const before = yield* Effect.forEach(three, provenDerivationOf)
        assert.strictEqual(yield* move, 2)
        assert.deepStrictEqual(yield* sql`select run, reason from unmoved_run`, [
          { run: three[1], reason: "its leaf is not the one that the log has" }
        ])
        assert.deepStrictEqual(yield* sql`select run from exchange`, [{ run: three[1] }])
        assert.deepStrictEqual(yield* Effect.forEach(three, provenDerivationOf), before)
      })
    )

    it.effect("stay while their file cannot be written or read back", () =>
      Effect.gen(function* () {
        yield* anHour(start + 11 * day)
        const blobs = yield* Blobs
        const before = yield* rows
        for (const get of [
          () => Effect.succeed(Option.none<Uint8Array>()),
          (sha256: string) =>
            Effect.map(
              blobs.get(sha256),
              Option.map((bytes) => bytes.subarray(0, -5))
            )
        ]) {
          const failed = yield* Effect.flip(Effect.provideService(move, Blobs, Blobs.of({ ...blobs, get })))
          assert.strictEqual(failed._tag, "RunsUnavailable")
          assert.deepStrictEqual(yield* rows, before)
        }
        assert.strictEqual(yield* move, 3)
      })
    )

    it.effect("stay while their readings, their bodies or their days need them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* anHour(start + 12 * day)
        const at = start + 12 * day
        assert.strictEqual(yield* moveRuns(dueAt(later), { attested: at, keepDays }), 0)
        assert.strictEqual(yield* moveRuns(dueAt(at + 90 * day), { attested, keepDays }), 0)
        for (const name of ["observation_kept_from", "bodies_removed_until:othernet"]) {
          const [fact] = yield* sql<{ value: string }>`delete from fact where name = ${name} returning value`
          assert.strictEqual(yield* move, 0, name)
          yield* sql`insert into fact ${sql.insert({ name, value: fact?.value ?? "" })}`
        }
        assert.strictEqual(yield* move, 3)
      })
    )

    it.effect("are an error where their file is damaged or away, which the operator is told", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [moved = ""] = yield* anHour(start + 13 * day)
        assert.strictEqual(yield* move, 3)
        const [file] = yield* sql<{ sha256: string }>`
          select f.sha256 from run_file f join moved_run m on m.file = f.id where m.run = ${moved}`
        const sha256 = file?.sha256 ?? ""
        const blobs = yield* Blobs
        const whole = Option.getOrThrow(yield* blobs.get(sha256))
        const [other] = yield* sql<{
          bytes: Uint8Array
        }>`select bytes from blob where sha256 <> ${sha256} limit 1`
        const faults = faultsOf(yield* ArchiveFiles)
        for (const bytes of [other?.bytes, whole.subarray(0, 20), undefined]) {
          yield* blobs.remove([sha256])
          if (bytes !== undefined) yield* blobs.put(sha256, bytes)
          const exit = yield* Effect.exit(derivationOf(moved))
          assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unavailable)
          assert.strictEqual((yield* Effect.flip(derivationOf("nothing")))._tag, "NotDerived")
          yield* watchRunFiles
          assert.match([...faults.values()].join("\n"), new RegExp(sha256))
        }
        yield* blobs.put(sha256, whole)
        yield* watchRunFiles
        assert.deepStrictEqual([...faults], [])
        assert.strictEqual((yield* derivationOf(moved)).n_exchanges, 1)
      })
    )

    it.effect("do not keep the bodies that a restore brings back, unless a run in the tables has them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const blobs = yield* Blobs
        const [one = "", two = ""] = yield* anHour(start + 14 * day)
        assert.strictEqual(yield* move, 3)
        const bodyOf = (id: string) =>
          Effect.map(derivationOf(id), ({ exchanges }) => exchanges[0]?.sha256 ?? "")
        const [gone, needed] = [yield* bodyOf(one), yield* bodyOf(two)]
        assert.deepStrictEqual(yield* blobs.stored([gone, needed]), new Set())
        // A run of today has read one of them again.
        yield* write(plain(1002), later - day)
        const [body] = yield* sql<{ bytes: Uint8Array }>`select bytes from blob where sha256 = ${needed}`
        yield* blobs.put(gone, body?.bytes ?? new Uint8Array())
        const limits = { attested, keepDays }
        assert.isAtLeast(yield* removeReturned(dueAt(later), limits), 1)
        assert.deepStrictEqual(yield* blobs.stored([gone, needed]), new Set([needed]))
        // Once.
        yield* blobs.put(gone, body?.bytes ?? new Uint8Array())
        assert.strictEqual(yield* removeReturned(dueAt(later), limits), 0)
      })
    )
  })
})

/** All runs of a day derived again, as a copy of the log names them: what the copy lacks and what was altered is named. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import type { RowLeaf } from "../../core/proof/leaf.ts"
import type { RanLeaf } from "../../core/proof/runLeaf.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { mirror } from "../../http/client/verifier/src/mirror.ts"
import { served } from "../../http/client/verifier/src/monitor/source.ts"
import { portable } from "../../runtime/collector/load.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { RowsOfDay } from "../../runtime/derivation/batchOfDay.ts"
import { rederiveDay } from "../../runtime/derivation/rederiveDay.ts"
import * as StoreSources from "../../runtime/derivation/storeSources.ts"
import { lastReading, start } from "../../runtime/tape/instants.ts"
import { timeOn } from "../../runtime/tape/tape.ts"
import { client } from "../support/monitorOnce.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl, Service } from "../support/service.ts"

const plugin = await Effect.runPromise(Plugins.find("storj"))
const compress = promisify(zstdCompress)

/** A live run over the demo's tape. */
const liveRun = Effect.gen(function* () {
  const recorded = yield* player(plugin)
  const { bodies, run } = yield* produce(recorded, timeOn(recorded.reel, lastReading(plugin.manifest, start)))
  const { simulated: _, ...live } = run
  return { bodies, run: live }
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-day-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** A mirror of the log as it is served, in a folder. */
const copyAt = Effect.fnUntraced(function* (now: number) {
  const copy = yield* folder
  const { get, paths } = yield* client
  const options = { trust: {}, now: () => now, random: () => 0, say: () => undefined }
  const { findings } = yield* Effect.promise(() => mirror(served(get, baseUrl), copy, options))
  assert.deepStrictEqual(findings, [])
  return { copy, paths }
})

const services = Layer.mergeAll(RunLog.layer, StoreSources.layer).pipe(
  Layer.provideMerge(Service.layer({ manifests: [portable(plugin.manifest)] })),
  Layer.provideMerge(layerWebCrypto)
)

layer(services)("the runs of a day", (it) => {
  it.effect("are derived again from a copy of the log, which names what it lacks and what was altered", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const delivery = yield* liveRun
      yield* (yield* Ingest).write(delivery)
      const now = Date.parse(delivery.run.finished) + 2 * 3_600_000
      yield* TestClock.setTime(now)
      assert.isAbove(yield* (yield* RunLog).run, 0)
      const day = new Date(Date.parse(delivery.run.finished)).toISOString().slice(0, 10)

      const { copy, paths } = yield* copyAt(now)
      // The head is over runs alone, and no calendar stamps it.
      assert.isTrue(paths.some((path) => path.includes("/checkpoints/")))
      assert.deepStrictEqual(
        paths.filter((path) => path.endsWith(".ots")),
        []
      )

      const steps: Array<number> = []
      const again = rederiveDay({
        day,
        mirror: copy,
        limit: 100,
        progress: (looked) => Effect.sync(() => void steps.push(looked))
      })
      const whole = yield* again
      assert.deepInclude(whole, {
        day,
        lacking: [],
        runs: 1,
        looked: 1,
        same: 1,
        differing: 0,
        unavailable: 0,
        otherCode: 0,
        batch: "open",
        unsealed: 0
      })
      assert.isAbove(whole.hours, 0)

      const [exchange] = delivery.run.exchanges
      assert.isDefined(exchange)
      const blobs = yield* Blobs
      const before = yield* blobs.get(exchange.sha256)
      assert.strictEqual(before._tag, "Some")
      const altered = yield* Effect.promise(() => compress(Buffer.from("{}")))
      const sql = yield* SqlClient.SqlClient
      yield* sql`update blob set bytes = ${altered} where sha256 = ${exchange.sha256}`
      const differing = yield* again
      assert.deepInclude(differing, { same: 0, differing: 1 })
      const [named] = differing.named
      assert.deepInclude(named, { run: delivery.run.id, plugin: "storj" })
      assert.include(named?.why, `body of exchange ${exchange.n}`)

      const hour = new Date(Date.parse(delivery.run.finished)).toISOString().slice(0, 13)
      rmSync(join(copy, "v1/log/runs", hour, "leaves"))
      const without = yield* again
      assert.deepInclude(without, { hours: whole.hours, lacking: [hour], runs: 0, looked: 0 })
      const none = yield* Effect.flip(
        rederiveDay({ day: "2026-01-01", mirror: copy, limit: 1, progress: () => Effect.void })
      )
      assert.match(none.message, /has no runs of 2026-01-01: copy the log first/)
    })
  )

  it.effect("are named on the page of a metric, with their place in the log", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [run] = yield* sql<{
        id: string
      }>`select id from run where outcome = 'stored' order by id limit 1`
      assert.isDefined(run)
      yield* TestClock.setTime(start + 2 * 24 * 3_600_000)
      yield* (yield* DailyClose).run
      const { metric, symbol } = (yield* sql<{ metric: string; symbol: string }>`
        select s.symbol, s.metric from leaf l join series s on s.id = l.series order by s.id limit 1`)[0] ?? {
        symbol: "",
        metric: ""
      }
      const reply = yield* (yield* Service).call(`/network/${symbol}/${metric}`)
      const page = reply.body.toString("utf8")
      assert.match(page, new RegExp(`<dt>Run</dt><dd><a href="/v1/derivation/${run.id}">`))
      assert.match(
        page,
        /, leaf 0 of its hour, log entry \d+; no notary stated what the source answered<\/dd>/
      )
    })
  )
})

/** What a service does before it closes a day, and how many readings of its runs the batch lacks. */
const closing: ReadonlyArray<{
  readonly name: string
  readonly sql: ReadonlyArray<string>
  readonly missing: ReadonlyArray<RegExp>
  /** Whether the readings of the day before were so small that a guard holds those of the day. */
  readonly isHeld?: true
}> = [
  { name: "has all that the runs of an honest service read", sql: [], missing: [] },
  { name: "has what a guard of an honest service holds", sql: [], missing: [], isHeld: true },
  {
    name: "lacks a reading that a modified service forgot",
    sql: [
      "delete from observation where series = (select min(id) from series)",
      "delete from daily where series = (select min(id) from series)"
    ],
    missing: [/^run \S+ read STORJ \S+ of storj\S* of 2026-\S+, and the batch has none of the day$/]
  }
]

it("the batch of a day has an earlier reading in the place of the last one", () => {
  const row = (value: number, hour: number) => Runs.row(value, `2026-09-05T${hour}:00:00Z`)
  const run = { run: "r1", outcome: "stored" } as RanLeaf
  const rows = new RowsOfDay("2026-09-05")
  rows.add(run, [row(900, 10), row(950, 18)])
  rows.add({ ...run, run: "r2", outcome: "recheck" }, [row(999, 20)])
  const sealed = (value: number, hour: number) =>
    ({ ...row(value, hour), kind: "reading", day: "2026-09-05" }) as RowLeaf
  assert.deepStrictEqual(rows.missingIn([sealed(950, 18)]), [])
  assert.deepStrictEqual(rows.missingIn([sealed(900, 10)]), [
    "run r1 read FIL nodes_online of test_feed of 2026-09-05T18:00:00Z, and the batch has that of 2026-09-05T10:00:00Z as the last"
  ])
})

/** The readings of a run as they were a day before it, at a thousandth. */
const dayBefore = ({ run }: Delivery): Delivery => {
  const before = (time: string) => Date.parse(time) - 24 * 3_600_000
  const rows = run.observations.map(({ value_text: _, ...row }) => ({
    ...row,
    value: Math.ceil(row.value / 1000),
    as_of: isoTime(before(row.as_of))
  }))
  return Runs.delivery(before(run.finished), rows, run.plugin)
}

const heldCount = Effect.map(
  SqlClient.SqlClient.use((sql) => sql<{ n: number }>`select count(*)::int as n from incident`),
  ([row]) => row?.n ?? 0
)

for (const { isHeld = false, missing, name, sql: statements } of closing)
  layer(services)("the batch of a day", (it) => {
    it.effect(name, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(start)
        const delivery = yield* liveRun
        const ingest = yield* Ingest
        if (isHeld) yield* ingest.write(dayBefore(delivery))
        yield* ingest.write(delivery)
        assert.strictEqual((yield* heldCount) > 0, isHeld)
        const day = delivery.run.finished.slice(0, 10)
        yield* Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true })
        const now = Date.parse(day) + 33 * 3_600_000
        yield* TestClock.setTime(Date.parse(delivery.run.finished) + 2 * 3_600_000)
        yield* (yield* RunLog).run
        yield* TestClock.setTime(now)
        yield* (yield* DailyClose).run
        const { copy } = yield* copyAt(now)
        const report = yield* rederiveDay({ day, mirror: copy, limit: 100, progress: () => Effect.void })
        assert.deepInclude(report, {
          same: 1,
          differing: 0,
          batch: "compared",
          unsealed: missing.length
        })
        for (const [n, says] of missing.entries()) assert.match(report.missing[n] ?? "", says)
      })
    )
  })

/**
 * A service that seals other values than its runs gave, in everything else honest, and one that does not: of the first no value is
 * proved, of the other every leaf has its run.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import { verification } from "../../core/log/record/verification.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { type Check, subjectOf } from "../../core/proof/check.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { removeOld } from "../../core/readings/ingest/bodies.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000
const noon = Date.UTC(2026, 8, 5, 12)
const at = (hours: number, days = 0): number => noon + hours * 3_600_000 + days * day

/** A run at a time that read one value, at an address of its own. */
const ran = (time: number, value: number, asOf = time) =>
  Runs.delivery(time, [Runs.row(value, isoTime(asOf), { verify_url: `https://up.example/${asOf}` })])

const runOf = (checks: ReadonlyArray<Check>): Check | undefined =>
  checks.find((one) => subjectOf(one) === "run")

onBothEngines("a value and its run", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [Runs.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, noon, feeds))
  )

  layer(services)((it) => {
    const write = Effect.fnUntraced(function* (time: number, delivery: ReturnType<typeof ran>) {
      yield* TestClock.setTime(time)
      yield* (yield* Ingest).write(delivery)
    })
    /** The checks of a day's bundle with what the service has beside it. */
    const checksOf = Effect.fnUntraced(function* (date: string) {
      const name = { symbol: "FIL", metric: "nodes_online", date }
      const file = yield* bundle(name)
      const beside = yield* evidence({ ...name, size: file.log.size })
      return { file, beside, ...verifyBundle(file, { evidence: beside, network: file.anchor.network }) }
    })

    it.effect("has a run for an honest value, also where an incident or a later reading moved its row", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const since = Date.UTC(2026, 7, 1)
        const first = { announcedAt: since, notBefore: since, endOfOld: since }
        yield* TestClock.setTime(at(0))
        yield* sql.withTransaction(enter("log", LogKeys.publicKey, first))
        yield* write(at(0), ran(at(0) - 1000, 900))
        yield* write(at(2), ran(at(2) - 1000, 901))
        yield* TestClock.setTime(at(3) + 5 * 60_000)
        yield* (yield* RunLog).run
        // The last reading of the day is taken out of it in the evening: its row is that of noon again, recorded now.
        yield* TestClock.setTime(at(6))
        const { open } = yield* Incidents
        yield* open({ symbol: "FIL", metric: "nodes_online", from: at(2) - 1000, to: at(2) }, "counted twice")
        // The unit of the series is another from the next day on, by its manifest.
        yield* sql`update series set unit = 'usd'`
        yield* TestClock.setTime(at(20) + 1000)
        yield* (yield* RunLog).run
        yield* (yield* DailyClose).run
        const { beside, checks, file } = yield* checksOf("20260905")
        const leaf = parseLeaf(file.leaf)
        if (leaf.kind === "absent") return assert.fail("an absence")
        assert.deepInclude(leaf, {
          value: 900,
          unit: "count",
          verify_url: `https://up.example/${at(0) - 1000}`,
          recorded_at: isoTime(at(6))
        })
        assert.isDefined(beside.observed?.cause?.incidents)
        assert.deepInclude(runOf(checks), { ok: true })
        assert.match(runOf(checks)?.detail ?? "", /its row was changed at .* by incident 1/)
        const { cause: _, ...causeless } = beside.observed ?? assert.fail("no run")
        const without = verifyBundle(file, { evidence: { ...beside, observed: causeless } })
        assert.deepInclude(runOf(without.checks), { ok: "not proved" })
        assert.match(runOf(without.checks)?.detail ?? "", /nothing says by what/)
        assert.isTrue(
          checks.some(({ name, ok }) => name === "the value follows from the body" && ok === "not checked")
        )
        const last = checks.find(({ name }) => name === "the last of its day")
        assert.deepInclude(last, { ok: "not checked" })
        assert.include(last?.detail, "verify derivations 2026-09-05 --mirror")
      })
    )

    it.effect("has none for a value that was changed after its run's root was computed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* write(at(1, 1), ran(at(1, 1) - 1000, 901))
        // The one changed line: what is stored is another value than what the run gave.
        yield* sql`update observation set value = 9999 where value = 901 and as_of = ${new Date(at(1, 1) - 1000)}`
        yield* sql`update daily set value = 9999 where value = 901 and day = '2026-09-06'`
        yield* TestClock.setTime(at(20, 1) + 1000)
        yield* (yield* RunLog).run
        yield* (yield* DailyClose).run
        const { beside, checks, file } = yield* checksOf("20260906")
        assert.include(file.leaf, "9999")
        assert.isUndefined(beside.observed)
        assert.deepInclude(runOf(checks), { ok: "not proved" })
        assert.match(runOf(checks)?.detail ?? "", /no run is known that gave this value/)
        assert.isFalse(checks.some(({ ok }) => ok === false))
        const served = yield* verification({ symbol: "FIL", metric: "nodes_online", date: "20260906" })
        assert.deepInclude(
          served.checks.find(({ name }) => name === "run"),
          { result: "not_checked" }
        )
      })
    )

    it.effect("has one for a value whose hour was entered after the batch, under a later head", () =>
      Effect.gen(function* () {
        // Read a minute before the batch is closed; its hour is entered four minutes after it.
        yield* write(at(19.99, 2), ran(at(19.98, 2), 905, at(1, 2)))
        yield* TestClock.setTime(at(20, 2) + 1000)
        yield* (yield* DailyClose).run
        yield* TestClock.setTime(at(20, 2) + 5 * 60_000)
        yield* (yield* RunLog).run
        const { beside, checks } = yield* checksOf("20260907")
        assert.deepInclude(runOf(checks), { ok: true })
        const old = { symbol: "FIL", metric: "nodes_online", date: "20260907" }
        const file = yield* bundle(old)
        const early = yield* evidence({ ...old, size: file.log.index + 1 })
        assert.isTrue(beside.head !== undefined || early.head !== undefined)
      })
    )

    it.effect("has them for good: the rows of a run that gave a leaf are not removed", () =>
      Effect.gen(function* () {
        const later = at(0, 900)
        yield* removeOld({ wall: later, data: later }, { attested: later, keepDays: 1 })
        assert.deepInclude(runOf((yield* checksOf("20260905")).checks), { ok: true })
      })
    )
  })
})

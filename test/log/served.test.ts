/** A database altered while its service was stopped: what is served after the start, and who says so. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { readiness } from "../../core/log/record/readiness.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { daysBetween } from "../../core/readings/read/days.ts"
import { numberText } from "../../core/readings/read/differing.ts"
import { CacheBytes } from "../../http/server.ts"
import { captureLog } from "../support/captureLog.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { clearRecentDays } from "../support/views.ts"

const at = (day: number, hour = 8) => Date.UTC(2026, 8, day, hour)
const metric = "active_storage_providers"

// The second stands halfway between two doubles, where Postgres writes other digits than JSON.
const values = { FIL: 901, GEOD: 300000000000100000 }

const readings = (day: string) =>
  Object.entries(values).map(([symbol, value]) =>
    Runs.row(value, `2026-09-${day}T01:00:00Z`, { symbol, metric, source: "made-up" })
  )

onBothEngines("a database altered while its service was stopped", (database) => {
  layer(Service.layer({ database }).pipe(Layer.provide(Layer.succeed(CacheBytes, 1))))((it) => {
    const restarted = Effect.andThen(
      Effect.flatMap(Current, ({ reload }) => reload),
      clearRecentDays
    )
    const body = (path: string) =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { body, status } = yield* call(path)
        return { status, text: String(body) }
      })
    const pointsOf = (symbol: string) =>
      Effect.map(body(`/v1/history?network=${symbol}&metric=${metric}`), ({ text }) => {
        const series = JSON.parse(text).data[symbol]?.[metric]
        return [series?.points.map((point: { value: number }) => point.value), series?.excluded_dates]
      })

    it.effect("serves neither a closed day, an open one nor a latest value that differs, and says so", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ingest = yield* Ingest
        yield* TestClock.setTime(at(4, 7))
        yield* ingest.write(Runs.delivery(at(4, 2), [...readings("03"), ...readings("04")], "made-up"))
        yield* TestClock.setTime(at(4))
        yield* (yield* DailyClose).run
        yield* restarted
        for (const [symbol, value] of Object.entries(values))
          assert.deepStrictEqual(yield* pointsOf(symbol), [[value, value], undefined], symbol)
        const warned = Effect.map(readiness, ({ warnings }) =>
          warnings.flatMap(({ code, message }) => (code === "rows_differ" ? [message] : []))
        )
        assert.deepStrictEqual(yield* warned, [])

        const of = sql`(select id from series where symbol = 'FIL')`
        yield* sql`update daily set value = 9999 where day = '2026-09-03' and series = ${of}`
        yield* sql`update daily set value = 8888 where day = '2026-09-04' and series = (select id from series where symbol = 'GEOD')`
        yield* sql`update latest set value = 7777 where series = ${of}`
        yield* restarted
        assert.deepStrictEqual(yield* pointsOf("FIL"), [[901], ["2026-09-03"]])
        assert.deepStrictEqual(yield* pointsOf("GEOD"), [[values.GEOD], ["2026-09-04"]])
        assert.notInclude((yield* body("/v1/network/FIL")).text, "7777")
        assert.match((yield* warned).join(), /^3 stored rows differ .* plumbline log check/)
        const rows = yield* sql<{ id: number }>`select id from series where symbol = 'FIL'`
        const fromSql = yield* daysBetween(
          rows.map(({ id }) => id),
          { from: at(3, 0), to: at(4, 0) },
          10
        )
        assert.deepStrictEqual(
          fromSql.map(({ incident, value }) => [incident > 0, value]),
          [
            [false, 901],
            [true, 9999]
          ]
        )

        const { lines, logger } = captureLog()
        yield* Effect.gen(function* () {
          const { run } = yield* ServedSample
          yield* run
          yield* run
        }).pipe(Effect.provide(ServedSample.layer), Effect.provide(logger))
        assert.lengthOf(
          lines.filter((line) => line.includes("differs from what was sealed or read")),
          3
        )
        const opened = yield* (yield* Incidents).list(true, 10)
        assert.deepStrictEqual(
          opened.map((one) => [one.kind, one.symbol, one.from_as_of.toISOString().slice(0, 10)]).sort(),
          [
            ["automatic", "FIL", "2026-09-03"],
            ["automatic", "FIL", "2026-09-04"],
            ["automatic", "GEOD", "2026-09-04"]
          ]
        )
        // The altered row of the closed day is still there, under its later version.
        assert.match((yield* warned).join(), /^One stored row differs/)
        yield* sql`update daily set value = 901 where day = '2026-09-03' and version = 1 and incident = 0 and series = ${of}`
        yield* Effect.flatMap(ServedSample, ({ run }) => run).pipe(Effect.provide(ServedSample.layer))
        assert.deepStrictEqual(yield* warned, [])
        for (const { id } of opened) yield* (yield* Incidents).close(id, "the rows are in order again")
        yield* restarted
        for (const [symbol, value] of Object.entries(values))
          assert.deepStrictEqual(yield* pointsOf(symbol), [[value, value], undefined], symbol)
      })
    )

    it.effect("sends no list of absences but the one that the day's batch commits to, and says so", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const path = "/v1/log/batches/2026-09-03/absent"
        const damaged = Effect.map(readiness, ({ warnings }) =>
          warnings.flatMap(({ code, message }) => (code === "archive_damaged" ? [message] : []))
        )
        const [sealed] = yield* sql<{ absent: string }>`select absent from batch where day = '2026-09-03'`
        const altered = '[{"metric":"made_up","source":"made-up","symbol":"FIL"}]'
        yield* sql`update batch set absent = ${altered} where day = '2026-09-03'`
        const refused = yield* body(path)
        assert.strictEqual(refused.status, 503)
        assert.match(refused.text, /absences of 2026-09-03 are not those that the log commits to/)
        assert.include((yield* damaged).join(), path)
        yield* sql`update batch set absent = ${sealed?.absent ?? ""} where day = '2026-09-03'`
        assert.deepStrictEqual(yield* body(path), { status: 200, text: sealed?.absent })
        assert.deepStrictEqual(yield* damaged, [])
      })
    )

    it.effect("writes numbers in SQL as leaves have them", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const numbers = [0, -0, 1, -2.5, 1e-4, 9.999e-5, 1.5e-6, 9.9e-7, 1.5e-7, -3e-12, 5e-324, 0.1 + 0.2]
        const large = [
          1e14,
          123456789012345.6,
          1e15,
          2 ** 53,
          1234567890123456800,
          9.99e20,
          1e21,
          -2.5e25,
          1.5e308
        ]
        for (const value of [...numbers, ...large]) {
          const [row] = yield* sql<{ text: string }>`
            select ${sql.literal(numberText("v"))} as text from (select ${value}::float8 as v) t`
          assert.strictEqual(row?.text, canonical(value))
        }
      })
    )

    it.effect("shows no leaf that was changed in place", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const attest = body(`/v1/attest?symbol=GEOD&metric=${metric}&date=20260903`)
        assert.strictEqual((yield* attest).status, 200)
        const series = sql`(select id from series where symbol = 'GEOD')`
        const changes = [
          sql`update leaf set text = replace(text, '"value":', '"value":1') where series = ${series}`,
          sql`update leaf set text = 'x' where series = ${series}`,
          sql`update leaf set text = replace(text, '"value":', '"value":1'),
            hash = sha256(${"\\x00"}::bytea || convert_to(replace(text, '"value":', '"value":1'), 'UTF8'))
            where series = ${series}`
        ]
        yield* sql`create table kept as select * from leaf where series = ${series}`
        for (const change of changes) {
          yield* change
          yield* restarted
          yield* TestClock.adjust("1 second")
          const { status, text } = yield* body(
            `/v1/attest?symbol=GEOD&metric=${metric}&date=20260903&source=made-up&format=bundle`
          )
          assert.deepStrictEqual([status, JSON.parse(text).reason], [404, "altered"])
          assert.deepStrictEqual(yield* pointsOf("GEOD"), [[values.GEOD], ["2026-09-03"]])
          assert.lengthOf(
            (yield* readiness).warnings.filter(({ code }) => code === "rows_differ"),
            1
          )
          yield* sql`update leaf set text = k.text, hash = k.hash from kept k where leaf.series = k.series and leaf.day = k.day`
        }
      })
    )
  })
})

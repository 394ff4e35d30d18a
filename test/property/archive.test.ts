/**
 * Whatever is read, read late, restated, excluded and accepted again, and however far the archive is behind the closes: a
 * long window has the same rows from the archive as from SQL, in columns and in histories.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { columns } from "../../core/products/shared/columns.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { endless } from "../../core/readings/ingest/write/exclusions.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { lastDays } from "../../core/readings/read/days.ts"
import { history } from "../../core/readings/read/history.ts"
import { LongHistory } from "../../core/readings/read/LongHistory.ts"
import * as longHistory from "../../runtime/archive/longHistory.ts"
import * as Archives from "../support/archive.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

// `RUNS` makes a campaign of it.
const numRuns = Number(process.env["RUNS"] ?? 1)

const hour = 3_600_000
const day = 24 * hour
/** The window passes the turn of a year. */
const first = Date.UTC(2026, 9, 20)
const mostDays = 96

const series = ["FIL", "STORJ"].flatMap((symbol) =>
  ["nodes_online", "price_change_24h_pct"].map((metric) => ({ symbol, metric }))
)

const event = fc.record({
  on: fc.integer({ min: 1, max: mostDays }),
  of: fc.nat(series.length - 1),
  does: fc.oneof(
    { weight: 3, arbitrary: fc.constant("late") },
    { weight: 3, arbitrary: fc.constant("restate") },
    { weight: 2, arbitrary: fc.constant("exclude") },
    { weight: 1, arbitrary: fc.constant("accept") },
    { weight: 3, arbitrary: fc.constant("archive") }
  ),
  ago: fc.integer({ min: 0, max: 40 }),
  value: fc.integer({ min: 1, max: 9 })
})
const past = fc.record({
  events: fc.array(event, { minLength: 10, maxLength: 30 }),
  /** Days without a reading of a series. */
  gaps: fc.array(fc.tuple(fc.nat(mostDays), fc.nat(series.length - 1)), { maxLength: 40 }),
  /** Days that the archive is behind at the end, and days that no batch has closed. */
  behind: fc.nat(3),
  open: fc.nat(2)
})
type Past = typeof past extends fc.Arbitrary<infer A> ? A : never

onBothEngines("the archive", (database) => {
  const services = Layer.mergeAll(Ingest.layer, Incidents.layer).pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable)),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(first + 400 * day)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )
  const folder = Archives.temporary()

  const live = Effect.fnUntraced(function* ({ behind, events, gaps, open }: Past) {
    const ingest = yield* Ingest
    const incidents = yield* Incidents
    const close = yield* DailyClose
    const archive = yield* Archive
    const opened: Array<number> = []
    const without = new Set(gaps.map(([n, of]) => `${n} ${of}`))
    for (let n = 0; n <= mostDays; n++) {
      const now = first + n * day + 12 * hour
      yield* TestClock.setTime(now)
      const rows = series.flatMap(({ metric, symbol }, of) =>
        without.has(`${n} ${of}`)
          ? []
          : [
              Runs.row(n + of / 4, isoTime(now - hour), {
                symbol,
                metric,
                unit: metric === "nodes_online" ? "count" : "pct",
                verify_url: `https://stats.example.net/v1/${n % 3}`,
                ...(n % 5 === 0 ? { value_text: `${n + of / 4}.0`.replace(/(\.\d+)\.0$/, "$1") } : {})
              })
            ]
      )
      if (rows.length > 0) yield* ingest.write(Runs.delivery(now, rows))
      for (const { ago, does, of, on, value } of events) {
        if (on !== n) continue
        const { metric, symbol } = series[of] ?? assert.fail("no series")
        const at = Math.max(first, now - ago * day)
        const row = (as_of: number) =>
          Runs.row(value, isoTime(as_of), {
            symbol,
            metric,
            unit: metric === "nodes_online" ? "count" : "pct"
          })
        if (does === "late") yield* ingest.write(Runs.delivery(now, [row(at - 2 * hour + value * 1000)]))
        if (does === "restate") yield* ingest.write(Runs.delivery(now, [row(at - hour)]))
        if (does === "exclude") {
          const id = yield* incidents
            .open({ symbol, metric, from: at - day, to: value % 2 === 0 ? endless : at }, "a bad deploy")
            .pipe(Effect.catchTag("RangeEmpty", () => Effect.succeed(0)))
          if (id > 0) opened.push(id)
        }
        if (does === "accept") {
          const id = opened.shift()
          if (id !== undefined) yield* incidents.close(id, "it was right")
        }
        if (does === "archive" && n < mostDays - behind - open) yield* archive.run
      }
      yield* TestClock.setTime(now + 10 * hour)
      if (n > mostDays - open) continue
      yield* close.run
      if (n === mostDays - open - behind) yield* archive.run
    }
    const now = first + mostDays * day + 23 * hour
    const window = lastDays(now, 94)
    const queries = Effect.all({
      all: columns({ metrics: ["nodes_online", "price_change_24h_pct"], ...window }),
      one: columns({ symbol: "FIL", ...window }),
      history: Effect.map(
        history({ access: { ...keyless, historyDays: null }, network: "STORJ", days: 94 }),
        ({ data, note }) => ({ data, note })
      )
    })
    const reads = Context.get(yield* Layer.build(longHistory.layer({ ceiling: 512, folder })), LongHistory)
    let answered = 0
    const counted = <A>(result: A | undefined): A | undefined => {
      if (result !== undefined) answered++
      return result
    }
    const watched =
      reads === undefined
        ? undefined
        : {
            columns: (...of: Parameters<typeof reads.columns>) => Effect.map(reads.columns(...of), counted),
            rows: (...of: Parameters<typeof reads.rows>) => Effect.map(reads.rows(...of), counted)
          }
    const fresh = Effect.scoped(
      Effect.flatMap(Layer.build(Layer.fresh(Current.layer)), (current) =>
        Effect.provideContext(queries, current)
      )
    )
    const bySql = yield* fresh
    yield* TestClock.setTime(now + 1)
    const byArchive = yield* Effect.provideService(fresh, LongHistory, watched)
    assert.deepStrictEqual(byArchive, bySql)
    // An incident without an end may leave a series without a row.
    assert.isNotEmpty(byArchive.all)
    // Columns may still be known from the first pass; the history never is.
    assert.isAtLeast(answered, 1)
  })

  layer(services)((it) => {
    it.effect(
      "has the rows of the database",
      () =>
        Effect.gen(function* () {
          const context = yield* Effect.context<Layer.Success<typeof services>>()
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(past, (one) =>
                Effect.runPromiseWith(context)(
                  Effect.gen(function* () {
                    const sql = yield* SqlClient.SqlClient
                    yield* sql`truncate anchor, anchor_failure, cosignature, checkpoint, document, log_entry, tree_level, leaf, batch,
                      archive_file, archive_part, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row,
                      exchange, run, blob, fact`
                    yield* TestClock.setTime(first)
                    yield* (yield* Current).reload
                    yield* Effect.provide(
                      live(one),
                      Archive.layer.pipe(
                        Layer.provide(Archives.drafts),
                        Layer.provideMerge(DailyClose.layer),
                        Layer.provideMerge(Log.layer)
                      ),
                      { local: true }
                    )
                  }).pipe(Effect.scoped)
                )
              ),
              { numRuns, endOnFailure: true }
            )
          )
        }),
      240_000
    )
  })
})

/** A close of more rows than one transaction holds: what its leaves say, and what is left when it fails in the middle. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { parseLeaf, type RowLeaf } from "../../core/proof/leaf.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const hour = (n: number) => Date.UTC(2026, 8, 5, n)
const closing = Date.UTC(2026, 8, 6, 8)

/** In the order in which they are published. */
const symbols = ["FIL", "STORJ"]
const metrics = Array.from({ length: 650 }, (_, n) => `metric_${String(n).padStart(3, "0")}`)
const series = symbols.flatMap((symbol) => metrics.map((metric) => ({ symbol, metric })))

/** The readings of a series as they end up: one or three, the first restated or not, exact or not. */
const readingsOf = (n: number) => {
  const first = n % 5 === 0 ? 101 : 100
  const exact = n % 7 === 0 ? `${first}.00000000000000000${n}` : undefined
  return [
    { at: 10, value: first, value_text: exact },
    ...(n % 3 === 0
      ? [
          { at: 11, value: 102, value_text: undefined },
          {
            at: 12,
            value: 103 + (n % 4),
            value_text: n % 2 === 0 ? `${103 + (n % 4)}.0000000000000000${n}` : undefined
          }
        ]
      : [])
  ].map(({ at, value, value_text }) => ({
    as_of: `2026-09-05T${at}:00:00Z`,
    value,
    ...(value_text === undefined ? {} : { value_text })
  }))
}

const rowsAt = (at: number): ReadonlyArray<Observation> =>
  series.flatMap((of, n) =>
    readingsOf(n)
      .filter(({ as_of }) => as_of === `2026-09-05T${at}:00:00Z`)
      .map(({ as_of, value, ...text }) => Runs.row(value, as_of, { ...of, ...text }))
  )

/** Newest last, since what arrives late is not guarded; the first of some says another value, which is restated. */
const fill = Effect.gen(function* () {
  const ingest = yield* Ingest
  const before = rowsAt(10).map(({ value_text: _, ...row }, n) =>
    n % 5 === 0 ? { ...row, value: 100 } : row
  )
  const restated = rowsAt(10).filter((_, n) => n % 5 === 0 || n % 7 === 0)
  for (const [at, rows] of [
    [13, before],
    [14, restated],
    [15, rowsAt(11)],
    [16, rowsAt(12)]
  ] as const) {
    yield* TestClock.setTime(hour(at))
    yield* ingest.write(Runs.delivery(hour(at), rows))
  }
  yield* TestClock.setTime(closing)
})

onBothEngines("a close of many rows", (database) => {
  const [metric = assert.fail()] = Object.values(Runs.manifest.metrics)
  const services = DailyClose.layer.pipe(
    Layer.provideMerge(
      logged(
        database,
        hour(12),
        Runs.feedsOf(symbols, Object.fromEntries(metrics.map((name) => [name, metric])))
      )
    )
  )

  layer(services)((it) => {
    const empty = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch,
        incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
      yield* (yield* Current).reload
    })
    /** The close of a service whose memory is as empty as the tables, of a day that was filled anew. */
    const filled = <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
      Effect.andThen(
        Effect.andThen(empty, fill),
        Effect.provide(body, DailyClose.layer.pipe(Layer.provideMerge(Log.layer)), { local: true })
      )
    const published = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const leaves = yield* sql<{ text: string; place: number }>`select text, place from leaf order by place`
      assert.deepStrictEqual(
        leaves.map(({ place }) => place),
        Array.from(leaves, (_, n) => n)
      )
      return leaves.map(({ text }) => parseLeaf(text))
    })
    const storedCounts = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [count] = yield* sql<{ leaves: number; sealed: number }>`
        select (select count(*)::int from leaf) as leaves,
          (select count(*)::int from daily where sealed_by is not null or readings_sha256 is not null) as sealed`
      return count
    })
    /** Runs `work` while no leaf can be stored at this place. */
    const refusing = <A, E, R>(place: number, work: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create function refused() returns trigger language plpgsql as
          $$ begin raise exception 'the leaf is refused'; end $$`
        yield* sql.unsafe(`create trigger refused before insert on leaf
          for each row when (new.place = ${place}) execute function refused()`)
        return yield* Effect.ensuring(work, Effect.orDie(sql`drop function refused cascade`))
      })

    it.effect(
      "has one leaf for each row, in the published order, of the newest version of its readings",
      () =>
        filled(
          Effect.gen(function* () {
            const [closed] = yield* (yield* DailyClose).run
            const all = yield* published
            assert.strictEqual(closed?.tree_size, series.length + 1)
            assert.strictEqual(all.at(-1)?.kind, "absent")
            const sha256 = (lines: ReadonlyArray<string>) =>
              createHash("sha256").update(lines.join("\n")).digest("hex")
            assert.deepStrictEqual(
              all
                .slice(0, -1)
                .map((leaf) => leaf as RowLeaf)
                .map(({ kind, metric, n_observations, readings_sha256, symbol, value, value_text }) => [
                  ...[kind, symbol, metric, n_observations, value, value_text, readings_sha256]
                ]),
              series.map(({ metric, symbol }, n) => {
                const readings = readingsOf(n)
                const last = readings.at(-1)
                const lines = readings.map(
                  ({ as_of, value, value_text }) => `${as_of}|${value_text ?? value}`
                )
                return [
                  "reading",
                  symbol,
                  metric,
                  readings.length,
                  last?.value,
                  last?.value_text,
                  sha256(lines)
                ]
              })
            )
            assert.deepStrictEqual(yield* storedCounts, { leaves: series.length + 1, sealed: series.length })
          })
        )
    )

    it.effect("keeps nothing of a transaction that failed, and has the same root when it is retried", () =>
      Effect.gen(function* () {
        const run = Effect.flatMap(DailyClose, ({ run }) => run)
        const [undisturbed] = yield* filled(run)
        yield* filled(
          Effect.gen(function* () {
            for (const [place, before] of [
              // In the third portion of the first transaction, and in the second one of the last.
              [700, 0],
              [1260, 1000]
            ] as const) {
              const error = yield* refusing(place, Effect.flip(run))
              assert.include(String(error), "SqlError")
              assert.deepStrictEqual(yield* storedCounts, { leaves: before, sealed: before })
            }
            const [closed] = yield* run
            assert.strictEqual(closed?.root, undisturbed?.root)
            assert.strictEqual(closed?.tree_size, undisturbed?.tree_size)
            assert.lengthOf(yield* published, series.length + 1)
          })
        )
      })
    )

    it.effect("leaves what changed since its version was sealed to the next batch", () =>
      filled(
        Effect.gen(function* () {
          const run = Effect.flatMap(DailyClose, ({ run }) => run)
          // A close that was killed has sealed a part; then a reading of the day comes in.
          yield* refusing(1260, Effect.flip(run))
          const first = Runs.row(105, "2026-09-05T13:00:00Z", { symbol: "FIL", metric: "metric_000" })
          yield* TestClock.setTime(closing + 60_000)
          yield* (yield* Ingest).write(Runs.delivery(closing + 60_000, [first]))
          const versions = Effect.map(published, (leaves) =>
            leaves.flatMap((leaf) =>
              leaf.kind !== "absent" && leaf.symbol === first.symbol && leaf.metric === first.metric
                ? [leaf.version]
                : []
            )
          )
          yield* run
          assert.deepStrictEqual(yield* versions, [1])
          yield* TestClock.setTime(closing + 24 * 3_600_000)
          yield* run
          const sql = yield* SqlClient.SqlClient
          const [next] = yield* sql<{ text: string }>`select text from leaf where version > 1`
          const leaf = parseLeaf(next?.text ?? "")
          assert.deepInclude(leaf, { kind: "late", day: "2026-09-05", version: 2 })
        })
      )
    )
  })
})

/** Readings and bodies go only when their days are sealed, by two looks at a trusted clock. */
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { attestedUntil } from "../../core/log/attestedUntil.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { removingBodies, removingRows } from "../../runtime/service/maintenance.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"
import { ahead } from "../support/shiftedClock.ts"

const day = 86_400_000
const noon = Date.UTC(2026, 8, 5, 12)

const settings = Settings.layer.pipe(
  Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})))
)

onBothEngines("retention", (database) => {
  const services = Layer.mergeAll(DailyClose.layer, Changes.layer).pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database),
    Layer.provideMerge(settings)
  )

  layer(services)((it) => {
    const retentionTest = <A, E>(name: string, body: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch,
            archive_file, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
          yield* (yield* Current).reload
          yield* TestClock.setTime(noon)
          yield* partitions.ensure(noon)
          // Memory of a closed log belongs to the test that closed it.
          const fresh = DailyClose.layer.pipe(
            Layer.provideMerge(Log.layer),
            Layer.provideMerge(TrustedClock.layer)
          )
          return yield* Effect.provide(body, fresh, { local: true })
        })
      )
    const write = Effect.gen(function* () {
      const delivery = Runs.delivery(noon, [Runs.row(100, "2026-09-05T10:00:00Z")])
      yield* (yield* Ingest).write(delivery)
      return delivery.run.exchanges[0]?.sha256 ?? ""
    })
    const remove = Effect.andThen(removingRows, removingBodies)
    /** The readings and the bodies that there are. */
    const there = Effect.fnUntraced(function* (sha256: string) {
      const sql = yield* SqlClient.SqlClient
      const readings = yield* sql`select 1 from observation`
      return { readings: readings.length, body: Option.isSome(yield* (yield* Blobs).get(sha256)) }
    })
    const all = { readings: 1, body: true }
    const none = { readings: 0, body: false }
    /** Enters the files of every closed day, as the archive does once it has written them. */
    const archive = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into archive_file (name, period, first_day, last_day, last_batch, rows, bytes, sha256, log_index, recorded_at)
        select 'day ' || day, 'day', day, day, id, 1, 1, '00', 0, closed_at from batch where closed_at is not null
        on conflict do nothing`
    })
    const confirm = Effect.flatMap(TrustedClock, (clock) => clock.confirm)

    retentionTest(
      "of a service that was off for longer than it: it closes and archives first, then removes",
      Effect.gen(function* () {
        const close = yield* DailyClose
        const sha256 = yield* write
        yield* remove
        yield* TestClock.adjust("130 days")
        yield* remove
        yield* TestClock.adjust("25 hours")
        yield* remove
        assert.deepStrictEqual(yield* there(sha256), all, "its last day is open")
        yield* close.run
        yield* TestClock.adjust("25 hours")
        yield* remove
        assert.deepStrictEqual(yield* there(sha256), all, "it is not archived")
        yield* archive
        yield* TestClock.adjust("25 hours")
        yield* remove
        assert.deepStrictEqual(yield* there(sha256), none)
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select 1 from incident`, [], "every row could be sealed")
      })
    )

    retentionTest(
      "keeps what changed since its day was closed until it is sealed again",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual(yield* attestedUntil, Number.POSITIVE_INFINITY)
        yield* write
        assert.strictEqual(yield* attestedUntil, Date.UTC(2026, 8, 5))
        yield* TestClock.adjust("2 days")
        yield* (yield* DailyClose).run
        assert.strictEqual(yield* attestedUntil, Date.UTC(2026, 8, 5), "without an archive")
        yield* archive
        assert.strictEqual(yield* attestedUntil, Date.UTC(2026, 8, 7))
        yield* sql`update archive_file set log_index = null where first_day = '2026-09-06'`
        assert.strictEqual(yield* attestedUntil, Date.UTC(2026, 8, 6), "a file that the log does not have")
        yield* sql`update archive_file set log_index = 0`
        yield* (yield* Ingest).write(Runs.delivery(noon + 2 * day, [Runs.row(101, "2026-09-05T10:00:00Z")]))
        assert.strictEqual(yield* attestedUntil, Date.UTC(2026, 8, 5), "a restated reading")
      })
    )

    for (const jump of [600_000, 2 * day, 400 * day, 3650 * day, -600_000, -400 * day]) {
      retentionTest(
        `survives a clock that is set by ${jump / day} days, for as long as it stays so`,
        Effect.gen(function* () {
          const close = yield* DailyClose
          const sha256 = yield* write
          yield* TestClock.adjust("2 days")
          yield* close.run
          yield* archive
          yield* remove
          for (let n = 0; n < 3; n++) {
            yield* remove.pipe(ahead(jump))
            const closed = yield* close.run.pipe(ahead(jump))
            assert.deepStrictEqual(closed, [], "no day is closed before it is over")
            yield* TestClock.adjust("25 hours")
          }
          assert.deepStrictEqual(yield* there(sha256), all)
          yield* remove
          assert.deepStrictEqual(yield* there(sha256), all, "by the right clock it is not due")
          // The operator says that it is right after all: a day later, what is due goes.
          yield* confirm.pipe(ahead(400 * day))
          yield* remove.pipe(ahead(400 * day))
          yield* TestClock.adjust("25 hours")
          yield* remove.pipe(ahead(400 * day))
          assert.deepStrictEqual(
            yield* there(sha256),
            { readings: 1, body: false },
            "its month is not sealed"
          )
        })
      )
    }
  })
})

/** The record of when the service was up: what nobody recorded is down, and nothing is made up. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Availability } from "../../core/process/Availability.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { merged, uptime } from "../../core/readings/read/uptime.ts"
import { isCollecting, removeOldUptime, Uptime } from "../../core/readings/Uptime.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { Reason } from "../../core/wire/log/readiness.ts"
import { onBothEngines } from "../support/database.ts"
import { dueAt } from "../support/due.ts"

const start = Date.UTC(2026, 8, 5, 12)
const minute = 60_000

const healthy: FeedState = {
  plugin: "made-up",
  state: "waiting",
  last_started: "2026-09-05T11:59:00Z",
  last_success: "2026-09-05T11:59:01Z",
  last_failure: null,
  last_error: null,
  next_run: "2026-09-06T12:00:00Z",
  runs: 1,
  failures: 0
}

/** What a process knows of itself, which a test changes. */
interface World {
  reasons: ReadonlyArray<Reason>
  state: FeedState
}

const processOf = (world: World) =>
  Layer.provide(
    Uptime.layer,
    Layer.mergeAll(
      SecureRandom.layerWebCrypto,
      Layer.succeed(
        Availability,
        Availability.of({
          missed: () => Effect.void,
          beat: () => Effect.void,
          written: Effect.die("nobody asks"),
          followed: () => Effect.void,
          reasons: Effect.sync(() => world.reasons),
          away: Effect.succeed(undefined)
        })
      ),
      Layer.succeed(
        Feeds,
        Feeds.of({ manifests: [], states: Effect.sync(() => new Map([["made-up", world.state]])) })
      )
    )
  )

const away: Reason = { code: "database_away", message: "away" }

onBothEngines("the record of uptime", (database) => {
  layer(database)((it) => {
    /** A new process, and a fresh record. */
    const begin = Effect.gen(function* () {
      yield* (yield* SqlClient.SqlClient)`delete from uptime`
      yield* TestClock.setTime(start)
    })
    const started = Effect.fnUntraced(function* (world: World = { reasons: [], state: healthy }) {
      const context = yield* Layer.build(processOf(world))
      const { beat } = yield* Effect.provide(Uptime, context)
      return { beat, world }
    })
    const at = (minutes: number) => TestClock.setTime(start + minutes * minute)
    const beating = Effect.fnUntraced(function* (
      beat: Effect.Effect<void, unknown>,
      from: number,
      to: number
    ) {
      for (let n = from; n <= to; n++) yield* Effect.andThen(at(n), beat)
    })

    it.effect("is empty before anything was measured, and says null, not 100", () =>
      Effect.gen(function* () {
        yield* begin
        const none = yield* uptime
        assert.deepInclude(none, { measured_from: null, measured_until: null })
        assert.deepInclude(none.answering, { percent: null, of_minutes: 0, n_gaps: 0 })
        const { beat } = yield* started()
        yield* beat
        assert.isNull((yield* uptime).answering.percent)
      })
    )

    it.effect("counts a dead process as a gap, from its last record to the first of the next", () =>
      Effect.gen(function* () {
        yield* begin
        yield* beating((yield* started()).beat, 0, 10)
        yield* beating((yield* started()).beat, 30, 40)
        const { answering, measured_from, measured_until } = yield* uptime
        assert.deepEqual([measured_from, measured_until], ["2026-09-05T12:00:00Z", "2026-09-05T12:40:00Z"])
        assert.deepStrictEqual(answering, {
          percent: 50,
          minutes: 20,
          of_minutes: 40,
          n_gaps: 1,
          gaps: [{ from: "2026-09-05T12:10:00Z", until: "2026-09-05T12:30:00Z", minutes: 20 }]
        })
        // One row for each process and part, however long it runs.
        const rows = yield* (yield* SqlClient.SqlClient)`select 1 from uptime`
        assert.strictEqual(rows.length, 4)
      })
    )

    it.effect("ends an interval while the database is away, and when a process hung", () =>
      Effect.gen(function* () {
        yield* begin
        const { beat, world } = yield* started()
        yield* beating(beat, 0, 5)
        world.reasons = [away]
        yield* beating(beat, 6, 9)
        world.reasons = []
        yield* beating(beat, 10, 12)
        // Frozen for five minutes.
        yield* beating(beat, 17, 20)
        const { answering } = yield* uptime
        assert.deepStrictEqual(
          answering.gaps.map(({ minutes }) => minutes),
          [5, 5]
        )
        assert.deepInclude(answering, { percent: 50, minutes: 10, of_minutes: 20 })
      })
    )

    it.effect("is up while any process is", () =>
      Effect.gen(function* () {
        yield* begin
        const one = yield* started()
        const other = yield* started()
        yield* beating(one.beat, 0, 6)
        for (let n = 5; n <= 12; n++) {
          yield* at(n)
          yield* other.beat
        }
        const third = yield* started()
        yield* at(11)
        yield* third.beat
        yield* beating(third.beat, 12, 15)
        const { answering } = yield* uptime
        assert.deepInclude(answering, { percent: 100, minutes: 15, n_gaps: 0 })
      })
    )

    it.effect("counts collecting apart, and a collector that fails as not collecting", () =>
      Effect.gen(function* () {
        yield* begin
        const { beat, world } = yield* started()
        yield* beating(beat, 0, 5)
        world.state = { ...healthy, state: "failing" }
        yield* beating(beat, 6, 10)
        const { answering, collecting } = yield* uptime
        assert.strictEqual(answering.percent, 100)
        assert.deepInclude(collecting, { percent: 50, minutes: 5, of_minutes: 10 })
      })
    )

    it.effect("says nothing of the future, and makes no outage of what a wrong clock wrote", () =>
      Effect.gen(function* () {
        yield* begin
        const sql = yield* SqlClient.SqlClient
        const right = yield* started()
        const other = yield* started()
        // A clock that is five minutes ahead, of a version that wrote it down.
        yield* sql`insert into uptime ${sql.insert({
          part: "answering",
          process: "ahead",
          up_from: new Date(start + 5 * minute),
          up_until: new Date(start + 9 * minute)
        })}`
        yield* beating(right.beat, 0, 4)
        // One that has just started belongs to the others.
        yield* TestClock.setTime(start + 4 * minute + 3000)
        yield* other.beat
        const { answering, generated_utc, measured_until } = yield* uptime
        assert.strictEqual(measured_until, generated_utc)
        assert.deepInclude(answering, { percent: 100, n_gaps: 0 })
        // Ninety seconds later it is known that the first one ended.
        yield* TestClock.setTime(start + 4 * minute + 90_001)
        assert.deepInclude((yield* uptime).answering, { n_gaps: 1 })
        yield* at(7)
        assert.strictEqual((yield* uptime).measured_until, (yield* uptime).generated_utc)
      })
    )

    it.effect("looks thirty days back, rounds down, and forgets what is older than any answer", () =>
      Effect.gen(function* () {
        yield* begin
        const sql = yield* SqlClient.SqlClient
        const day = 1440
        const row = (from: number, until: number) => ({
          part: "answering",
          process: "made-up",
          up_from: new Date(start + from * minute),
          up_until: new Date(start + until * minute)
        })
        yield* sql`insert into uptime ${sql.insert([row(-500 * day, -450 * day), row(-40 * day, -0.01), row(0, 0.5)])}`
        // What is not two minutes old may still be going on.
        yield* at(5)
        const { answering, measured_from } = yield* uptime
        assert.strictEqual(measured_from, "2026-08-06T12:05:00Z")
        assert.strictEqual(answering.percent, 99.999)
        yield* removeOldUptime(dueAt(start))
        assert.strictEqual((yield* sql`select 1 from uptime`).length, 2)
      })
    )
  })
})

describe("intervals", () => {
  it("are joined where they touch or overlap, in any order", () => {
    const of = (...pairs: ReadonlyArray<readonly [number, number]>) =>
      merged(pairs.map(([from, until]) => ({ from, until }))).map(({ from, until }) => [from, until])
    assert.deepStrictEqual(of([5, 6], [0, 2], [2, 3], [1, 2]), [
      [0, 3],
      [5, 6]
    ])
    assert.deepStrictEqual(of([0, 10], [2, 3]), [[0, 10]])
    assert.deepStrictEqual(of(), [])
  })
})

describe("collecting", () => {
  it.each([
    [{}, true],
    [{ state: "failing" }, false],
    [{ state: "open" }, false],
    [{ state: "disabled" }, false],
    [{ last_success: null }, false],
    [{ next_run: "2026-09-05T11:55:00Z" }, true],
    // Nobody updates the state any more.
    [{ next_run: "2026-09-05T11:45:00Z" }, false],
    [{ state: "running", next_run: null }, true],
    [{ state: "running", next_run: null, last_started: "2026-09-05T11:00:00Z" }, false]
  ] as const)("with %j is %s", (more, expected) => {
    assert.strictEqual(isCollecting([{ ...healthy, ...more }], start), expected)
  })
})

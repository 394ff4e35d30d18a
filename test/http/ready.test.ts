/** Readiness: what takes a process out of service, and what only an operator should look at. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { type Witnessing, WitnessStates } from "../../core/log/Cosignatures.ts"
import { Log } from "../../core/log/Log.ts"
import { Overdue } from "../../core/log/Overdue.ts"
import { Availability } from "../../core/process/Availability.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { probeOver } from "../../runtime/admin/probe.ts"
import { Keyring } from "../../runtime/service/Keyring.ts"
import { bareService } from "../support/bareService.ts"
import { postgres } from "../support/database.ts"
import { latestRow, manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const turn = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

const noon = Date.UTC(2026, 8, 5, 12)
const hour = 3_600_000

const feed = (plugin: string, state: FeedState["state"]): FeedState => ({
  plugin,
  state,
  last_started: null,
  last_success: null,
  last_failure: null,
  last_error: null,
  next_run: null,
  runs: 0,
  failures: 0
})

const states = new Map<string, FeedState>()
let witnessing: Witnessing = { witnesses: [], hasQuorum: true }
const ids = ["one", "two", "three", "four"]

const warnings = Effect.gen(function* () {
  const reply = yield* ask("/readyz")
  assert.strictEqual(reply.status, 200)
  const { status, warnings } = json(reply)
  assert.strictEqual(status, "ready")
  return (warnings as ReadonlyArray<{ code: string; message: string }>).map(
    ({ code, message }) => `${code}: ${message}`
  )
})

const read = (at: number) =>
  Effect.gen(function* () {
    yield* (yield* Current).apply([latestRow(1, { as_of: new Date(at), confirmed_at: new Date(at) })])
  })

layer(
  Service.layer({
    manifests: ids.map((id) => ({ ...manifest, id })),
    states: Effect.sync(() => states)
  }).pipe(
    Layer.provide(
      Layer.succeed(
        WitnessStates,
        Effect.sync(() => witnessing)
      )
    )
  )
)("a process that can answer", (it) => {
  it.effect("is ready whatever its upstreams do, and names the feeds that give nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* read(noon)
      for (const id of ids) states.set(id, feed(id, "waiting"))
      assert.deepStrictEqual(yield* warnings, [])
      states.set("one", feed("one", "failing"))
      states.set("two", feed("two", "refusing"))
      states.set("three", feed("three", "open"))
      states.set("four", feed("four", "needs_key"))
      assert.deepStrictEqual(yield* warnings, [
        "feeds_failing: 3 of 3 running feeds deliver nothing: one, two, three. See /v1/data-dictionary for their last errors."
      ])
      const { data } = json(yield* ask("/health")) as { data: { feeds: Record<string, number> } }
      assert.include(data.feeds, { failing: 1, refusing: 1, open: 1, needs_key: 1, waiting: 0 })
      states.clear()
    })
  )

  it.effect("is ready with old readings, and says how old", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* (yield* Current).apply([], [1])
      assert.deepStrictEqual(yield* warnings, ["readings_old: No value has been read yet."])
      yield* read(noon - 3 * hour)
      assert.deepStrictEqual(yield* warnings, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* warnings, [
        "readings_old: No upstream has been read successfully since 2026-09-05T09:00:00Z."
      ])
    })
  )

  it.effect("is ready without witnesses, and names those that have not cosigned for five minutes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* read(noon)
      const trouble = { message: "no answer in time", since: noon - 5 * 60_000 + 1 }
      const witnesses = [
        { name: "w1", size: 7, trouble: undefined },
        { name: "w2", size: 4, trouble }
      ]
      witnessing = { witnesses, hasQuorum: true }
      assert.deepStrictEqual(yield* warnings, [])
      yield* TestClock.adjust(1)
      const behind =
        "witnesses_behind: 1 of 2 witnesses does not cosign the log: w2 (at size 4; no answer in time)."
      assert.deepStrictEqual(yield* warnings, [behind])
      witnessing = { witnesses, hasQuorum: false }
      assert.deepStrictEqual(yield* warnings, [`${behind} The newest checkpoint lacks the quorum.`])
      witnessing = { witnesses: [], hasQuorum: true }
    })
  )

  it.effect("is ready with a day that was not closed an hour after its time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const overdue = yield* Overdue
      yield* sql`insert into series ${sql.insert({
        symbol: "FIL",
        metric: "active_storage_providers",
        source: "made-up",
        plugin: "one",
        tier: "supply_telemetry",
        unit: "count"
      })}`
      yield* sql`insert into daily ${sql.insert({
        series: 1,
        day: "2026-09-03",
        version: 1,
        as_of: new Date(noon - 48 * hour),
        value: 1,
        n_observations: 1,
        verify_url: "https://upstream.test/1",
        recorded_at: new Date(noon - 48 * hour),
        simulated: false
      })}`
      const at = Date.UTC(2026, 8, 4, 9)
      yield* read(at)
      yield* TestClock.setTime(at)
      yield* overdue.refresh
      assert.deepStrictEqual(yield* warnings, [])
      yield* TestClock.setTime(at + 1)
      yield* overdue.refresh
      assert.deepStrictEqual(yield* warnings, [
        "close_missed: One day waits for the daily close: 2026-09-03."
      ])
    })
  )
})

describe("a process that signs", () => {
  layer(Service.layer())((it) => {
    it.effect("is ready while its log signs nothing, and says why", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* Log
        const recordedAt = new Date(noon)
        yield* sql`insert into log_entry ${sql.insert({ place: 0, text: "x", hash: new Uint8Array(32), recorded_at: recordedAt })}`
        const { message } = yield* Effect.flip(sql.withTransaction(log.append([], noon)))
        const why = "The text of entry 0 does not have the hash that is stored with it"
        assert.include(message, why)
        const haltWarnings = (yield* warnings).filter((warning) => warning.startsWith("log_halted"))
        assert.lengthOf(haltWarnings, 1)
        assert.include(haltWarnings[0], `log_halted: The log signs nothing. ${why}. Restore a newer backup`)
        // What closes days is not sent to a process that cannot.
        const writing = yield* ask("/readyz?for=writes")
        assert.strictEqual(writing.status, 503)
        assert.include(JSON.stringify(json(writing)["reasons"]), "log_halted")
        yield* sql`truncate log_entry`
        yield* log.refresh
        assert.strictEqual((yield* ask("/readyz?for=writes")).status, 200)
        assert.notInclude((yield* warnings).join(), "log_halted")
      })
    )

    it.effect("is not ready while it lacks a key that signs, and warned of it before", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { refresh } = yield* Keyring
        yield* sql`update signing_key set not_after = now() + interval '1 hour' where purpose = 'answers'`
        yield* sql`insert into signing_key ${sql.insert({
          kid: thumbprint(new Uint8Array(32)),
          purpose: "answers",
          public_key: new Uint8Array(32),
          announced_at: new Date(noon),
          not_before: new Date(noon + hour)
        })}`
        yield* TestClock.setTime(noon)
        yield* refresh
        assert.match(
          (yield* warnings).find((warning) => warning.startsWith("key_missing")) ?? "",
          /this process lacks the key .*, which signs answers from 2026-09-05T13:00:00Z; copy its file/
        )
        yield* TestClock.setTime(noon + hour)
        yield* refresh
        const reply = yield* ask("/readyz")
        assert.strictEqual(reply.status, 503)
        const { reasons } = json(reply) as { reasons: ReadonlyArray<{ code: string }> }
        assert.deepStrictEqual(
          reasons.map(({ code }) => code),
          ["key_missing"]
        )
      })
    )
  })
})

describe("a probe from another process", () => {
  layer(Service.layer())((it) => {
    it.effect("reads what /readyz says, and tells that nobody answers", () =>
      Effect.gen(function* () {
        const { port } = yield* Service
        const readiness = yield* probeOver({ host: "127.0.0.1", port })
        assert.deepStrictEqual(readiness?.reasons, [])
        assert.deepStrictEqual(
          readiness?.warnings.map(({ code }) => code),
          ["readings_old"]
        )
        assert.isDefined(yield* probeOver({ host: "0.0.0.0", port }))
        assert.isUndefined(yield* probeOver({ host: "127.0.0.1", port: 1 }))
      })
    )

    it.effect("finds a port that is in use named with what to set", () =>
      Effect.gen(function* () {
        const { port } = yield* Service
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(bareService(postgres, port))))
        assert.strictEqual(
          refused.message,
          `PORT: ${port} on 127.0.0.1 is in use; stop what listens there, or set PORT to another`
        )
      })
    )
  })
})

describe("a process that follows others", () => {
  it.effect("is behind once it has not applied what they wrote for five seconds", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { followed, reasons } = yield* Availability
      yield* followed(noon)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* reasons, [])
      yield* TestClock.adjust(1)
      // Once the database has answered meanwhile: it is there, and this process is alone with its lag.
      while ((yield* reasons).length === 0) yield* Effect.andThen(TestClock.adjust("5 seconds"), turn)
      assert.deepStrictEqual(yield* reasons, [
        {
          code: "follower_behind",
          message: "This process has not applied what others wrote since 2026-09-05T12:00:00Z."
        }
      ])
      yield* followed(yield* Clock.currentTimeMillis)
      assert.deepStrictEqual(yield* reasons, [])
    }).pipe(Effect.provide(Layer.provide(Availability.layer, postgres)))
  )
})

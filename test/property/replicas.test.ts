/**
 * Two processes on one Postgres. Whatever is written through either of them, both give the same bytes, headers and
 * signatures once they have applied it; and from the moment that one hears of a change, it says nothing older.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Queue, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { LogKey } from "../../core/log/Log.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Availability } from "../../core/process/Availability.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { Changes, channel } from "../../core/readings/Changes.ts"
import { Follower } from "../../core/readings/Follower.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { keepListening, listening } from "../../runtime/service/following.ts"
import { captureLog } from "../support/captureLog.ts"
import { cloneUrl } from "../support/database.ts"
import { addresses, applyStep, first, start, states, step } from "../support/randomChanges.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"

// `RUNS` makes a campaign of it.
const numRuns = Number(process.env["RUNS"] ?? 1)

/** Lets the outside world answer. */
const turn = Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))

/** A process of the service that could follow others. */
const quietProcessOn = Effect.fnUntraced(function* (url: string, keyFolder: string) {
  const database = Postgres.layer(Redacted.make(url)).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())),
    Layer.orDie
  )
  return yield* Layer.build(
    Layer.fresh(
      Follower.layer.pipe(
        Layer.provideMerge(
          Service.layer({ database, keyFolder, manifests: [manifest], states: Effect.sync(() => states) })
        )
      )
    )
  )
})

/**
 * One that does, and listens again at once where its connection is given up: the marks that keep it alive go by the clock of the
 * test, and its silence by the real one.
 */
const processOn = (url: string, keyFolder: string) =>
  Effect.tap(quietProcessOn(url, keyFolder), (service) =>
    Effect.forkScoped(Effect.forever(Effect.ignore(Effect.provide(listening(Effect.void), service))))
  )

const two = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const url = yield* cloneUrl
  const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-key-"))
  const one = yield* processOn(url, keyFolder)
  const other = yield* processOn(url, keyFolder)
  // Both listen.
  const sql = Context.get(one, SqlClient.SqlClient)
  const listens = sql`select 1 from pg_stat_activity where datname = current_database() and query = 'LISTEN "plumbline"'`
  while ((yield* listens).length < 2) yield* turn
  return [one, other] as const
})

/** Two that do not listen by themselves. */
const quietTwo = Effect.gen(function* () {
  const url = yield* cloneUrl
  const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-key-"))
  return [yield* quietProcessOn(url, keyFolder), yield* quietProcessOn(url, keyFolder)] as const
})

type Process = Effect.Success<typeof two>[0]

/** Waits until a process has applied all that is recorded. */
const caughtUp = Effect.fnUntraced(function* (of: Process) {
  const { lacking } = Context.get(of, Changes)
  while ((yield* lacking(0)).changes.length > 0) yield* turn
  // The clock of the looks stands still, too.
  yield* Context.get(of, Follower).upToDate
})

/** Passes notifications on to a process, up to one with this text. */
const hearUntil = Effect.fnUntraced(function* (
  of: Process,
  notices: Effect.Success<ReturnType<PgClient.PgClient["listen"]>>,
  text: RegExp
) {
  for (let matches = false; !matches; ) {
    const { payload } = yield* Queue.take(notices)
    yield* Context.get(of, Follower).hear(payload)
    matches = text.test(payload)
  }
})

const callOn = (of: Process, path: string) => Context.get(of, Service).call(path)

/** All but what the connection and the second of sending add. */
const headersOf = ({ headers, status }: Effect.Success<ReturnType<typeof callOn>>) => ({
  ...headers,
  status,
  date: undefined,
  connection: undefined,
  "keep-alive": undefined,
  "x-request-id": undefined
})

describe("two processes on one database", () => {
  it.effect(
    "give the same bytes, headers and signatures, whichever of them was written to",
    () =>
      Effect.gen(function* () {
        const both = yield* two
        const steps = fc.array(fc.tuple(step, fc.nat(1)), { minLength: 12, maxLength: 12 })
        const all = [
          ...first.map((one) => [one, 0] as const),
          ...fc.sample(steps, { numRuns, seed: 5 }).flat()
          // How a collector fares is in the memory of its process.
        ].filter(([{ kind }]) => kind !== "feed")
        for (const [n, [one, by]] of all.entries()) {
          const writer = both[by === 0 ? 0 : 1]
          yield* applyStep(one).pipe(Effect.provide(writer))
          for (const one of both) yield* caughtUp(one)
          for (const path of addresses) {
            const [here, there] = yield* Effect.all([callOn(both[0], path), callOn(both[1], path)])
            const about = `${path} after step ${n} by ${by}: ${JSON.stringify(one)}`
            assert.strictEqual(there.body.toString("utf8"), here.body.toString("utf8"), about)
            assert.deepStrictEqual(headersOf(there), headersOf(here), about)
          }
        }
      }),
    240_000
  )

  it.effect("hear of a new signing key, without waiting until they look for one", () =>
    Effect.gen(function* () {
      const both = yield* two
      const [writer] = both
      const publicKey = new Uint8Array(randomBytes(32))
      const kid = thumbprint(publicKey)
      yield* enter("answers", publicKey, {
        announcedAt: start,
        notBefore: start + 600_000,
        endOfOld: start + 900_000
      }).pipe(Context.get(writer, SqlClient.SqlClient).withTransaction, Effect.provide(writer))
      for (const one of both) {
        // The clock of the looks stands still.
        while (
          !Context.get(one, LogKey)
            .keys()
            .some((key) => thumbprint(key.publicKey) === kid)
        )
          yield* turn
        yield* caughtUp(one)
        const document = yield* callOn(one, "/.well-known/service-signing-key.json")
        assert.include(document.body.toString("utf8"), kid)
      }
    })
  )

  it.effect("say nothing old from the moment that they hear of a change", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const url = yield* cloneUrl
      const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-key-"))
      const writer = yield* processOn(url, keyFolder)
      const other = yield* quietProcessOn(url, keyFolder)
      const follower = Context.get(other, Follower)
      const notices = yield* Context.get(other, PgClient.PgClient).listen(channel)
      const ask = Effect.forEach(["/v1/network/FIL", "/v1/supply?network=FIL", "/v1/supply"], (path) =>
        Effect.map(callOn(other, path), ({ body }) => /"value":(\d+)/.exec(body.toString("utf8"))?.[1])
      )
      for (let n = 1; n <= 20; n++) {
        const row = Runs.row(n, isoTime(start + n), { metric: "active_storage_providers", source: "made-up" })
        const written = yield* Effect.flatMap(Ingest, (ingest) =>
          ingest.write(Runs.delivery(start + n, [row], "made-up"))
        ).pipe(Effect.provide(writer))
        assert.strictEqual(written.fresh, 1)
        // The figures of a start are told of, too.
        yield* hearUntil(other, notices, /"series":\[\d/)
        const answers = yield* Effect.forkChild(ask, { startImmediately: true })
        yield* turn
        yield* follower.apply
        const value = n === 1 ? yield* ask : yield* Fiber.join(answers)
        assert.deepStrictEqual(value, [String(n), String(n), String(n)])
      }
    })
  )

  it.effect(
    "are behind until what others wrote is applied; late is not lost, and what nobody told is found",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const [writer, other] = yield* quietTwo
        const { apply, check, hear, reload } = Context.get(other, Follower)
        const { reasons } = Context.get(other, Availability)
        const codes = Effect.map(reasons, (all) => all.map(({ code }) => code))
        const write = (n: number) => {
          const row = Runs.row(n, isoTime(start + n), {
            metric: "active_storage_providers",
            source: "made-up"
          })
          return Effect.flatMap(Ingest, (ingest) =>
            ingest.write(Runs.delivery(start + n, [row], "made-up"))
          ).pipe(Effect.provide(writer))
        }
        const notices = yield* Context.get(other, PgClient.PgClient).listen(channel)
        const isMark = (payload: string) => payload.includes('"mark"')
        yield* reload
        yield* check
        assert.deepStrictEqual(yield* codes, [])

        yield* write(7)
        yield* check
        // However long the notification is on its way under load, it came before the mark.
        for (let n = 0; n < 4; n++) yield* Effect.andThen(TestClock.adjust("5 seconds"), check)
        // It is said once the database has answered a probe since, which takes its own time.
        while ((yield* codes).length === 0) yield* turn
        assert.deepStrictEqual(yield* codes, ["follower_behind"])
        yield* hearUntil(other, notices, /"mark":[2-9]/)
        yield* check
        yield* check
        assert.deepStrictEqual(yield* codes, [])
        assert.include((yield* callOn(other, "/v1/network/FIL")).body.toString("utf8"), '"value":7')

        yield* write(8)
        yield* check
        const passOn = Effect.flatMap(Queue.takeAll(notices), (all) =>
          Effect.forEach(all, ({ payload }) => (isMark(payload) ? hear(payload) : Effect.void))
        )
        let message = ""
        while (message === "") {
          yield* turn
          if ((yield* Queue.size(notices)) > 0) yield* passOn
          message = yield* Effect.match(check, {
            onFailure: (error) => error.message,
            onSuccess: () => ""
          })
        }
        assert.match(message, /^no notification told of changes of .*(reads|runs|symbol)/)
        yield* apply
        yield* reload
        yield* check
        assert.deepStrictEqual(yield* codes, [])
        assert.include((yield* callOn(other, "/v1/network/FIL")).body.toString("utf8"), '"value":8')
      })
  )

  it.effect("notice that they are deaf, though they are told of nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const [, other] = yield* quietTwo
      const { begin, check } = Context.get(other, Follower)
      yield* begin
      for (let n = 0; n <= 6; n++) yield* Effect.andThen(check, TestClock.adjust("5 seconds"))
      const { message } = yield* Effect.flip(check)
      assert.include(message, "has heard nothing for 30 s")
      yield* begin
      yield* check
    })
  )

  it.effect("date nothing later than a minute after they last had everything", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const [, other] = yield* quietTwo
      const { upToDate } = Context.get(other, Follower)
      const dated = Effect.map(callOn(other, "/health"), ({ body, status }) => {
        assert.strictEqual(status, 200)
        return Date.parse(/"generated_utc":"([^"]+)"/.exec(body.toString("utf8"))?.[1] ?? "")
      })
      yield* upToDate
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* dated, start + 30_000)
      yield* TestClock.adjust("20 minutes")
      assert.strictEqual(yield* dated, start + 60_000)
      assert.strictEqual((yield* callOn(other, "/v1/world")).status, 200)
      yield* upToDate
      assert.strictEqual(yield* dated, start + 30_000 + 20 * 60_000)
    })
  )

  it.effect("hear of a reading that is neither the latest nor of a recent day", () =>
    Effect.gen(function* () {
      const later = start + 60 * 86_400_000
      yield* TestClock.setTime(later)
      const [writer, other] = yield* quietTwo
      yield* partitions.ensure(later).pipe(Effect.provide(writer))
      const notices = yield* Context.get(other, PgClient.PgClient).listen(channel)
      for (const [n, asOf] of [later, start].entries()) {
        const row = Runs.row(n, isoTime(asOf), { metric: "active_storage_providers", source: "made-up" })
        const written = yield* Effect.flatMap(Ingest, (ingest) =>
          ingest.write(Runs.delivery(later + n, [row], "made-up"))
        ).pipe(Effect.provide(writer))
        assert.strictEqual(written.fresh, 1)
        yield* hearUntil(other, notices, /"runs"/)
        yield* Context.get(other, Follower).apply
        const { changes } = yield* Context.get(other, Changes).lacking(0)
        // The figures of a start are told of at any time.
        const isFigure = ({ name }: { readonly name: string }) =>
          ["depths", "proofs", "rowCounts"].includes(name)
        assert.deepStrictEqual(
          changes.filter((one) => !isFigure(one)),
          []
        )
      }
    })
  )

  it.effect("log once that they lost touch, listen anew, and have what was written meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { lines, logger } = captureLog()
      const [writer, other] = yield* quietTwo
      const sql = Context.get(writer, SqlClient.SqlClient)
      const listeners = sql`select pid from pg_stat_activity
        where datname = current_database() and query = 'LISTEN "plumbline"'`
      yield* keepListening.pipe(Effect.provide(other), Effect.provide(logger))
      while ((yield* listeners).length < 1) yield* turn
      const countLines = (text: string) => lines.filter((line) => line.includes(text)).length
      while (countLines("following other processes on") < 1) yield* turn
      yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query = 'LISTEN "plumbline"'`
      while (countLines("lost touch") < 1) yield* turn
      const row = Runs.row(8, isoTime(start), { metric: "active_storage_providers", source: "made-up" })
      yield* Effect.flatMap(Ingest, (ingest) => ingest.write(Runs.delivery(start, [row], "made-up"))).pipe(
        Effect.provide(writer)
      )
      yield* TestClock.adjust("1 second")
      while (countLines("following other processes on") < 2) yield* turn
      yield* caughtUp(other)
      assert.include((yield* callOn(other, "/v1/network/FIL")).body.toString("utf8"), '"value":8')
      assert.strictEqual(countLines("lost touch"), 1)
    })
  )
})

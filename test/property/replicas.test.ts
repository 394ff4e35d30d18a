/**
 * Two processes on one Postgres. Whatever is written through either of them, both give the same bytes, headers and
 * signatures once they have heard of it; and whoever asks them in turn never sees a value or a time go back.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Changes } from "../../core/data/Changes.ts"
import { Follower } from "../../core/data/Follower.ts"
import { Ingest } from "../../core/data/ingest/Ingest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { listening } from "../../runtime/service/following.ts"
import { addresses, first, start, states, step, take } from "../support/changing.ts"
import { cloneUrl } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const numRuns = Number(process.env["RUNS"] ?? 3)

/** Lets the outside world answer. */
const turn = Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))

/** A process of the service that follows others. */
const processOn = Effect.fnUntraced(function* (url: string, keyFolder: string) {
  const database = Postgres.layer(Redacted.make(url)).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())),
    Layer.orDie
  )
  const service = yield* Layer.build(
    Layer.fresh(
      Follower.layer.pipe(
        Layer.provideMerge(
          Service.layer({ database, keyFolder, manifests: [manifest], states: Effect.sync(() => states) })
        )
      )
    )
  )
  yield* Effect.forkScoped(Effect.provide(listening, service))
  return service
})

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

type Process = Effect.Success<typeof two>[0]

/** Waits until a process has applied all that is recorded. */
const caughtUp = Effect.fnUntraced(function* (of: Process) {
  const { lacking } = Context.get(of, Changes)
  while ((yield* lacking(0)).names.length > 0) yield* turn
})

const asked = (of: Process, path: string) => Context.get(of, Service).call(path)

/** All but when exactly it was sent. */
const headersOf = ({ headers, status }: Effect.Success<ReturnType<typeof asked>>) => ({
  ...headers,
  status,
  date: undefined
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
        ]
        for (const [n, [one, by]] of all.entries()) {
          const writer = both[by === 0 ? 0 : 1]
          yield* take(one).pipe(Effect.provide(writer))
          for (const one of both) yield* caughtUp(one)
          for (const path of addresses) {
            const [here, there] = yield* Effect.all([asked(both[0], path), asked(both[1], path)])
            const about = `${path} after step ${n} by ${by}: ${JSON.stringify(one)}`
            assert.strictEqual(there.body.toString("utf8"), here.body.toString("utf8"), about)
            assert.deepStrictEqual(headersOf(there), headersOf(here), about)
          }
        }
      }),
    240_000
  )

  it.effect(
    "never go back for a reader who asks them in turn",
    () =>
      Effect.gen(function* () {
        const both = yield* two
        const rounds = 150
        const writing = Effect.gen(function* () {
          for (let n = 1; n <= rounds; n++) {
            yield* TestClock.adjust(1)
            const writer = both[n % 3 === 0 ? 1 : 0]
            const row = Runs.row(n, isoTime(start + n), {
              metric: "active_storage_providers",
              source: "made-up"
            })
            yield* Effect.provide(
              Effect.flatMap(Ingest, (ingest) => ingest.write(Runs.delivery(start + n, [row], "made-up"))),
              writer
            )
          }
        })
        const writer = yield* Effect.forkChild(writing)
        const seen = new Map<string, string>()
        const back: Array<string> = []
        let answers = 0
        for (let n = 0; writer.pollUnsafe() === undefined; n++) {
          for (const path of ["/v1/network/FIL", "/v1/supply?network=FIL", "/v1/supply"]) {
            const reply = yield* asked(both[n % 2 === 0 ? 0 : 1], path)
            const text = reply.body.toString("utf8")
            const value = /"value":(\d+)/.exec(text)?.[1] ?? "0"
            const time = String(json(reply)["generated_utc"] ?? "").replace(/(:\d\d)Z$/, "$1.000Z")
            const now = `${time} ${value.padStart(6, "0")}`
            if (now < (seen.get(path) ?? "")) back.push(`${n} ${path}: ${now} after ${seen.get(path)}`)
            seen.set(path, now)
            answers++
          }
        }
        yield* Fiber.join(writer)
        assert.deepStrictEqual(back, [])
        assert.isAbove(answers, rounds)
      }),
    120_000
  )
})

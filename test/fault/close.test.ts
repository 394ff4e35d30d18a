/** A close that is killed, wherever that is, ends in the same batches as one that is not. */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { compiled } from "../support/compiled.ts"
import { cloneUrl } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { series, services } from "./closer.ts"

type Environment = Readonly<Record<string, string>>

const day = 86_400_000

/** Three days of the last four, with a row of each of many series; the days after them, if due, have none. */
const fill = Effect.gen(function* () {
  const ingest = yield* Ingest
  const today = Math.floor(Date.now() / day) * day
  yield* partitions.ensure(today)
  for (const [n, ago] of [4, 3, 2].entries()) {
    const at = today - ago * day + day / 2
    const rows = Array.from({ length: series }, (_, index) =>
      Runs.row(1000 + n + index, isoTime(at), { symbol: `S${index}` })
    )
    const { bodies, run } = Runs.delivery(at, rows)
    yield* ingest.write({ bodies, run: { ...run, id: `run-close-${n}`, simulated: true } })
  }
})

/** Starts a closer; kills it after a moment, or lets it finish. */
const closing = async (environment: Environment, moment: number | undefined) => {
  const child = spawn(process.execPath, [new URL("closer.ts", import.meta.url).pathname], {
    env: { ...environment, ...compiled },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "begins" && moment !== undefined) setTimeout(() => child.kill("SIGKILL"), moment)
  }
  return await ended
}

const batches = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ day: string; root: string; tree_size: number; log_index: number }>`
    select day::text, root, tree_size, log_index from batch where closed_at is not null order by day limit 3`
})

const within = <A, E, R>(environment: Environment, work: Effect.Effect<A, E, R>) =>
  work.pipe(
    Effect.provide(services),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )

const environment = Effect.map(
  cloneUrl,
  (url): Environment => ({
    DATABASE_URL: url,
    SIGNING_KEY_FILE: "unused",
    LOG_KEY_FILE: "unused",
    SERVER_SECRET_FILE: "unused"
  })
)

describe("a process killed while it closes days", () => {
  it.live(
    "leaves nothing behind that changes a root, and no day twice",
    () =>
      Effect.gen(function* () {
        const whole = yield* environment
        const expected = yield* within(
          whole,
          Effect.andThen(
            fill,
            Effect.flatMap(DailyClose, ({ run }) => run)
          ).pipe(Effect.andThen(batches))
        )
        assert.deepStrictEqual(
          expected.map(({ log_index, tree_size }) => [tree_size, log_index]),
          [0, 1, 2].map((place) => [series + 1, place])
        )

        const killed = yield* environment
        yield* within(killed, fill)
        const signals: Array<NodeJS.Signals | null> = []
        for (let round = 0; round < 5; round++) {
          // Later and later: the first finds work to interrupt on the fastest machine, the last is far into it on a slow one.
          signals.push(yield* Effect.promise(() => closing(killed, randomInt(80 * round, 80 * (round + 1)))))
          // The claim of the one that died runs out.
          yield* within(
            killed,
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql`update batch set claimed_until = to_timestamp(0)`
            )
          )
        }
        assert.include(signals, "SIGKILL")
        assert.isNull(yield* Effect.promise(() => closing(killed, undefined)))
        yield* within(
          killed,
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            assert.deepStrictEqual(yield* batches, expected)
            assert.deepStrictEqual(
              yield* sql`select (select count(*) from log_entry) = (select count(*) from batch) as alike`,
              [{ alike: true }]
            )
            assert.deepStrictEqual(
              yield* sql`
                select batch from leaf group by batch
                having count(*) <> count(distinct place) or min(place) <> 0 or max(place) <> count(*) - 1`,
              []
            )
            assert.deepStrictEqual(yield* (yield* DailyClose).run, [])
          })
        )
      }),
    120_000
  )
})

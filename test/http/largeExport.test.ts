/** A million rows leave a service that never holds them. */
import { fork } from "node:child_process"
import { createHash } from "node:crypto"
import { request } from "node:http"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"

const [series, days] = [1000, 1000]
const lastDay = "2029-05-01"
const most = 100 * 1024 * 1024

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* partitions.ensure(Date.parse(lastDay))
  yield* sql`alter table daily drop constraint daily_pkey`
  yield* sql`
    insert into series (symbol, metric, source, plugin, tier, unit)
    select 'FIL', 'metric_' || n, 'made-up', 'made-up', 'supply_telemetry', 'count' from generate_series(1, ${series}::int) n`
  yield* sql`
    insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
    select s.id, d, 0, 1, d, s.id, 1, 'https://upstream.test/api/v1/providers', d, false
    from series s, generate_series(${lastDay}::date - ${days - 1}::int, ${lastDay}::date, interval '1 day') d`
  // Their readings are no longer kept, so that nothing is compared with them.
  yield* sql`insert into fact (name, value) values ('observation_kept_from', '4102444800000')
    on conflict (name) do update set value = excluded.value`
  yield* sql`alter table daily add primary key (series, day, incident, version)`
})

interface Service {
  readonly port: number
  readonly key: string
}
interface Memory {
  readonly now: number
  readonly most: number
}

const read = ({ key, port }: Service) =>
  new Promise<{ readonly rows: number; readonly counted: string; readonly whole: boolean }>(
    (resolve, reject) => {
      const path = `/v1/export?dataset=history&symbol=FIL&days=${days}`
      const clientRequest = request(
        { host: "127.0.0.1", port, path, headers: { "x-api-key": key } },
        (response) => {
          const hash = createHash("sha256")
          let lines = 0
          response.on("data", (part: Buffer) => {
            hash.update(part)
            // A reader that stops now and then finds the same bytes.
            response.pause()
            setImmediate(() => response.resume())
            for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++
          })
          response.on("error", reject)
          response.on("end", () =>
            resolve({
              rows: lines - 1,
              counted: String(response.headers["x-service-export-rows"]),
              whole: response.headers["unencoded-digest"] === `sha-256=:${hash.digest("base64")}:`
            })
          )
        }
      )
      clientRequest.on("error", reject)
      clientRequest.end()
    }
  )

it.effect(
  "a million rows are exported within 100 MiB",
  () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      yield* fill.pipe(Effect.provide(Postgres.layer(Redacted.make(url))), Effect.orDie)
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          fork(join(import.meta.dirname, "../support/exporter.ts"), [url, `${lastDay}T12:00:00Z`], {
            execArgv: []
          })
        ),
        (running) => Effect.sync(() => running.kill())
      )
      const nextMessage = <A>() =>
        Effect.callback<A>(
          (resume) => void child.once("message", (message: A) => resume(Effect.succeed(message)))
        )
      const service = yield* nextMessage<Service>()
      const memory = Effect.suspend(() => {
        child.send("memory")
        return nextMessage<Memory>()
      })
      const before = yield* memory
      const { counted, rows, whole } = yield* Effect.promise(() => read(service))
      assert.strictEqual(rows, series * days)
      assert.strictEqual(counted, String(series * days))
      assert.isTrue(whole)
      const after = yield* memory
      assert.isBelow(after.most - before.now, most)
    }),
  180_000
)

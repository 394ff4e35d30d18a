/** `plumbline verify value` on a service that is honest in all but one line: it stores 9999 where a run gave 901. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { postgres } from "../support/database.ts"
import { freePort } from "../support/freePort.ts"
import * as Operators from "../support/operators.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const services = Layer.unwrap(
  Effect.map(Effect.promise(freePort), (port) =>
    RunLog.layer.pipe(
      Layer.provideMerge(
        Service.layer({ database: postgres, manifests: Operators.manifests, port, mode: "live" })
      )
    )
  )
)

const hour = 3_600_000
const evening = Date.parse("2026-09-03T20:00:00Z")

layer(services)("a service with one changed line", (it) => {
  it.effect("has no run for the value that the line planted, and one for the value beside it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(evening)
      const as_of = isoTime(evening - 60_000)
      yield* (yield* Ingest).write(
        Runs.delivery(evening, [
          Runs.row(901, as_of),
          Runs.row(901, as_of, { metric: "storage_bytes", unit: "bytes" })
        ])
      )
      const sql = yield* SqlClient.SqlClient
      // The changed line: what is stored is another value than what the run gave.
      const planted = sql`series = (select id from series where metric = 'nodes_online')`
      yield* sql`update observation set value = 9999 where ${planted}`
      yield* sql`update daily set value = 9999 where ${planted}`
      yield* TestClock.setTime(evening + 2 * hour)
      yield* (yield* RunLog).run
      yield* Operators.closeAt(isoTime(evening + 12 * hour))

      const { port } = yield* Service
      const kid = (yield* LogKey).keys().find(({ purpose }) => purpose === "log")?.publicKey
      if (kid === undefined) return assert.fail("no key of the log")
      const valueOf = (metric: string) =>
        Effect.promise(async () => {
          const lines: Array<string> = []
          const exit = await main(
            [
              ...["value", "--symbol", "FIL", "--metric", metric, "--date", "20260903"],
              ...["--url", `http://127.0.0.1:${port}`, `--key=${thumbprint(kid)}`]
            ],
            {
              print: (line) => lines.push(line),
              env: { ESPLORA_URL: "http://127.0.0.1:9", PLUMBLINE_PINS: "none" },
              get
            }
          )
          return { exit, text: lines.join("\n") }
        })
      const honest = yield* valueOf("storage_bytes")
      assert.strictEqual(honest.exit, 0, honest.text)
      assert.match(honest.text, /^ok +run: /m)
      const changed = yield* valueOf("nodes_online")
      assert.strictEqual(changed.exit, 2, changed.text)
      assert.match(changed.text, /^ok +value: FIL nodes_online = 9999 /m)
      assert.match(changed.text, /^not proved +run: no run is known that gave this value/m)
      assert.notMatch(changed.text, /^FAILED/m)
    })
  )
})

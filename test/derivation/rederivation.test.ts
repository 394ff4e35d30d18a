/** A fix of a plugin reaches the past: stored answers are read again, and what differs is published with both codes. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { bigints, keyOf } from "../../core/credits/warranty/sold.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { warrantedLeaf } from "../../core/proof/warranty.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { epoch } from "../../core/readings/ingest/partitions.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { earlierRuns } from "../../runtime/collector/earlierRuns.ts"
import { portable } from "../../runtime/collector/load.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { lines } from "../../runtime/commands/rederive.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { rederive } from "../../runtime/derivation/rederivation.ts"
import { lastReading, start } from "../../runtime/tape/instants.ts"
import { timeOn } from "../../runtime/tape/tape.ts"
import { onBothEngines } from "../support/database.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const id = "storj"
const plugin = await Effect.runPromise(Plugins.find(id))
const day = 86_400_000

// biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
type Answer = any

/** A run of the plugin as an older code read it: one value doubled, and one figure not at all. */
const wronglyRead = Effect.gen(function* () {
  const recorded = yield* player(plugin)
  const { bodies, run } = yield* produce(recorded, timeOn(recorded.reel, lastReading(plugin.manifest, start)))
  const { simulated: _, ...live } = run
  const [first, second, ...others] = live.observations
  if (first === undefined || second === undefined) return yield* Effect.die("the plugin gives no rows")
  const wrong: Observation = { ...first, value: first.value * 2 }
  const delivery: Delivery = {
    run: { ...live, code_hash: "0".repeat(64), observations: [wrong, ...others] },
    bodies
  }
  // Of a month that was over before history begins no reading is kept: it is read anew each time.
  const unkept = live.observations.filter(({ as_of }) => Date.parse(as_of) < epoch).length
  return { delivery, first, second, wrong, n: live.observations.length, unkept }
})

onBothEngines("stored answers read again", (database) => {
  layer(Layer.merge(Service.layer({ manifests: [portable(plugin.manifest)], database }), layerWebCrypto))(
    (it) => {
      it.effect("become revisions with the reason method, and nothing else changes", () =>
        Effect.gen(function* () {
          const { call } = yield* Service
          const sql = yield* SqlClient.SqlClient
          const { delivery, first, n, second, unkept, wrong } = yield* wronglyRead
          const read = Date.parse(delivery.run.finished)
          yield* TestClock.setTime(read)
          yield* (yield* Ingest).write(delivery)
          const closing = (Math.floor(Date.parse(first.as_of) / day) + 1) * day + 8 * 3_600_000
          yield* TestClock.setTime(closing)
          yield* (yield* DailyClose).run
          const closed = new Date(closing).toISOString()
          yield* TestClock.setTime(closing + 3_600_000)
          const options = { plugin: id, from: 0, progress: () => Effect.void }
          const get = (path: string) =>
            Effect.map(call(path), (reply): Answer => {
              assert.strictEqual(reply.status, 200, reply.body.toString())
              return json(reply)
            })
          const rowsRead = sql`select rows from rows_read where plugin = ${id}`
          const before = yield* rowsRead

          // Somebody bought the value that was read wrongly.
          const sold = keyOf(warrantedLeaf({ ...wrong, as_of: Date.parse(wrong.as_of) }))
          yield* sql`insert into warranty_sale
              (sale, promise, pays, most_per_day, most_in_total, sold_at, until, rows, root, keys)
            values ('pur_1', '{}', 250000, 1, 1, ${new Date(read)}, ${new Date(closing + 30 * day)}, 1, '', ${bigints([sold])}::bigint[])`
          const dry = yield* rederive({ ...options, publish: false })
          assert.deepStrictEqual(dry.warranty, { sales: 1, cost_usd: 0.25 })
          assert.include(
            lines(dry).join("\n"),
            "the warranty of one sale would pay 0.25 USD after the next close, within its ceilings"
          )
          assert.deepInclude(dry, {
            runs: 1,
            revised: 1,
            added: 1 + unkept,
            same: n - 2 - unkept,
            published: false
          })
          assert.strictEqual((yield* get("/v1/revisions")).revisions.length, 0)

          const published = yield* rederive({ ...options, publish: true })
          assert.isUndefined(published.warranty)
          assert.deepInclude(published, {
            runs: 1,
            revised: 1,
            added: 1 + unkept,
            same: n - 2 - unkept,
            published: true
          })
          assert.deepStrictEqual(published.code_before, ["0".repeat(64)])

          const [revision, ...more] = (yield* get("/v1/revisions")).revisions
          assert.strictEqual(more.length, 0)
          assert.deepInclude(revision, {
            symbol: first.symbol,
            metric: first.metric,
            before_value: wrong.value,
            after_value: first.value,
            method: {
              run: delivery.run.id,
              code_before: "0".repeat(64),
              code_after: published.code_after
            }
          })
          const again = yield* get(`/v1/derivation/${revision.run}`)
          assert.strictEqual(again.rederives, delivery.run.id)
          assert.strictEqual(again.n_rows, n)
          const now = (yield* get(`/v1/network/${first.symbol}`)) as ReadonlyArray<Answer>
          assert.strictEqual(now.find(({ metric }) => metric === first.metric).value, first.value)

          const { differences } = yield* get(`/v1/diff?network=${first.symbol}&from=${closed}`)
          const reasons = new Map(differences.map((one: Answer) => [one.metric, one.reasons]))
          assert.deepStrictEqual(reasons.get(first.metric), ["method"])
          assert.deepStrictEqual(reasons.get(second.metric), ["late", "method"])
          assert.strictEqual(reasons.size, 2)
          const history = `/v1/history?network=${first.symbol}&metric=${first.metric}`
          const earlierDays = (yield* get(`${history}&as_known_at=${closed}`)).data[first.symbol][
            first.metric
          ]
          assert.strictEqual(earlierDays.points.at(-1).value, wrong.value)
          const today = (yield* get(history)).data[first.symbol][first.metric]
          assert.strictEqual(today.points.at(-1).value, first.value)

          // The feed did not run: nothing was read, and its last run stays the last.
          assert.deepStrictEqual(yield* rowsRead, before)
          assert.strictEqual(
            (yield* earlierRuns([id])).get(id)?.lastStarted,
            Date.parse(delivery.run.started)
          )

          const twice = yield* rederive({ ...options, publish: true })
          assert.deepInclude(twice, { runs: 1, revised: 0, added: unkept, same: n - unkept })
        })
      )
    }
  )
})

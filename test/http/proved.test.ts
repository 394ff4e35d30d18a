/** What a chain's own proof changes in what is served: the rung of a figure, and the share of series that are proved. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { chainOf, type Fault, nodes } from "../support/chain/substrateNode.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const eleven = Date.UTC(2026, 8, 5, 11)
const hour = 3_600_000
const url = "https://entrypoint-finney.opentensor.ai"

/** A run of the plugin at a time, through a node with these faults. */
const collect = Effect.fnUntraced(function* (at: number, faults: ReadonlyArray<Fault>) {
  yield* TestClock.setTime(at)
  const chain = chainOf(bittensorEntries(12, 400, at - 90_000))
  const { layer: node } = nodes({ [url]: { chain, faults } }, { rpc_url: url }, at)
  const ran = yield* runOnce({
    plugin: bittensor,
    codeHash: "0".repeat(64),
    settings: { rpc_url: url },
    keys: {},
    limits: runLimits,
    upstream: () => Effect.provide(Upstream, node)
  }).pipe(
    Effect.provideService(
      SecureRandom.SecureRandom,
      SecureRandom.make((size) => randomBytes(size))
    )
  )
  yield* (yield* Ingest).write(ran)
  yield* TestClock.setTime(at + 1000)
})

const json = (path: string) =>
  Effect.map(ask(path), ({ body, status }) => {
    assert.strictEqual(status, 200, body.toString())
    return JSON.parse(body.toString())
  })

/** The rungs of what a subnet pays out, by /v1/earned and by its rows. */
const rungs = Effect.gen(function* () {
  const metric = "paid_out_block"
  const { earned } = yield* json("/v1/earned?symbols=SN5")
  const rows = yield* json("/v1/network/SN5")
  const of = (rows: ReadonlyArray<{ readonly metric: string; readonly rung?: string }>) =>
    rows.find((row) => row.metric === metric)?.rung
  return [of(earned), of(rows)]
})

layer(Service.layer({ manifests: [bittensor.manifest] }))("a figure that a chain proves", (it) => {
  it.effect("stands on the highest rung, and on its own where no node proved it", () =>
    Effect.gen(function* () {
      yield* collect(eleven, [])
      assert.deepStrictEqual(yield* rungs, ["chain_proved", "chain_proved"])
      yield* collect(eleven + hour, ["no proofs"])
      assert.deepStrictEqual(yield* rungs, ["chain_read", "chain_read"])
    })
  )
})

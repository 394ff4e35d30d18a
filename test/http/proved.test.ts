/** What a chain's own proof changes in what is served: the rung of a figure, and the share of series that are proved. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { ProvedSeries } from "../../core/readings/read/ProvedSeries.ts"
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
  // Past the ten seconds for which a page stands.
  yield* TestClock.setTime(at + 20_000)
  yield* (yield* ProvedSeries).refresh
  return ran.run.observations.length
})

const json = (path: string) =>
  Effect.map(ask(path), ({ body, status }) => {
    assert.strictEqual(status, 200, body.toString())
    return JSON.parse(body.toString())
  })

const pageOf = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body }) =>
    body
      .toString("utf8")
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
  )

/** What the data dictionary says of the feed's proofs. */
const proofs = Effect.map(json("/v1/data-dictionary"), ({ feeds }) => feeds[0].proofs)

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

  it.effect("counts in the share of its feed, and where none is proved it is said why", () =>
    Effect.gen(function* () {
      const n = yield* collect(eleven + 2 * hour, [])
      assert.deepStrictEqual(yield* proofs, [{ family: "substrate", series: n, proved: n }])
      assert.include(
        yield* pageOf("/"),
        `Proved by the state of a block: ${n} of ${n} series of Substrate chains. What that proves`
      )
      yield* collect(eleven + 3 * hour, ["no proofs"])
      const [without] = yield* proofs
      assert.deepInclude(without, { series: n, proved: 0 })
      assert.match(without.unproved.join(), /^entrypoint-finney\.opentensor\.ai serves no proof: /)
      assert.include(yield* pageOf("/"), `0 of ${n} series of Substrate chains`)
      assert.match(
        yield* pageOf("/trust"),
        new RegExp(
          `Bittensor subnets bittensor Substrate chains 0 of ${n} entrypoint-finney\\.opentensor\\.ai serves no proof`
        )
      )
    })
  )
})

layer(Service.layer())("a service that reads no chain", (it) => {
  it.effect("says nothing of proofs", () =>
    Effect.gen(function* () {
      yield* (yield* ProvedSeries).refresh
      assert.isUndefined(yield* proofs)
      assert.notInclude(yield* pageOf("/"), "Proved by the state")
    })
  )
})

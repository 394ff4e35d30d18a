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
import scrt from "../../plugins/secret/index.ts"
import tokenSupply from "../../plugins/token-supply/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { cosmosChain } from "../../runtime/tape/cosmosChain.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { token, tokenChain } from "../support/chain/contracts.ts"
import { type Fault as CosmosFault, cosmosNodes } from "../support/chain/cosmosNode.ts"
import { type EvmFault, evmNodesOf } from "../support/chain/evmNode.ts"
import { chainOf, type Fault, nodes } from "../support/chain/substrateNode.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const eleven = Date.UTC(2026, 8, 5, 11)
const hour = 3_600_000
const url = "https://entrypoint-finney.opentensor.ai"

/** A run of a plugin at a time, stored, and its series counted; gives the number of its values. */
const run = Effect.fnUntraced(function* (
  plugin: typeof bittensor,
  at: number,
  settings: Readonly<Record<string, string>>,
  upstream: Effect.Effect<Upstream["Service"]>
) {
  yield* TestClock.setTime(at)
  const ran = yield* runOnce({
    plugin,
    codeHash: "0".repeat(64),
    settings,
    keys: {},
    limits: runLimits,
    upstream: () => upstream
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

/** A run of the subnets, through a node with these faults. */
const collect = (at: number, faults: ReadonlyArray<Fault>) => {
  const chain = chainOf(bittensorEntries(12, 400, at - 90_000))
  const { layer: node } = nodes({ [url]: { chain, faults } }, { rpc_url: url }, at)
  return run(bittensor, at, { rpc_url: url }, Effect.provide(Upstream, node))
}

/** A run of a token. */
const readToken = (at: number, faults: ReadonlyArray<EvmFault>) => {
  const chain = tokenChain((at - 12_000) / 1000)
  const targets = [{ symbol: "GLM", name: "Golem", id: `0x${token}`, chain: "ethereum" }]
  const { layer: node } = evmNodesOf(
    { "https://ethereum-rpc.publicnode.com/": { chain, faults } },
    { at, targets }
  )
  return run(tokenSupply, at, {}, Effect.provide(Upstream, node))
}

/** A run of Secret Network, whose gateway answers as well. */
const readStake = (at: number, fault?: CosmosFault) => {
  const chain = cosmosChain({
    id: "secret-4",
    height: 1000,
    time: new Date(at - 2000).toISOString(),
    validators: 70,
    stake: { denom: "uscrt", amount: "166201884503917" }
  })
  const gateway = "https://lcd.mainnet.secretsaturn.net/cosmos/staking/v1beta1"
  const { exchange } = cosmosNodes(
    { "https://rpc.mainnet.secretsaturn.net/": { chain, ...(fault && { fault }) } },
    {
      [`${gateway}/validators?status=BOND_STATUS_BONDED&pagination.limit=1&pagination.count_total=true`]: {
        validators: [{}],
        pagination: { next_key: "AA==", total: "70" }
      },
      [`${gateway}/params`]: { params: { bond_denom: "uscrt" } },
      [`${gateway}/pool`]: { pool: { bonded_tokens: "166201884503917" } }
    },
    at
  )
  return run(scrt, at, {}, Effect.succeed(Upstream.of({ now: at, targets: [], settings: {}, exchange })))
}

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

layer(Service.layer({ manifests: [scrt.manifest, tokenSupply.manifest] }))("other chains", (it) => {
  it.effect("count by their kind, also where a gateway gave the value in the place of a node", () =>
    Effect.gen(function* () {
      const shares = Effect.map(json("/v1/data-dictionary"), ({ feeds }) =>
        feeds.map((one: { readonly proofs: ReadonlyArray<object> }) => one.proofs)
      )
      assert.deepStrictEqual([yield* readStake(eleven), yield* readToken(eleven, [])], [2, 2])
      assert.deepStrictEqual(yield* shares, [
        [{ family: "cosmos", series: 2, proved: 2 }],
        [{ family: "evm", series: 2, proved: 2 }]
      ])
      assert.include(
        yield* pageOf("/"),
        "2 of 2 series of Cosmos chains, 2 of 2 series of contracts of EVM chains"
      )
      // A node that leaves a validator out proves the stake all the same.
      yield* readStake(eleven + hour, "another set")
      yield* readToken(eleven + hour, ["no proofs"])
      const [[ofCosmos], [ofContracts]] = yield* shares
      assert.deepInclude(ofCosmos, { family: "cosmos", series: 2, proved: 1 })
      assert.match(ofCosmos.unproved.join(), /they are not the validators of the header/)
      assert.deepInclude(ofContracts, { family: "evm", series: 2, proved: 0 })
      assert.match(ofContracts.unproved.join(), /^ethereum-rpc\.publicnode\.com serves no proof/)
      yield* readStake(eleven + 2 * hour, "no proofs")
      const [[without]] = yield* shares
      assert.deepInclude(without, { family: "cosmos", series: 2, proved: 1 })
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

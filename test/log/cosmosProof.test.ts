/** Values of Cosmos chains have the chain's own proof, from the collector to `verify chain`; and a node that contradicts its own proof is told of. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle4 } from "../../core/log/record/bundle4.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { endOver } from "../../core/log/settled.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { parseAnyBundle } from "../../core/proof/bundle.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { parseChainProof } from "../../core/proof/chain/document.ts"
import { verifyChain } from "../../core/proof/chain/verifyChain.ts"
import { chainVerdict } from "../../core/proof/chain/verifyProof.ts"
import { chainsFor } from "../../core/proof/chainsFor.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { blocksOf } from "../../core/publications/looks/blocksOfDay.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { chains } from "../../plugins/cosmos-staking/chains.ts"
import staking from "../../plugins/cosmos-staking/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { cosmosChain } from "../../runtime/tape/cosmosChain.ts"
import { cosmosNodes, type Fault } from "../support/chain/cosmosNode.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)

const rpcOf = (symbol: string) =>
  `https://${chains.find((one) => one.symbol === symbol)?.rpc[0] ?? assert.fail(symbol)}/`

/** A run of the plugin at a time: REGEN is proved, by a node with this fault or none, and so are the validators of NYM. */
const collect = Effect.fnUntraced(function* (at: number, fault?: Fault) {
  yield* TestClock.setTime(at)
  const time = new Date(at - 2000).toISOString()
  const regen = cosmosChain({
    id: "regen-1",
    height: at / hour,
    time,
    validators: 75,
    stake: { denom: "uregen", amount: "36000123456" }
  })
  const nym = cosmosChain({ id: "nyx", height: at / hour, time, validators: 16 })
  const { exchange } = cosmosNodes(
    {
      [rpcOf("REGEN")]: fault === undefined ? { chain: regen } : { chain: regen, fault },
      [rpcOf("NYM")]: { chain: nym }
    },
    {},
    at
  )
  const ran = yield* runOnce({
    plugin: staking,
    codeHash: "0".repeat(64),
    settings: {},
    keys: {},
    limits: runLimits,
    upstream: () => Effect.succeed(Upstream.of({ now: at, targets: [], settings: {}, exchange }))
  }).pipe(
    Effect.provideService(
      SecureRandom.SecureRandom,
      SecureRandom.make((size) => randomBytes(size))
    )
  )
  yield* (yield* Ingest).write(ran)
  return ran.run
})

const enterKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const since = Date.UTC(2026, 7, 1)
  yield* TestClock.setTime(eleven)
  yield* sql.withTransaction(
    enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
  )
})

onBothEngines("Cosmos chains", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [staking.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, eleven, feeds))
  )

  layer(services)((it) => {
    it.effect("prove what is published of them", () =>
      Effect.gen(function* () {
        yield* enterKey
        const run = yield* collect(eleven)
        assert.strictEqual(run.observations.length, 3)
        yield* TestClock.setTime(eleven + 21 * hour + 1000)
        yield* (yield* RunLog).run
        yield* (yield* DailyClose).run
        for (const [symbol, metric, value] of [
          ["REGEN", "staked_amount", "36000.123456 under the key 02"],
          ["REGEN", "validators_active", "75 validators"],
          ["NYM", "validators_active", "16 validators"]
        ] as const) {
          const name = { symbol, metric, date: "20260905", source: "cosmos_lcd" }
          const proof = parseChainProof(canonical(yield* chainProof(name)))
          assert.strictEqual(
            chainVerdict(verifyChain(proof)),
            "state proved; nobody was asked whether the block is one of the chain"
          )
          assert.strictEqual(proof.chain, symbol === "NYM" ? "cosmos:nyx" : "cosmos:regen-1")
          const bundle = parseAnyBundle(JSON.stringify(yield* bundle4(name)))
          const { checks } = verifyBundle(bundle, yield* Effect.promise(() => chainsFor(bundle)))
          const state = checks.find((one) => one.name === "state of the chain")
          assert.strictEqual(state?.ok, true, state?.detail)
          assert.include(state?.detail, ` says ${value}`)
        }
        assert.deepStrictEqual(
          (yield* blocksOf("2026-09-05")).map(({ chain, number }) => [chain, number]),
          [
            ["cosmos:nyx", eleven / hour + 1],
            ["cosmos:regen-1", eleven / hour + 1]
          ]
        )
      })
    )
  })

  layer(services)((it) => {
    it.effect("have an incident while a node contradicts its own proof, and no longer", () =>
      Effect.gen(function* () {
        yield* enterKey
        const incidents = yield* Incidents
        yield* collect(eleven - 3 * hour)
        assert.isEmpty(yield* incidents.list(false, 10))
        for (const back of [2, 1]) {
          const run = yield* collect(eleven - back * hour, "another value")
          assert.isEmpty(run.observations.filter(({ symbol }) => symbol === "REGEN"))
          // NYM's chain contradicts nothing, and the second refusal opens none beside the first.
          const [incident, ...more] = yield* incidents.list(true, 10)
          assert.isEmpty(more)
          assert.deepInclude(incident, { symbol: "REGEN", kind: "automatic" })
          assert.match(
            incident?.reason ?? "",
            /^contradicted by its chain: the node says 0x31, and the state under block \d+ has 0x[0-9a-f]+, as its proof shows; this holds no reading$/
          )
        }
        assert.isEmpty(yield* endOver)
        yield* collect(eleven)
        assert.lengthOf(yield* endOver, 1)
        assert.isEmpty(yield* endOver)
        assert.lengthOf(yield* incidents.list(false, 10), 1)
      })
    )
  })
})

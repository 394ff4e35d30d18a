/** A value that was read from a chain has the chain's own proof: in a file of its own and in its bundle, as long as its leaf stays. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle4 } from "../../core/log/record/bundle4.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isRefusal } from "../../core/plugin/notes.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { parseAnyBundle } from "../../core/proof/bundle.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { parseChainProof } from "../../core/proof/chain/document.ts"
import { verifyChain } from "../../core/proof/chain/verifyChain.ts"
import { chainVerdict } from "../../core/proof/chain/verifyProof.ts"
import { chainsFor } from "../../core/proof/chainsFor.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { removeOld } from "../../core/readings/ingest/bodies.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { wholeRunsOf } from "../../core/readings/ingest/runs/wholeRuns.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { chainOf, type Fault, nodes } from "../support/chain/substrateNode.ts"
import { onBothEngines } from "../support/database.ts"
import { attested, dueAt } from "../support/due.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)
const url = "https://entrypoint-finney.opentensor.ai"

/** A run of the plugin an hour before or at eleven, through a node with these faults. */
const collect = Effect.fnUntraced(function* (hoursBefore: number, faults: ReadonlyArray<Fault>) {
  const at = eleven - hoursBefore * hour
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
  return ran.run
})

const nameOf = (symbol: string, metric: string) => ({
  symbol,
  metric,
  date: "20260905",
  source: "subtensor_rpc"
})

onBothEngines("the proof of a chain", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [bittensor.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, eleven, feeds))
  )

  layer(services)((it) => {
    it.effect("is given for a value, and stays with its leaf", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const since = Date.UTC(2026, 7, 1)
        yield* TestClock.setTime(eleven)
        yield* sql.withTransaction(
          enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
        )
        const earlier = yield* collect(1, [])
        const sealed = yield* collect(0, [])
        assert.deepStrictEqual(
          [sealed.status, sealed.refused.filter(({ reason }) => reason.startsWith("unproved"))],
          ["ok", []]
        )
        yield* TestClock.setTime(eleven + 21 * hour + 1000)
        yield* (yield* RunLog).run
        yield* (yield* DailyClose).run
        for (const [symbol, metric, value] of [
          ["SN5", "SUBNET_NEURONS", "256"],
          ["SN3", "SUBNET_ACTIVE_NEURONS", "0"],
          ["SN5", "SUBNET_ACTIVE_NEURONS", "85"],
          ["TAO", "total_issuance", "10000000"],
          ["TAO", "SUBNETS", "12"]
        ] as const) {
          const proof = parseChainProof(canonical(yield* chainProof(nameOf(symbol, metric))))
          assert.strictEqual(
            chainVerdict(verifyChain(proof)),
            "state proved; nobody was asked whether the block is one of the chain"
          )
          assert.strictEqual(proof.claims.length, 3)
          assert.strictEqual(proof.chain, "polkadot:91b171bb158e2d3848fa23a9f1c25182")
          const bundle = parseAnyBundle(JSON.stringify(yield* bundle4(nameOf(symbol, metric))))
          const unchecked = verifyBundle(bundle).checks.find(({ name }) => name === "state of the chain")
          assert.deepInclude(unchecked, { ok: "not checked", reason: "unavailable" })
          const { checks } = verifyBundle(bundle, yield* Effect.promise(() => chainsFor(bundle)))
          const state = checks.find(({ name }) => name === "state of the chain")
          assert.strictEqual(state?.ok, true, state?.detail)
          assert.include(state?.detail, ` says ${value} under the key `)
          assert.deepInclude(
            checks.find(({ name }) => name === "block of the chain"),
            { ok: "not checked", reason: "unasked" }
          )
        }
        // Years later only what proves a leaf is still there.
        yield* removeOld(dueAt(eleven + 4000 * 24 * hour), { attested, keepDays: 90 })
        const blobs = yield* Blobs
        const stored = (run: typeof sealed) =>
          Effect.forEach(run.exchanges, ({ request_body, sha256 }) =>
            Effect.map(blobs.get(sha256), (body) => [
              /"(state_getReadProof|chain_getFinalizedHead)"/.exec(request_body ?? "")?.[1] ?? "keys",
              Option.isSome(body)
            ])
          )
        assert.deepStrictEqual(yield* stored(earlier), [
          ["chain_getFinalizedHead", false],
          ["keys", false],
          ["state_getReadProof", false]
        ])
        assert.deepStrictEqual((yield* stored(sealed)).at(-1), ["state_getReadProof", true])
        yield* chainProof(nameOf("SN5", "SUBNET_NEURONS"))
        // Nor does its run go to a file, whose answers nothing would name.
        const leaving = Effect.fnUntraced(function* (hoursBefore: number) {
          return (yield* wholeRunsOf(new Date(eleven - hoursBefore * hour))).length
        })
        assert.deepStrictEqual([yield* leaving(1), yield* leaving(0)], [1, 0])
      })
    )
  })

  layer(services)((it) => {
    it.effect("is missing where no node gave one, and the run and the answer say why", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const since = Date.UTC(2026, 7, 1)
        yield* sql.withTransaction(
          enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
        )
        const { refused } = yield* collect(0, ["no proofs"])
        const says =
          "entrypoint-finney.opentensor.ai serves no proof: JSON-RPC error -32601: Method not found"
        const [{ metric, reason, symbol } = assert.fail("no note"), ...more] = refused.filter(
          (one) => !isRefusal(one)
        )
        assert.deepStrictEqual([symbol, metric, more.length], ["*", "*", 0])
        assert.include(reason, `unproved: ${says}`)
        yield* TestClock.setTime(eleven + 21 * hour + 1000)
        yield* (yield* RunLog).run
        yield* (yield* DailyClose).run
        const error = yield* Effect.flip(chainProof(nameOf("SN5", "SUBNET_NEURONS")))
        assert.strictEqual(error._tag === "NotAttested" ? error.reason : "", "unproved")
        assert.include(
          error.message,
          "entrypoint-finney.opentensor.ai serves no proof: JSON-RPC error -32601"
        )
        const { checks } = verifyBundle(
          parseAnyBundle(JSON.stringify(yield* bundle4(nameOf("SN5", "SUBNET_NEURONS"))))
        )
        assert.isUndefined(checks.find(({ name }) => name.endsWith("of the chain")))
      })
    )
  })
})

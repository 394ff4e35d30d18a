/** A value that was read from contracts has the chain's own proof: in a file of its own and in its bundle. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { exchangeWallets } from "../../core/catalog/ExchangeWallets.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle4 } from "../../core/log/record/bundle4.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { endOver } from "../../core/log/settled.ts"
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
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import energyWeb from "../../plugins/energy-web/index.ts"
import walletsPlugin from "../../plugins/exchange-wallets/index.ts"
import tokenSupply from "../../plugins/token-supply/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { chainOf } from "../../runtime/tape/evmChain.ts"
import {
  givingWords,
  heldBy,
  inTurn,
  token,
  tokenBehindProxy,
  tokenChain
} from "../support/chain/contracts.ts"
import { type EvmFault, evmNodesOf } from "../support/chain/evmNode.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)
const url = "https://ethereum-rpc.publicnode.com/"
const symbol = "GLM"

/** A run of a plugin at a time, through a node with these faults. */
const collect = Effect.fnUntraced(function* (
  faults: ReadonlyArray<EvmFault>,
  at = eleven,
  plugin = tokenSupply,
  chain = tokenChain((at - 12_000) / 1000),
  node = url
) {
  yield* TestClock.setTime(at)
  const targets = [{ symbol, name: "Golem", id: `0x${token}`, chain: "ethereum" }]
  const { layer: upstream } = evmNodesOf({ [node]: { chain, faults } }, { at, targets })
  const ran = yield* runOnce({
    plugin,
    codeHash: "0".repeat(64),
    settings: {},
    keys: {},
    limits: runLimits,
    upstream: () => Effect.provide(Upstream, upstream)
  }).pipe(
    Effect.provideService(
      SecureRandom.SecureRandom,
      SecureRandom.make((size) => randomBytes(size))
    )
  )
  yield* (yield* Ingest).write(ran)
  return ran.run
})

const nameOf = (metric: string) => ({ symbol, metric, date: "20260905", source: "token_contract" })

const close = Effect.gen(function* () {
  yield* TestClock.setTime(eleven + 21 * hour + 1000)
  yield* (yield* RunLog).run
  yield* (yield* DailyClose).run
})

const began = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const since = Date.UTC(2026, 7, 1)
  yield* TestClock.setTime(eleven)
  yield* sql.withTransaction(
    enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
  )
})

onBothEngines("the proof of a contract's chain", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({
      manifests: [tokenSupply, walletsPlugin, energyWeb].map(({ manifest }) => manifest),
      states: Effect.succeed(new Map())
    })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, eleven, feeds))
  )

  layer(services)((it) => {
    it.effect("is given for a value that one call gives, and for the sum of two", () =>
      Effect.gen(function* () {
        yield* began
        const { observations, refused, status } = yield* collect([])
        assert.deepStrictEqual([status, refused], ["ok", []])
        assert.strictEqual(observations.length, 2)
        yield* close
        for (const [metric, value, calls] of [
          ["token_total_supply", "123456789", 1],
          ["token_burned_balance", "0", 2]
        ] as const) {
          const proof = parseChainProof(canonical(yield* chainProof(nameOf(metric))))
          const checks = verifyChain(proof)
          assert.strictEqual(
            chainVerdict(checks),
            "state proved; nobody was asked whether the block is one of the chain",
            checks[1]?.detail
          )
          assert.deepStrictEqual(
            [proof.chain, proof.codes.length, proof.claims.map(({ kind }) => kind)],
            ["eip155:1", 2, [...Array.from({ length: calls }, () => "evm-call"), "evm-code-hash"]]
          )
          const bundle = parseAnyBundle(JSON.stringify(yield* bundle4(nameOf(metric))))
          const verified = verifyBundle(bundle, yield* Effect.promise(() => chainsFor(bundle)))
          const state = verified.checks.find(({ name }) => name === "state of the chain")
          assert.strictEqual(state?.ok, true, state?.detail)
          assert.include(state?.detail, ` says ${value} under the key ${token}`)
          assert.deepInclude(
            verified.checks.find(({ name }) => name === "block of the chain"),
            { ok: "not checked", reason: "unasked" }
          )
        }
      })
    )
  })

  layer(services)((it) => {
    it.effect(
      "is given for the sum of as many calls as exchanges have wallets, and not for how many they are",
      () =>
        Effect.gen(function* () {
          yield* began
          const owners = exchangeWallets
            .filter((one) => one.chain === "ethereum")
            .map(({ address }) => address)
          const facts = { id: 1, number: 23_456_789, seconds: (eleven - 12_000) / 1000 }
          const chain = chainOf(heldBy(tokenBehindProxy, owners), facts)
          const { observations, refused } = yield* collect([], eleven, walletsPlugin, chain)
          assert.deepStrictEqual(refused, [])
          const [balance, count] = observations
          assert.deepStrictEqual([count?.metric, count?.value], ["exchange_wallets", owners.length])
          assert.notProperty(count, "read_url")
          assert.strictEqual(balance?.value, (owners.length * (owners.length + 1)) / 2)
          // The address says all calls, and a page can have it.
          assert.isBelow(balance?.read_url?.length ?? 0, 4000)
          yield* close
          const name = { symbol, date: "20260905", source: "exchange_wallets_rpc" }
          const proof = parseChainProof(canonical(yield* chainProof({ ...name, metric: "exchange_balance" })))
          const [block, state] = verifyChain(proof)
          assert.deepStrictEqual([block?.ok, state?.ok], [true, true], state?.detail)
          assert.strictEqual(proof.claims.filter(({ kind }) => kind === "evm-call").length, owners.length)
          const bundle = parseAnyBundle(
            JSON.stringify(yield* bundle4({ ...name, metric: "exchange_balance" }))
          )
          const verified = verifyBundle(bundle, yield* Effect.promise(() => chainsFor(bundle)))
          const ofState = verified.checks.find((one) => one.name === "state of the chain")
          assert.strictEqual(ofState?.ok, true, ofState?.detail)
          assert.isBelow(ofState?.detail.length ?? 0, 1000)
          const error = yield* Effect.flip(chainProof({ ...name, metric: "exchange_wallets" }))
          assert.strictEqual(error._tag === "NotAttested" ? error.reason : "", "unproved")
        })
    )
  })

  layer(services)((it) => {
    it.effect(
      "is given of a chain whose authorities make blocks in turn, for a list and not for the height",
      () =>
        Effect.gen(function* () {
          yield* began
          const validators = [32n, 3n, 0xa1n, 0xa2n, 0xa3n]
          const facts = { id: 246, number: 36_900_000, seconds: (eleven - 5000) / 1000 }
          const relay = "1204700000000000000000000000000000000000"
          const chain = inTurn(chainOf(new Map([[relay, givingWords(validators)]]), facts))
          const { observations, refused } = yield* collect(
            [],
            eleven,
            energyWeb,
            chain,
            "https://rpc.energyweb.org"
          )
          assert.deepStrictEqual(refused, [])
          assert.deepStrictEqual(
            observations.map(({ metric, value }) => [metric, value]),
            [
              ["block_height", facts.number],
              ["validators_active", 3]
            ]
          )
          yield* close
          const name = { symbol: "EWT", date: "20260905", source: "energy_web_rpc" }
          const proof = parseChainProof(
            canonical(yield* chainProof({ ...name, metric: "validators_active" }))
          )
          assert.strictEqual(proof.chain, "eip155:246")
          const [block, state] = verifyChain(proof)
          assert.deepStrictEqual([block?.ok, state?.ok], [true, true], state?.detail)
          const error = yield* Effect.flip(chainProof({ ...name, metric: "block_height" }))
          assert.strictEqual(error._tag === "NotAttested" ? error.reason : "", "unproved")
        })
    )
  })

  layer(services)((it) => {
    it.effect("is missing where no node gave one, and the run and the answer say why", () =>
      Effect.gen(function* () {
        yield* began
        const { observations, refused } = yield* collect(["no proofs"])
        assert.strictEqual(observations.length, 2)
        const [note, ...more] = refused.filter((one) => !isRefusal(one))
        assert.strictEqual(more.length, 0)
        assert.match(note?.reason ?? "", /^unproved: ethereum-rpc\.publicnode\.com serves no proof/)
        yield* close
        const error = yield* Effect.flip(chainProof(nameOf("token_total_supply")))
        assert.strictEqual(error._tag === "NotAttested" ? error.reason : "", "unproved")
        assert.include(error.message, "serves no proof")
      })
    )
  })

  layer(services)((it) => {
    it.effect("refuses the reading where the node says something else, and opens an incident meanwhile", () =>
      Effect.gen(function* () {
        yield* began
        const incidents = yield* Incidents
        yield* collect([], eleven - 2 * hour)
        const { error: failed, observations } = yield* collect(["another value"], eleven - hour)
        assert.strictEqual(observations.length, 0)
        assert.include(failed?.message, "as its proof shows")
        const [incident, ...more] = yield* incidents.list(true, 10)
        assert.isEmpty(more)
        assert.deepInclude(incident, { symbol, kind: "automatic" })
        assert.match(
          incident?.reason ?? "",
          /^contradicted by its chain: the node says 0x0+9, and the state of block 0x[0-9a-f]{64} gives 0x/
        )
        yield* collect([])
        assert.lengthOf(yield* endOver, 1)
      })
    )
  })
})

/** `plumbline probe --proof` says what the nodes of a chain answer that is asked for proofs. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import livepeer from "../../plugins/livepeer/index.ts"
import scrt from "../../plugins/secret/index.ts"
import { probeAll } from "../../runtime/contributor/probe/probeAll.ts"
import * as Report from "../../runtime/contributor/probe/report.ts"
import { cosmosChain } from "../../runtime/tape/cosmosChain.ts"
import { chainOf as evmChainOf, slotOfCall, tableCode } from "../../runtime/tape/evmChain.ts"
import { Egress } from "../../runtime/upstream/Egress.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { type Fault as CosmosFault, answerOf as cosmosAnswerOf } from "../support/chain/cosmosNode.ts"
import { type EvmFault, answerOf as evmAnswerOf } from "../support/chain/evmNode.ts"
import { answerOf, chainOf, type Fault } from "../support/chain/substrateNode.ts"
import { contributor } from "../support/contributor.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"

const chain = chainOf(bittensorEntries(4, 100))

const probe = (faults: ReadonlyArray<Fault>, proof: boolean) =>
  probeAt(bittensor, (body) => answerOf(chain, body, faults), proof)

/** Probes a plugin at nodes that answer so. */
const probeAt = Effect.fnUntraced(function* (
  plugin: Plugin,
  answer: (body: string) => string | undefined,
  proof: boolean
) {
  const server = yield* startScriptedServer
  const { fixtures } = yield* contributor
  server.handle = (_, response, body) =>
    response.writeHead(200, { "content-type": "application/json" }).end(answer(body))
  const map = new Map(plugin.manifest.hosts.map((host) => [host, new URL(server.url)]))
  const [probed = assert.fail("not probed")] = yield* probeAll([plugin], {
    fixtures,
    environment: {},
    ranges: new Map(),
    contracts: [],
    capture: false,
    proof,
    stateFile: join(fixtures, "state.jsonl"),
    mapped: true,
    onDone: () => Effect.void
  }).pipe(
    Effect.provide([
      Egress.layer({ map, limits: { timeout: "5 seconds", backoff: 0, bytes: 8 << 20 } }),
      SecureRandom.layerWebCrypto
    ])
  )
  return { ...probed, line: Report.line(probed) }
})

describe("a probe for proofs", () => {
  it.live("says that the state of a block proves what was read", () =>
    Effect.gen(function* () {
      const { outcome, line } = yield* probe([], true)
      assert.strictEqual(outcome, "reached")
      assert.match(line, /proved by the state of its block: an answer of \d+ bytes$/)
    })
  )

  it.live("says why a node proves nothing, which is no refusal", () =>
    Effect.gen(function* () {
      const { outcome, line, refused } = yield* probe(["no proofs"], true)
      assert.deepStrictEqual([outcome, refused], ["reached", []])
      assert.match(line, /unproved: entrypoint-finney\.opentensor\.ai serves no proof: JSON-RPC error -32601/)
    })
  )

  it.live("asks for none unless it is told to", () =>
    Effect.gen(function* () {
      const { line, proof } = yield* probe(["no proofs"], false)
      assert.isUndefined(proof)
      assert.notInclude(line, "proof")
    })
  )
})

describe("a probe for proofs of contracts", () => {
  const bondingManager = "35bcf3c30594191d53231e4ff333e8a770453e40"
  const minter = "c20de37170b45774e6cd3d2304017fc962f27252"
  const contracts = new Map([
    [
      bondingManager,
      {
        code: tableCode,
        slots: new Map([
          [slotOfCall("0x2a4e0d55"), 98n],
          [slotOfCall("0x5a2a75a9"), 100n]
        ])
      }
    ],
    [minter, { code: tableCode, slots: new Map([[slotOfCall("0x9ae6309a"), 10n ** 21n]]) }]
  ])
  const arbitrum = evmChainOf(contracts, { id: 42161, number: 400_000_000, seconds: 1_788_606_000 })
  const probeLivepeer = (faults: ReadonlyArray<EvmFault>) =>
    probeAt(livepeer, (body) => evmAnswerOf({ chain: arbitrum, faults }, body), true)

  it.live("says that the state of a block proves what was read, or why not", () =>
    Effect.gen(function* () {
      const { line, outcome } = yield* probeLivepeer([])
      assert.strictEqual(outcome, "reached")
      assert.match(line, /proved by the state of its block: (an answer|3 answers) of \d+ bytes$/)
      const without = yield* probeLivepeer(["no proofs"])
      assert.strictEqual(without.outcome, "reached")
      assert.match(without.line, /unproved: arb1\.arbitrum\.io serves no proof: JSON-RPC error -32601/)
    })
  )
})

describe("a probe for proofs of a Cosmos chain", () => {
  const chain = cosmosChain({
    id: "secret-4",
    height: 1000,
    time: "2026-09-05T10:59:58Z",
    validators: 70,
    stake: { denom: "uscrt", amount: "166201884503917" }
  })
  const probeSecret = (fault?: CosmosFault) =>
    probeAt(
      scrt,
      (body) => (body === "" ? "{}" : cosmosAnswerOf({ chain, ...(fault && { fault }) }, body)),
      true
    )

  it.live("says that the state under a header proves what was read, or why not", () =>
    Effect.gen(function* () {
      const { line, outcome, rows } = yield* probeSecret()
      assert.deepStrictEqual([outcome, rows], ["reached", 2])
      assert.match(line, /proved by the state of its block: 3 answers of \d+ bytes$/)
      const without = yield* probeSecret("another set")
      assert.match(
        without.line,
        /unproved: rpc\.mainnet\.secretsaturn\.net gave a proof that does not hold: they are not the validators of the header/
      )
    })
  )
})

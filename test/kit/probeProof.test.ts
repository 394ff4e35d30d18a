/** `plumbline probe --proof` says what the nodes of a chain answer that is asked for proofs. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import bittensor from "../../plugins/bittensor/index.ts"
import { probeAll } from "../../runtime/contributor/probe/probeAll.ts"
import * as Report from "../../runtime/contributor/probe/report.ts"
import { Egress } from "../../runtime/upstream/Egress.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { answerOf, chainOf, type Fault } from "../support/chain/substrateNode.ts"
import { contributor } from "../support/contributor.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"

const chain = chainOf(bittensorEntries(4, 100))

const probe = Effect.fnUntraced(function* (faults: ReadonlyArray<Fault>, proof: boolean) {
  const server = yield* startScriptedServer
  const { fixtures } = yield* contributor
  server.handle = (_, response, body) =>
    response.writeHead(200, { "content-type": "application/json" }).end(answerOf(chain, body, faults))
  const map = new Map(bittensor.manifest.hosts.map((host) => [host, new URL(server.url)]))
  const [probed = assert.fail("not probed")] = yield* probeAll([bittensor], {
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

/** The demo proves what it reads of Substrate chains, over blocks that it makes up. */
import { randomBytes } from "node:crypto"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { canonical } from "../../core/proof/canonical.ts"
import { parseChainProof } from "../../core/proof/chain/document.ts"
import { proofOfRead } from "../../core/proof/chain/proofOfRead.ts"
import { verifyChain } from "../../core/proof/chain/verifyChain.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import storage from "../../plugins/substrate-storage/index.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { tapeAt } from "../../runtime/tape/tape.ts"

const at = Date.parse("2026-08-20T07:00:00Z")

describe("the demo", () => {
  it.effect.each([
    [bittensor, 1, 316],
    [storage, 7, 11]
  ] as const)(
    "proves the storage that a plugin reads, which is that of the tape: %#",
    ([plugin, chains, rows]) =>
      Effect.gen(function* () {
        const playing = yield* player(plugin)
        const { bodies, run } = yield* produce(playing, at)
        const plain = yield* Fixtures.replay(plugin, tapeAt(playing.reel, at))
        if ("error" in plain) return assert.fail(plain.message)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(
          run.observations.map(({ read_url: _, ...row }) => row),
          plain.observations
        )
        assert.strictEqual(run.observations.length, rows)
        assert.deepStrictEqual(run.refused, plain.refused)
        assert.strictEqual(run.simulated, true)
        const proofs = run.exchanges.filter(({ request_body }) =>
          request_body?.includes("state_getReadProof")
        )
        assert.strictEqual(proofs.length, chains)
        for (const { request_body = "", sha256 } of proofs) {
          const [, , { params }] = JSON.parse(request_body)
          const [genesis, header, { result }] = JSON.parse(
            zstdDecompressSync(bodies.get(sha256) ?? assert.fail("no body")).toString()
          )
          const proof = proofOfRead(
            { genesis: genesis.result, hash: params[1], header: header.result, nodes: result.proof },
            params[0],
            true
          )
          const [block, state] = verifyChain(parseChainProof(canonical(proof)))
          assert.deepStrictEqual([block?.ok, state?.ok], [true, true], state?.detail)
          assert.match(state?.detail ?? "", /all of it is simulated$/)
        }
      }).pipe(
        Effect.provideService(
          SecureRandom.SecureRandom,
          SecureRandom.make((size) => randomBytes(size))
        )
      )
  )
})

/** The demo proves what it reads of chains, over blocks that it makes up. */
import { randomBytes } from "node:crypto"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { canonical } from "../../core/proof/canonical.ts"
import { parseChainProof } from "../../core/proof/chain/document.ts"
import { proofOfCalls } from "../../core/proof/chain/proofOfCalls.ts"
import { proofOfRead } from "../../core/proof/chain/proofOfRead.ts"
import { verifyChain } from "../../core/proof/chain/verifyChain.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import cosmosStaking from "../../plugins/cosmos-staking/index.ts"
import energyWeb from "../../plugins/energy-web/index.ts"
import registries from "../../plugins/evm-registries/index.ts"
import exchangeWallets from "../../plugins/exchange-wallets/index.ts"
import livepeer from "../../plugins/livepeer/index.ts"
import storage from "../../plugins/substrate-storage/index.ts"
import tokenSupply from "../../plugins/token-supply/index.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { tapeAt } from "../../runtime/tape/tape.ts"

const at = Date.parse("2026-08-20T07:00:00Z")

describe("the demo", () => {
  it.effect("proves stake and validators of a Cosmos chain", () =>
    Effect.gen(function* () {
      const playing = yield* player(cosmosStaking)
      const { run } = yield* produce(playing, at)
      const plain = yield* Fixtures.replay(cosmosStaking, tapeAt(playing.reel, at))
      if ("error" in plain) return assert.fail(plain.message)
      const isProved = ({ symbol }: { readonly symbol: string }) => symbol === "REGEN"
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        run.observations.map(({ read_url: _, ...row }) => row),
        plain.observations
      )
      assert.strictEqual(run.observations.filter(isProved).length, 2)
      assert.deepStrictEqual(run.refused, plain.refused)
      const methods = run.exchanges.flatMap(
        ({ request_body = "" }) => /"method":"(\w+)"/.exec(request_body)?.[1] ?? []
      )
      assert.deepStrictEqual(methods, ["abci_query", "commit", "validators", "validators"])
      assert.isEmpty(run.exchanges.filter(({ url }) => url.includes("regen") && url.includes("/staking/")))
    }).pipe(
      Effect.provideService(
        SecureRandom.SecureRandom,
        SecureRandom.make((size) => randomBytes(size))
      )
    )
  )

  it.effect.each([
    [bittensor, 1, 339],
    [storage, 7, 15]
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

  it.effect.each([
    [tokenSupply, 3, 5],
    [registries, 5, 9],
    [livepeer, 1, 1],
    [energyWeb, 1, 1],
    // And of BSC's, whose nodes are asked for no proof, none.
    [exchangeWallets, 3, 32]
  ] as const)(
    "proves what contracts say that a plugin reads, which is what the tape says: %#",
    ([plugin, chains, batches]) =>
      Effect.gen(function* () {
        const playing = yield* player(plugin)
        const { bodies, run } = yield* produce(playing, at)
        const plain = yield* Fixtures.replay(plugin, tapeAt(playing.reel, at))
        if ("error" in plain) return assert.fail(plain.message)
        assert.deepStrictEqual<ReadonlyArray<unknown>>(
          run.observations.map(({ read_url: _, ...row }) => row),
          plain.observations
        )
        assert.deepStrictEqual(run.refused, plain.refused)
        const bodyOf = (sha256: string) =>
          JSON.parse(zstdDecompressSync(bodies.get(sha256) ?? assert.fail("no body")).toString())
        const exchangesWith = (method: string) =>
          run.exchanges.filter(({ request_body }) => request_body?.includes(`"${method}"`))
        assert.strictEqual(exchangesWith("eth_chainId").length, chains)
        const proofs = exchangesWith("eth_getProof")
        assert.strictEqual(proofs.length, batches)
        for (const { request_body = "", sha256, url } of proofs) {
          const pin = exchangesWith("eth_chainId").find((one) => one.url === url) ?? assert.fail("no block")
          const [{ result: block }, { result: id }] = bodyOf(pin.sha256)
          const calls: ReadonlyArray<{ readonly method: string; readonly params: ReadonlyArray<never> }> =
            JSON.parse(request_body)
          const results: ReadonlyArray<{ readonly result: never }> = bodyOf(sha256)
          const of = (method: string) =>
            results.flatMap(({ result }, index) => (calls[index]?.method === method ? [result] : []))
          const proof = proofOfCalls(
            {
              chain: `eip155:${BigInt(id)}`,
              block,
              nodes: of("eth_getProof").flatMap(({ accountProof, storageProof }) => [
                ...(accountProof as ReadonlyArray<string>),
                ...(storageProof as ReadonlyArray<{ readonly proof: ReadonlyArray<string> }>).flatMap(
                  ({ proof }) => proof
                )
              ]),
              codes: exchangesWith("eth_getCode")
                .filter((one) => one.url === url)
                .flatMap((one) =>
                  [bodyOf(one.sha256)].flat().map(({ result }: { readonly result: string }) => result)
                )
            },
            calls.filter(({ method }) => method === "eth_call").map(({ params: [view] }) => view as never),
            true
          )
          const [header, state] = verifyChain(parseChainProof(canonical(proof)))
          assert.deepStrictEqual([header?.ok, state?.ok], [true, true], state?.detail)
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

/**
 * The signatures of Ethereum's sync committee, from nodes and beacon APIs of operators to `plumbline verify chain`: the committee really
 * signs, the log keeps what it signed of the block whose state proves a value, and operators who lie give a reason and no document.
 */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Predicate } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { chainFinality } from "../../core/log/record/chainFinality.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { toHex } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { encodeHeader } from "../../core/proof/chain/evmHeader.ts"
import { parseFinality } from "../../core/proof/finality/document.ts"
import type { SyncEvidence } from "../../core/proof/finality/syncCommittee.ts"
import { ChainLooksLog } from "../../core/publications/looks/ChainLooksLog.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import tokenSupply from "../../plugins/token-supply/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import * as Http from "../../runtime/outside/chainNodes.ts"
import { rootOf, signedFinal } from "../support/chain/beacon.ts"
import {
  blockOver,
  chainAfter,
  type OperatorOptions,
  startOperator
} from "../support/chain/beaconOperator.ts"
import { token, tokenChain } from "../support/chain/contracts.ts"
import { evmNodesOf } from "../support/chain/evmNode.ts"
import { verifiedChain } from "../support/chain/verifiedChain.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)
const closing = eleven + 21 * hour + 1000
const value = { symbol: "GLM", metric: "token_total_supply", date: "20260905", source: "token_contract" }

const chain = tokenChain((eleven - 12_000) / 1000)
/** The block that is read, and the final one after it. */
const blocks = chainAfter(chain.block)

/** One run of the plugin at eleven, and its day closed. */
const collectAndClose = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const since = Date.UTC(2026, 7, 1)
  yield* TestClock.setTime(eleven)
  yield* sql.withTransaction(
    enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
  )
  const targets = [{ symbol: value.symbol, name: "Golem", id: `0x${token}`, chain: "ethereum" }]
  const { layer: node } = evmNodesOf(
    { "https://ethereum-rpc.publicnode.com/": { chain } },
    { at: eleven, targets }
  )
  const ran = yield* runOnce({
    plugin: tokenSupply,
    codeHash: "0".repeat(64),
    settings: {},
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
  yield* TestClock.setTime(closing)
  yield* (yield* RunLog).run
  yield* (yield* DailyClose).run
})

/** Asks these operators, in their order, for the day's blocks; gives why each gave no document, as the service writes it. */
const askFor = Effect.fnUntraced(function* (all: Readonly<Record<string, OperatorOptions>>, of = blocks) {
  const reasons: Array<string> = []
  const nodes = yield* Effect.forEach(Object.entries(all), ([operator, options]) =>
    Effect.map(startOperator(of, options), ({ api, url }) => ({
      api,
      node: { chain: "eip155:1", operator, url, beacon: url }
    }))
  )
  const noting = Logger.make<unknown, void>(({ message }) => {
    const [, about] = [message].flat()
    if (Predicate.hasProperty(about, "operator") && Predicate.hasProperty(about, "why"))
      reasons.push(`${about.operator}: ${about.why}`)
  })
  const written = yield* Effect.flatMap(ChainLooksLog, (log) => log.run).pipe(
    Effect.provide(
      Layer.fresh(ChainLooksLog.layer.pipe(Layer.provide(Http.layer(nodes.map(({ node }) => node)))))
    ),
    Effect.provide(Logger.layer([noting]))
  )
  assert.strictEqual(written, 1)
  return { reasons, trusted: nodes.map(({ api }) => api.trusted) }
})

const verified = Effect.fnUntraced(function* (finals: ReadonlyArray<string>, ...args: ReadonlyArray<string>) {
  return yield* verifiedChain(canonical(yield* chainProof(value)), finals, ...args)
})

/** A block of the day before, which the committee of its period signed; it signed as well that the one of this evidence is the next. */
const earlierBy = (evidence: SyncEvidence) => {
  const before = blockOver(23_449_600, new Uint8Array(32).fill(3))
  const hash = String(before["hash"]).slice(2)
  const shift = (slot: number) => slot - 8192
  const { attested, finalized, header, signature_slot } = evidence
  return {
    block: { number: 23_449_600, hash, header: toHex(encodeHeader(before)) },
    evidence: signedFinal(hash, {
      committee: 2,
      slots: [shift(header.slot), shift(attested.slot), shift(finalized.slot), shift(signature_slot)],
      next: { committee: 0 }
    })
  }
}

onBothEngines("the finality of a block of Ethereum", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [tokenSupply.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, eleven, feeds))
  )

  layer(services)((it) => {
    it.effect(
      "is in the log with the committee's signature, which a reader checks who trusts its period",
      () =>
        Effect.gen(function* () {
          yield* collectAndClose
          const { reasons, trusted } = yield* askFor({ a: { signing: { next: { committee: 1 } } } })
          assert.deepStrictEqual(reasons, [])
          const [root = ""] = trusted
          const text = yield* chainFinality(value)
          const document = parseFinality(text)
          assert.deepStrictEqual([document.chain, document.block.number], ["eip155:1", 23_456_789])

          const final = yield* verified([text], "--trust", root)
          assert.strictEqual(final.exit, 0, final.text)
          assert.match(final.text, /ok .*final: 512 of 512 members .* is final; you trust that block/)
          assert.match(final.text, /state proved, block final by the sync committee \(exit 0\)$/)

          const unnamed = yield* verified([text])
          assert.strictEqual(unnamed.exit, 2)
          assert.match(unnamed.text, /not proved.*final: .*nobody but this document says/)
          assert.match(unnamed.text, /that the block is one of the chain is not proved \(exit 2\)$/)
          assert.strictEqual((yield* verified([text], "--trust", "00".repeat(32))).exit, 2)

          // Whoever names the block of a period before, and has a document of it, comes to this one by who was in the next committee.
          const earlier = { ...document, day: "2026-09-04", ...earlierBy(document.evidence as SyncEvidence) }
          const later = yield* verified([canonical(earlier), text], "--trust", rootOf(earlier.evidence))
          assert.strictEqual(later.exit, 0, later.text)
          assert.match(
            later.text,
            /you trust a block one period before, whose committee signed who is in the next/
          )
        })
    )
  })

  layer(services)((it) => {
    it.effect("is refused of a document that is changed, and says why", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        const { trusted } = yield* askFor({ a: {} })
        const document = parseFinality(yield* chainFinality(value))
        const evidence = document.evidence as SyncEvidence
        for (const [change, says] of [
          [
            { bits: `${"00".repeat(32)}${evidence.bits.slice(64)}` },
            /256 of 512 signed, and two thirds must/
          ],
          [{ bits: `fe${evidence.bits.slice(2)}` }, /the signature does not fit/],
          [
            { committee: signedFinal(evidence.execution.hash, { committee: 1 }).committee },
            /the branch of the committee does not lead to the root/
          ],
          [{ execution: { ...evidence.execution, hash: "11".repeat(32) } }, /does not lead to the root/]
        ] as const) {
          const changed = canonical({ ...document, evidence: { ...evidence, ...change } })
          const { exit, text } = yield* verified([changed], "--trust", trusted[0] ?? "")
          assert.strictEqual(exit, 1, text)
          assert.match(text, says)
          assert.notMatch(text, /block final by/)
        }
      })
    )
  })

  layer(services)((it) => {
    it.effect(
      "is not in the log by operators who lie or answer half, each with a reason, and the next one is asked",
      () =>
        Effect.gen(function* () {
          yield* collectAndClose
          const few = Array.from({ length: 341 }, (_, at) => at)
          const { reasons, trusted } = yield* askFor({
            "another committee": { signing: { signs: 1 } },
            "too few": { signing: { signers: few } },
            "said to be more": { signing: { signers: few, claimed: [...few, 341] } },
            "another block": { finalBlock: blockOver(23_456_789 + 64, new Uint8Array(32).fill(9)) },
            "another next committee": { signing: { next: { committee: 1, signs: 2 } } },
            cut: { fault: "cut" },
            honest: {}
          })
          assert.deepStrictEqual(
            reasons
              .filter((one) => !one.startsWith("honest"))
              .map((one) => one.replace(/(?<=hash of this one).*/, "")),
            [
              "another committee: the signature does not fit",
              "too few: 341 of 512 signed, and two thirds must",
              "said to be more: the signature does not fit",
              "another block: the final block does not have the hash of this one",
              "another next committee: the signature does not fit",
              "cut: /eth/v1/beacon/light_client/finality_update answered something else"
            ]
          )
          const text = yield* chainFinality(value)
          assert.strictEqual((yield* verified([text], "--trust", trusted.at(-1) ?? "")).exit, 0)
        })
    )
  })

  layer(services)((it) => {
    it.effect(
      "is missing where every operator lies, and what is final of another block is not taken for this one",
      () =>
        Effect.gen(function* () {
          yield* collectAndClose
          const other = chainAfter({ ...blockOver(23_456_789, new Uint8Array(32).fill(5)) })
          const { reasons } = yield* askFor({ a: {} }, other)
          assert.match(String(reasons), /^a: it has another block: [0-9a-f]{64}$/)
          const { message } = yield* Effect.flip(chainFinality(value)).pipe(
            Effect.filterOrFail((error) => error._tag === "NotAttested")
          )
          assert.match(message, /^The log has no signatures of eip155:1 itself for block 23456789\.$/)
        })
    )
  })
})

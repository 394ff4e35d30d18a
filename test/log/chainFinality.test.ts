/**
 * The signatures of a chain itself, from the nodes that a service asks to `plumbline verify chain`: its validators really sign, and the log
 * keeps what they signed of the block whose state proves a value.
 */
import { createHash, randomBytes } from "node:crypto"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle4 } from "../../core/log/record/bundle4.ts"
import { chainFinality } from "../../core/log/record/chainFinality.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { parseAnyBundle } from "../../core/proof/bundle.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { chainsFor } from "../../core/proof/chainsFor.ts"
import { type DocumentEntry, entryBytes, isBatch, parseEntry } from "../../core/proof/entry.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { parseFinality } from "../../core/proof/finality/document.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { ChainLooksLog } from "../../core/publications/looks/ChainLooksLog.ts"
import { ChainNodes } from "../../core/publications/looks/ChainNodes.ts"
import { finalBlocks } from "../../core/publications/looks/finalBlocks.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { memoryOf } from "../../http/client/verifier/src/monitor/memory.ts"
import { firstState } from "../../http/client/verifier/src/monitor/state.ts"
import { checkUnit } from "../../http/client/verifier/src/monitor/units.ts"
import { chains } from "../../plugins/cosmos-staking/chains.ts"
import staking from "../../plugins/cosmos-staking/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import * as Http from "../../runtime/outside/chainNodes.ts"
import { cosmosChain } from "../../runtime/tape/cosmosChain.ts"
import { type Signer, setHash, signer, signing, type Vote } from "../support/chain/cometbft.ts"
import { cosmosNodes, type Fault, resultOf } from "../support/chain/cosmosNode.ts"
import { verifiedChain } from "../support/chain/verifiedChain.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import { noHead } from "../support/noHead.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)
const closing = eleven + 21 * hour + 1000

const rpc = `https://${chains.find((one) => one.symbol === "REGEN")?.rpc[0] ?? assert.fail("REGEN")}/`
const value = { symbol: "REGEN", metric: "validators_active", date: "20260905", source: "cosmos_lcd" }

/** More than a page of them. */
const set = Array.from({ length: 104 }, (_, at) => signer(`validator ${at}`, 1000 - at))

/** REGEN at eleven, with a block that these sign. */
const regen = (signers: ReadonlyArray<Signer> = set, votes?: (at: number) => Vote) =>
  signing(
    cosmosChain({
      id: "regen-1",
      height: eleven / hour,
      time: new Date(eleven - 2000).toISOString(),
      validators: signers.length,
      stake: { denom: "uregen", amount: "36000123456" }
    }),
    signers,
    votes === undefined ? {} : { votes }
  )

/** One run of the plugin at eleven, and its day closed. */
const collectAndClose = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const since = Date.UTC(2026, 7, 1)
  yield* TestClock.setTime(eleven)
  yield* sql.withTransaction(
    enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
  )
  const { exchange } = cosmosNodes({ [rpc]: { chain: regen() } }, {}, eleven)
  const ran = yield* runOnce({
    plugin: staking,
    codeHash: "0".repeat(64),
    settings: {},
    keys: {},
    limits: runLimits,
    upstream: () => Effect.succeed(Upstream.of({ now: eleven, targets: [], settings: {}, exchange }))
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

/** Nodes of operators over HTTP, each of a chain and with a fault or none, and the methods that each was asked. */
const operators = Effect.fnUntraced(function* (
  all: Readonly<Record<string, { readonly chain: ReturnType<typeof regen>; readonly fault?: Fault }>>
) {
  const requests: Array<string> = []
  const nodes = yield* Effect.forEach(Object.entries(all), ([operator, { chain, fault }]) =>
    Effect.gen(function* () {
      const server = yield* startScriptedServer
      server.handle = (_, response, body) => {
        const call = JSON.parse(body)
        requests.push(`${operator} ${call.method}`)
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...resultOf(chain, call, fault) }))
      }
      return { chain: "cosmos:regen-1", operator, url: server.url }
    })
  )
  const run = Effect.flatMap(ChainLooksLog, (log) => log.run).pipe(
    Effect.provide(Layer.fresh(ChainLooksLog.layer.pipe(Layer.provide(Http.layer(nodes)))))
  )
  return { requests, run }
})

/** What the command says of the value's proof, with these options. */
const verified = Effect.fnUntraced(function* (final: string | undefined, ...args: ReadonlyArray<string>) {
  const proof = canonical(yield* chainProof(value))
  return yield* verifiedChain(proof, final === undefined ? [] : [final], ...args)
})

/** What a monitor finds in the entry of a document, after the batch of a day. */
const findingsIn = (text: string, entry: DocumentEntry, closed: string) => {
  const sha256 = createHash("sha256").update(text).digest("hex")
  const path = `${logPath}/documents/${sha256}`
  const source = {
    name: "the test",
    read: (name: string) => Promise.resolve(name === path ? utf8(text) : undefined)
  }
  const state = { ...firstState("log.example", "", entry.recorded_at), day: closed }
  return Effect.promise(async () => {
    const memory = await memoryOf(source, state, {
      now: Date.parse(entry.recorded_at),
      head: noHead,
      own: { origin: state.origin, kids: new Set() }
    })
    const { findings } = await checkUnit(source, memory, entryBytes({ ...entry, sha256 }), 1, state)
    return findings.map((one) => one.found)
  })
}

onBothEngines("the finality of a block", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [staking.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, eleven, feeds))
  )

  layer(services)((it) => {
    it.effect("is in the log with its validators' signatures, which a reader checks who trusts them", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        assert.strictEqual((yield* Effect.flip(chainFinality(value)))._tag, "NotAttested")
        const { requests, run } = yield* operators({ a: { chain: regen() }, b: { chain: regen() } })
        assert.strictEqual(yield* run, 1)
        // Beside the looks one node is asked once, whose validators are two pages.
        assert.deepStrictEqual(requests.slice(2), ["a commit", "a validators", "a validators"])

        const text = yield* chainFinality(value)
        const { block, chain, day } = parseFinality(text)
        assert.deepStrictEqual(
          [chain, day, block.number],
          ["cosmos:regen-1", "2026-09-05", eleven / hour + 1]
        )

        const sql = yield* SqlClient.SqlClient
        const entries = (yield* sql<{ text: string }>`select text from log_entry order by place`).map((row) =>
          parseEntry(row.text)
        )
        const entry = entries.find((one) => !isBatch(one) && one.kind === "chain-finality")
        assert(entry !== undefined && !isBatch(entry))
        assert.strictEqual(entry.subject, `2026-09-05 cosmos:regen-1 ${eleven / hour + 1}`)
        assert.deepStrictEqual(yield* findingsIn(text, entry, "2026-09-05"), [])
        assert.match(String(yield* findingsIn(text, entry, "2026-09-04")), /its day 2026-09-05 is not closed/)
        assert.match(
          String(
            yield* findingsIn(text.replace('"day":"2026-09-05"', '"day":"2026-09-04"'), entry, "2026-09-05")
          ),
          /subject is 2026-09-05 cosmos:regen-1 \d+, but the document's is 2026-09-04 /
        )

        // The bundle of the value has it, and a reader who trusts them is told so.
        const bundle = parseAnyBundle(JSON.stringify(yield* bundle4(value)))
        const chains = yield* Effect.promise(() => chainsFor(bundle, { trusted: [setHash(set)] }))
        const { checks } = verifyBundle(bundle, chains)
        const signed = checks.find(({ name }) => name === "block signed on the chain")
        assert.strictEqual(signed?.ok, true, signed?.detail)
        assert.match(signed?.detail ?? "", /; you trust them; this log has it in entry \d+$/)

        const trusted = yield* verified(text, "--trust", setHash(set))
        assert.strictEqual(trusted.exit, 0, trusted.text)
        assert.match(
          trusted.text,
          /ok .*final: 98644 of 98644 power of the validators with the hash \S+ signed block \d+ of cosmos:regen-1; you trust them/
        )
        assert.match(trusted.text, /state proved, block final by CometBFT \(exit 0\)$/)

        const first = yield* verified(text)
        assert.strictEqual(first.exit, 2)
        assert.match(
          first.text,
          /not proved.*final: .*nobody but this document says that they are the validators/
        )
        assert.match(first.text, /state proved; that the block is one of the chain is not proved \(exit 2\)$/)

        assert.strictEqual((yield* verified(text, "--trust", "00".repeat(32))).exit, 2)
        assert.strictEqual((yield* verified(text, "--trust", "00")).exit, 2)
        assert.strictEqual((yield* verified(undefined, "--trust", setHash(set))).exit, 2)
        assert.strictEqual(
          (yield* verified(text.replace('"round":0', '"round":1'), "--trust", setHash(set))).exit,
          1
        )
        const newer = yield* verified(
          text.replace("cometbft-commit", "cometbft-aggregate"),
          "--trust",
          setHash(set)
        )
        assert.deepStrictEqual(
          [newer.exit, /not proved.*does not know evidence of the kind/.test(newer.text)],
          [2, true]
        )
        assert.strictEqual((yield* verified(text.replace("finality-v1", "finality-v2"))).exit, 2)
      })
    )
  })

  layer(services)((it) => {
    it.effect(
      "is not in the log by a node that has too few signatures, another set or none, and the next one is asked",
      () =>
        Effect.gen(function* () {
          yield* collectAndClose
          const few = regen(set, (at) => (at % 2 === 0 ? "block" : "nil"))
          const { requests, run } = yield* operators({
            a: { chain: few },
            b: { chain: regen(), fault: "another set" },
            c: { chain: regen() }
          })
          assert.strictEqual(yield* run, 1)
          assert.includeMembers(requests.slice(3), ["a commit", "b commit", "c commit"])
          const text = yield* chainFinality(value)
          assert.strictEqual((yield* verified(text, "--trust", setHash(set))).exit, 0)
        })
    )
  })

  layer(services)((it) => {
    it.effect("is missing where no node proves it, and the looks are logged all the same", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        const few = { chain: regen(set, (at) => (at % 2 === 0 ? "block" : "absent")) }
        const { run } = yield* operators({ a: few, b: few })
        assert.strictEqual(yield* run, 1)
        const { message } = yield* Effect.flip(chainFinality(value)).pipe(
          Effect.filterOrFail((error) => error._tag === "NotAttested")
        )
        assert.match(message, /^The log has no signatures of cosmos:regen-1 itself for block \d+\.$/)
        const two = yield* verified(undefined)
        assert.match(two.text, /nobody was asked/)
      })
    )
  })
})

describe("nodes that never say who signed a block", () => {
  it.effect("are waited for a minute", () =>
    Effect.gen(function* () {
      const node = { chain: "cosmos:regen-1", operator: "a", url: "https://a.example/" }
      const port = ChainNodes.of({ all: [node], hashAt: () => Effect.never, finalityAt: () => Effect.never })
      const block = { chain: node.chain, number: 7, hash: "ab".repeat(32), runs: [] }
      const fiber = yield* Effect.forkChild(
        finalBlocks("2026-09-05", [block], false).pipe(Effect.provideService(ChainNodes, port))
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [])
    })
  )
})

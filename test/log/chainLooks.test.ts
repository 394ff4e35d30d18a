/** Operators are asked which block their nodes have, and the log keeps what each of them says: only then is a block said to be of its chain. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle4 } from "../../core/log/record/bundle4.ts"
import { chainProof } from "../../core/log/record/chainProof.ts"
import { chainState } from "../../core/log/record/chainState.ts"
import { observedValue } from "../../core/log/record/observedValue.ts"
import { publishedDay, valueNameOf } from "../../core/log/record/publishedDay.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { parseAnyBundle } from "../../core/proof/bundle.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { type ChainLooks, chainLooksText } from "../../core/proof/chainLooks.ts"
import { chainsFor } from "../../core/proof/chainsFor.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { ChainLooksLog } from "../../core/publications/looks/ChainLooksLog.ts"
import { type ChainNode, ChainNodes, NodeSilent } from "../../core/publications/looks/ChainNodes.ts"
import {
  countsOfBlocks,
  mute,
  newestLooks,
  unconfirmedOf
} from "../../core/publications/looks/newestLooks.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { ofChainLooks } from "../../runtime/metrics/chainLooks.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { chainOf, nodes } from "../support/chain/substrateNode.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)
/** The day closes, and operators are asked. */
const closing = eleven + 21 * hour + 1000
const url = "https://entrypoint-finney.opentensor.ai"
const name = "polkadot:91b171bb158e2d3848fa23a9f1c25182"
const value = { symbol: "SN5", metric: "SUBNET_NEURONS", date: "20260905", source: "subtensor_rpc" }

const chain = chainOf(bittensorEntries(12, 400, eleven - 90_000))
const hash = chain.hash.slice(2)
const another = "ab".repeat(32)

/** What an operator's node says of a height. */
type Says = string | NodeSilent
const away = new NodeSilent({ why: "no answer\nin time" })

/** The log of what these operators say, who are asked one after another. */
const looking = (says: Readonly<Record<string, Says>>) => {
  const requests: Array<string> = []
  const all = Object.keys(says).map(
    (operator): ChainNode => ({ chain: name, operator, url: `https://${operator}.example/` })
  )
  const port = Layer.succeed(
    ChainNodes,
    ChainNodes.of({
      all,
      hashAt: ({ operator }, number) => {
        requests.push(`${operator} ${number}`)
        const word = says[operator] ?? away
        return typeof word === "string" ? Effect.succeed(word) : Effect.fail(word)
      },
      finalityAt: () => Effect.succeedNone
    })
  )
  const run = Effect.flatMap(ChainLooksLog, (log) => log.run).pipe(
    Effect.provide(Layer.fresh(ChainLooksLog.layer.pipe(Layer.provide(port))))
  )
  return { requests, run }
}

/** One run of the plugin at eleven, and its day closed. */
const collectAndClose = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const since = Date.UTC(2026, 7, 1)
  yield* TestClock.setTime(eleven)
  yield* sql.withTransaction(
    enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
  )
  const { layer: node } = nodes({ [url]: { chain, faults: [] } }, { rpc_url: url }, eleven)
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
  yield* TestClock.setTime(closing)
  yield* (yield* RunLog).run
  yield* (yield* DailyClose).run
})

/** What may be said of the value on a page. */
const statement = Effect.gen(function* () {
  const head = yield* (yield* Log).served
  const { leaf, row } = yield* publishedDay(yield* valueNameOf(value), head, "value")
  const observed = Option.getOrThrow(yield* observedValue(leaf.series, row, head.size))
  return yield* chainState(observed.leaf, row)
})

/** What a verifier of the bundle says of the two. */
const verdict = Effect.gen(function* () {
  const bundle = parseAnyBundle(JSON.stringify(yield* bundle4(value)))
  const { checks } = verifyBundle(bundle, yield* Effect.promise(() => chainsFor(bundle)))
  const of = (check: string) => checks.find((one) => one.name === check)
  return { state: of("state of the chain"), block: of("block of the chain") }
})

/** What the command says of the value's proof beside a document of looks: its exit code and the last line. */
const command = Effect.fnUntraced(function* (looks: ChainLooks, ...more: ReadonlyArray<string>) {
  const folder = mkdtempSync(join(tmpdir(), "looks-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
  const [proof, document] = [join(folder, "proof.json"), join(folder, "looks.json")]
  writeFileSync(proof, canonical(yield* chainProof(value)))
  writeFileSync(document, chainLooksText(looks))
  const lines: Array<string> = []
  const exit = yield* Effect.promise(() =>
    main(["verify", "chain", proof, "--looks", document, ...more], {
      print: (line) => void lines.push(line),
      env: {},
      get: () => Promise.reject(new Error("nothing is requested"))
    })
  )
  return { exit, says: lines.at(-1) ?? "", text: lines.join("\n") }
})

/** The gauges of looks, by their labels. */
const gauges = Effect.gen(function* () {
  yield* ofChainLooks
  return Object.fromEntries(
    (yield* Metric.snapshot).flatMap((one) =>
      one.type === "Gauge" && one.id.startsWith("plumbline_chain_") && !one.id.endsWith("watch_up")
        ? [[Object.values(one.attributes ?? {}).join(" "), one.state.value] as const]
        : []
    )
  )
})

onBothEngines("looks of operators", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [bittensor.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, eleven, feeds))
  )

  layer(services)((it) => {
    it.effect("say that a block is one of the chain once two agree, and are asked once", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        assert.strictEqual(yield* looking({}).run, 0)
        assert.deepInclude((yield* verdict).block, { ok: "not checked", reason: "unasked" })
        assert.deepInclude(yield* statement, { state: "proved" })

        // One is away: he is waited for until the next day is due.
        const words: Record<string, Says> = { a: hash, b: hash, c: away }
        const { requests, run } = looking(words)
        assert.strictEqual(yield* run, 0)
        assert.deepStrictEqual(requests, ["a 4321", "b 4321", "c 4321"])
        assert.isUndefined(yield* newestLooks)
        yield* TestClock.setTime(closing + 24 * hour)
        assert.strictEqual(yield* run, 1)
        assert.deepStrictEqual(yield* newestLooks, {
          v: "service-chain-looks-v1",
          day: "2026-09-05",
          blocks: [
            {
              chain: name,
              number: 4321,
              hash,
              looks: [
                { operator: "a", hash },
                { operator: "b", hash },
                { operator: "c", why: "no answer in time" }
              ]
            }
          ]
        })
        assert.strictEqual(yield* run, 0)
        const { block, state } = yield* verdict
        assert.strictEqual(state?.ok, true, state?.detail)
        assert.strictEqual(block?.ok, true, block?.detail)
        assert.match(
          block?.detail ?? "",
          new RegExp(
            `^block 4321 of ${name} has this hash, as 2 operators say: a, b; so this log says in entry \\d+$`
          )
        )
        assert.deepStrictEqual(yield* statement, {
          state: "confirmed",
          block: { chain: name, number: 4321, hash },
          operators: ["a", "b"]
        })
        const newest = yield* newestLooks
        assert(newest !== undefined)
        assert.deepStrictEqual(countsOfBlocks(newest), { confirmed: 1, contradicted: 0, unconfirmed: 0 })
        assert.isEmpty(unconfirmedOf(newest))
        assert.deepStrictEqual(
          mute(newest).map(({ isMute, operator }) => [operator, isMute]),
          [
            ["a", false],
            ["b", false],
            ["c", true]
          ]
        )
        assert.deepStrictEqual(yield* gauges, {
          confirmed: 1,
          contradicted: 0,
          unconfirmed: 0,
          [`${name} a`]: 0,
          [`${name} b`]: 0,
          [`${name} c`]: 1
        })

        const proved = yield* command(newest)
        assert.strictEqual(proved.exit, 0, proved.text)
        assert.include(proved.says, "state proved, block as the operators say")
        assert.include(proved.text, "as 2 operators say: a, b")
        const more = yield* command(newest, "--operators", "3")
        assert.strictEqual(more.exit, 2, more.text)
        assert.include(more.text, "3 operators are asked for")
        const blocks = newest.blocks.map((block) => ({ ...block, number: block.number + 1 }))
        const without = yield* command({ ...newest, blocks })
        assert.strictEqual(without.exit, 2, without.text)
        assert.include(without.text, `does not name block 4321 of ${name}`)
      })
    )
  })

  layer(services)((it) => {
    it.effect("contradict a block if one has another, and change no reading by one word", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        assert.strictEqual(yield* looking({ a: hash, b: hash, c: another }).run, 1)
        const { block, state } = yield* verdict
        assert.strictEqual(state?.ok, true)
        assert.deepInclude(block, { ok: false, reason: "contradiction" })
        assert.match(block?.detail ?? "", /^c has another block 4321 of /)
        assert.deepStrictEqual(
          unconfirmedOf(yield* newestLooks).map(({ reason }) => reason),
          ["c has another block 4321"]
        )
        assert.deepInclude(yield* statement, { state: "contradicted", operators: ["c"] })
        assert.deepInclude(yield* gauges, { confirmed: 0, contradicted: 1 })
        const newest = yield* newestLooks
        assert(newest !== undefined)
        const refuted = yield* command(newest)
        assert.strictEqual(refuted.exit, 1, refuted.text)
        assert.include(refuted.says, "does not hold")
        assert.isEmpty(yield* (yield* Incidents).list(false, 10))
      })
    )
  })

  layer(services)((it) => {
    it.effect("prove nothing where one alone says something, or nobody does", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        const { run } = looking({ a: hash, b: away, c: away })
        assert.strictEqual(yield* run, 0)
        yield* TestClock.setTime(closing + 24 * hour)
        assert.strictEqual(yield* run, 1)
        assert.deepInclude((yield* verdict).block, { ok: "not proved" })
        assert.deepStrictEqual(
          unconfirmedOf(yield* newestLooks).map(({ reason }) => reason),
          ["no two operators said which they have; b: no answer in time"]
        )
        assert.deepInclude(yield* statement, { state: "proved" })
      })
    )
  })

  layer(services)((it) => {
    it.effect("withdraw what was read at a block that the chain has left, in the next batch", () =>
      Effect.gen(function* () {
        yield* collectAndClose
        assert.strictEqual(yield* looking({ a: another, b: another, c: away }).run, 0)
        yield* TestClock.setTime(closing + 24 * hour)
        assert.strictEqual(yield* looking({ a: another, b: another, c: away }).run, 1)
        const incidents = (yield* (yield* Incidents).list(true, 5000)).filter(
          ({ symbol }) => symbol === "SN5"
        )
        assert.isNotEmpty(incidents)
        assert.match(
          incidents[0]?.reason ?? "",
          new RegExp(
            `^read at block 4321 of ${name} with the hash ${hash}, which the chain does not have, as a and b say: there it has ${another}$`
          )
        )
        yield* (yield* DailyClose).run
        const sql = yield* SqlClient.SqlClient
        const revised = yield* sql`
          select 1 from leaf l join batch b on b.id = l.batch
          where b.day = '2026-09-06' and strpos(l.text, '"symbol":"SN5"') > 0 and strpos(l.text, '"metric":"SUBNET_NEURONS"') > 0
            and strpos(l.text, '"n_observations":0') > 0 and strpos(l.text, '"version":2') > 0`
        assert.isNotEmpty(revised)
      })
    )
  })
})

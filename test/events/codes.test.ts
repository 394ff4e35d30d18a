/** A change of the code that gives figures of a chain is an event: what calls of a contract execute, and the runtime of a chain. */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { EventLog } from "../../core/events/EventLog.ts"
import { events, eventsText } from "../../core/events/read/events.ts"
import { lastRuntimeUpgrade } from "../../core/plugin/shapes/provedStorage.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { concat, toHex, utf8 } from "../../core/proof/bytes.ts"
import { noteCodes } from "../../core/publications/looks/codesOfChains.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { EventsResponse } from "../../core/wire/events/event.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import tokenSupply from "../../plugins/token-supply/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { chainOf as evmChainOf } from "../../runtime/tape/evmChain.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { logic, token, tokenAlone, tokenBehindProxy } from "../support/chain/contracts.ts"
import { evmNodesOf } from "../support/chain/evmNode.ts"
import { compact } from "../support/chain/substrate.ts"
import { chainOf, nodes } from "../support/chain/substrateNode.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"

const decode = Schema.decodeUnknownSync(EventsResponse)

const hour = 3_600_000
const eleven = Date.UTC(2026, 8, 5, 11)
const substrateUrl = "https://entrypoint-finney.opentensor.ai"
const evmUrl = "https://ethereum-rpc.publicnode.com/"

/** A run of a plugin, and what is noted of it and texts. */
const collect = Effect.fnUntraced(function* (
  plugin: typeof bittensor,
  settings: Readonly<Record<string, string>>,
  node: Layer.Layer<Upstream>
) {
  const ran = yield* runOnce({
    plugin,
    codeHash: "0".repeat(64),
    settings,
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
  yield* noteCodes
  yield* (yield* EventLog).run
})

/** A run of the subnets under a version of the runtime. */
const readSubnets = (hours: number, version: number) => {
  const at = eleven + hours * hour
  const entries = bittensorEntries(3, 100, at - 90_000).map(([key, value]) =>
    `0x${toHex(key)}` === lastRuntimeUpgrade
      ? ([key, concat(compact(version), compact(14), utf8("node-subtensor"))] as const)
      : ([key, value] as const)
  )
  const settings = { rpc_url: substrateUrl }
  const { layer: node } = nodes({ [substrateUrl]: { chain: chainOf(entries), faults: [] } }, settings, at)
  return Effect.andThen(TestClock.setTime(at), collect(bittensor, settings, node))
}

/** A run of a token behind a proxy, whose implementation ends in these bytes, which nothing executes. */
const readToken = (hours: number, end: Uint8Array) => {
  const at = eleven + hours * hour
  const contracts = new Map([
    ...tokenBehindProxy,
    [logic, { code: concat(tokenAlone.code, end), slots: new Map<bigint, bigint>() }]
  ])
  const chain = evmChainOf(contracts, { id: 1, number: 23_456_789 + hours, seconds: at / 1000 - 12 })
  const targets = [{ symbol: "GLM", name: "Golem", id: `0x${token}`, chain: "ethereum" }]
  const { layer: node } = evmNodesOf({ [evmUrl]: { chain } }, { at, targets })
  return Effect.andThen(TestClock.setTime(at), collect(tokenSupply, {}, node))
}

/** The changes of methods in the feed. */
const changes = Effect.map(
  events({ access: { ...keyless, breadth: "all" }, limit: 500, kind: "method_changed" }),
  (page) =>
    decode(JSON.parse(eventsText(page))).events.flatMap((event) =>
      event.kind === "method_changed" ? [event.data.method] : []
    )
)

onBothEngines("the codes of chains", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [bittensor.manifest, tokenSupply.manifest], states: Effect.succeed(new Map()) })
  )
  layer(EventLog.layer.pipe(Layer.provideMerge(logged(database, eleven, feeds))), {
    excludeTestServices: false
  })((it) => {
    it.effect("are an event where the runtime of a chain is another, and none before and after", () =>
      Effect.gen(function* () {
        yield* readSubnets(0, 301)
        yield* readSubnets(1, 301)
        assert.isEmpty(yield* changes)
        yield* readSubnets(2, 302)
        yield* readSubnets(3, 302)
        const chain = "polkadot:91b171bb158e2d3848fa23a9f1c25182"
        const texts = (yield* changes).map(({ after, before, source }) => [source, before, after])
        assert.deepStrictEqual(texts, [
          [
            "subtensor_rpc",
            `runtime node-subtensor 301 of ${chain}`,
            `runtime node-subtensor 302 of ${chain}`
          ]
        ])
      })
    )

    it.effect("are an event where a contract executes another code, also behind its proxy", () =>
      Effect.gen(function* () {
        const before = (yield* changes).length
        yield* readToken(4, Uint8Array.of())
        yield* readToken(5, Uint8Array.of())
        assert.lengthOf(yield* changes, before)
        yield* readToken(6, Uint8Array.of(0))
        const [change, ...more] = (yield* changes).slice(before)
        assert.isEmpty(more)
        assert.strictEqual(change?.source, "token_contract")
        const form = new RegExp(
          `^contract 0x${token} of eip155:1, code ([0-9a-f]{64}) at 0x${token}, code ([0-9a-f]{64}) at 0x${logic}$`
        )
        const [, proxy, implementation] = form.exec(change?.before ?? "") ?? assert.fail(change?.before)
        const [, proxyAfter, implementationAfter] =
          form.exec(change?.after ?? "") ?? assert.fail(change?.after)
        assert.strictEqual(proxyAfter, proxy)
        assert.notStrictEqual(implementationAfter, implementation)
      })
    )
  })
})

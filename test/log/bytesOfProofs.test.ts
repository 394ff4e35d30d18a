/** What the proofs of chains take on disk: codes once, and a year's proofs of what is sealed, by the rows that runs through stand-ins store. */
import { randomBytes } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import { exchangeWallets } from "../../core/catalog/ExchangeWallets.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { provesChain } from "../../core/readings/ingest/runs/chainExchanges.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import bittensor from "../../plugins/bittensor/index.ts"
import { chains } from "../../plugins/cosmos-staking/chains.ts"
import staking from "../../plugins/cosmos-staking/index.ts"
import walletsPlugin from "../../plugins/exchange-wallets/index.ts"
import tokenSupply from "../../plugins/token-supply/index.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { cosmosChain } from "../../runtime/tape/cosmosChain.ts"
import { chainOf as evmChainOf } from "../../runtime/tape/evmChain.ts"
import { bittensorEntries } from "../support/chain/bittensor.ts"
import { heldBy, recordedChain, token, tokenBehindProxy } from "../support/chain/contracts.ts"
import { cosmosNodes } from "../support/chain/cosmosNode.ts"
import { evmNodesOf } from "../support/chain/evmNode.ts"
import { chainOf, nodes } from "../support/chain/substrateNode.ts"
import { postgres } from "../support/database.ts"
import { logged } from "../support/logged.ts"

const eleven = Date.UTC(2026, 8, 5, 11)
const day = 86_400_000
const subnets = 129
const substrateUrl = "https://entrypoint-finney.opentensor.ai"

const storedRows = rowsOf({
  request_body: Schema.String,
  sha256: Schema.String,
  bytes: Schema.Int,
  size: Schema.Int
})

/** The answers of a run that prove chains, as they are stored. */
const collect = Effect.fnUntraced(function* (
  plugin: typeof bittensor,
  settings: Readonly<Record<string, string>>,
  upstream: Effect.Effect<Upstream["Service"]>
) {
  const ran = yield* runOnce({
    plugin,
    codeHash: "0".repeat(64),
    settings,
    keys: {},
    limits: runLimits,
    upstream: () => upstream
  }).pipe(
    Effect.provideService(
      SecureRandom.SecureRandom,
      SecureRandom.make((size) => randomBytes(size))
    )
  )
  yield* (yield* Ingest).write(ran)
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select x.request_body, x.sha256, octet_length(b.bytes) as bytes, x.size from exchange x join blob b on b.sha256 = x.sha256
    where x.run = ${ran.run.id} and ${sql.literal(provesChain("x"))} order by x.n`.pipe(storedRows)
})

/** Each day the supply is another, and so are the nodes that prove it. */
const readToken = (at: number) => {
  const contracts = new Map(tokenBehindProxy)
  const { code, slots } = contracts.get(token) ?? assert.fail()
  contracts.set(token, { code, slots: new Map([...slots, [2n, BigInt(at)]]) })
  const chain = evmChainOf(contracts, { id: 1, number: 23_456_789, seconds: at / 1000 - 12 })
  const targets = [{ symbol: "GLM", name: "Golem", id: `0x${token}`, chain: "ethereum" }]
  const { layer: node } = evmNodesOf({ "https://ethereum-rpc.publicnode.com/": { chain } }, { at, targets })
  return Effect.andThen(TestClock.setTime(at), collect(tokenSupply, {}, Effect.provide(Upstream, node)))
}

/** Holders of a token of which exchanges hold some: as many as make a trie as deep as those of tokens that people trade. */
const holders = Array.from({ length: 20_000 }, (_, at) => (at + 1).toString(16).padStart(40, "4"))

/** What the wallets of exchanges hold of one token, which is more each day. */
const readWallets = (at: number) => {
  const owners = exchangeWallets.filter(({ chain }) => chain === "ethereum").map(({ address }) => address)
  const contracts = heldBy(tokenBehindProxy, [...holders, ...owners])
  const chain = evmChainOf(contracts, { id: 1, number: 23_456_789, seconds: at / 1000 - 12 })
  const targets = [{ symbol: "GLM", name: "Golem", id: `0x${token}`, chain: "ethereum" }]
  const { layer: node } = evmNodesOf({ "https://ethereum-rpc.publicnode.com/": { chain } }, { at, targets })
  return Effect.andThen(TestClock.setTime(at), collect(walletsPlugin, {}, Effect.provide(Upstream, node)))
}

const readSubnets = Effect.gen(function* () {
  yield* TestClock.setTime(eleven)
  const settings = { rpc_url: substrateUrl }
  const chain = chainOf(bittensorEntries(subnets, 4000, eleven - 90_000))
  const { layer: node } = nodes({ [substrateUrl]: { chain, faults: [] } }, settings, eleven)
  return yield* collect(bittensor, settings, Effect.provide(Upstream, node))
})

const readStake = Effect.gen(function* () {
  yield* TestClock.setTime(eleven)
  const chain = cosmosChain({
    id: "regen-1",
    height: 1000,
    time: new Date(eleven - 2000).toISOString(),
    validators: 100,
    stake: { denom: "uregen", amount: "36000123456" }
  })
  const rpc = chains.find(({ symbol }) => symbol === "REGEN")?.rpc[0] ?? assert.fail()
  const { exchange } = cosmosNodes({ [`https://${rpc}/`]: { chain } }, {}, eleven)
  return yield* collect(
    staking,
    {},
    Effect.succeed(Upstream.of({ now: eleven, targets: [], settings: {}, exchange }))
  )
})

type Stored = Effect.Success<ReturnType<typeof readToken>>

const sum = (rows: Stored): number => rows.reduce((total, { bytes }) => total + bytes, 0)
const areCodes = ({ request_body }: Stored[number]): boolean => request_body.includes("eth_getCode")

/** What a node of Base really answered for an account and two slots: its trie is deeper than that of a stand-in. */
const recorded = zstdCompressSync(JSON.stringify(recordedChain("base-proxy").proof)).length

const feeds = Layer.succeed(
  Feeds,
  Feeds.of({
    manifests: [bittensor, staking, tokenSupply, walletsPlugin].map(({ manifest }) => manifest),
    states: Effect.succeed(new Map())
  })
)

layer(logged(postgres, eleven, feeds))("the proofs of chains on disk", (it) => {
  it.effect("have each code once, and of a year what is sealed within 0.66 GB", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* readToken(eleven), yield* readToken(eleven + day)]
      const codes = first.filter(areCodes)
      assert.isAbove(sum(codes), 1000)
      const blobsOf = (rows: Stored) => rows.filter(areCodes).map(({ sha256 }) => sha256)
      assert.deepStrictEqual(blobsOf(second), blobsOf(first))
      const others = second.filter((row) => !areCodes(row))
      const contracts = targetsOf({ catalog: "token_contract" }).length
      assert.isAbove(contracts, 150)
      const year = {
        contracts: contracts * (365 * Math.max(recorded, sum(others)) + sum(codes)),
        // Not compressed, and with the lists that a stand-in has alike and so once: two of each subnet, in hex.
        subnets:
          365 * ((yield* readSubnets).reduce((total, { size }) => total + size, 0) + subnets * 2 * 2 * 258),
        stake: 365 * chains.length * sum(yield* readStake)
      }
      assert.isAbove(Math.min(...Object.values(year)), 1_000_000, JSON.stringify(year))
      assert.isAtMost(
        Object.values(year).reduce((total, bytes) => total + bytes, 0),
        660_000_000,
        JSON.stringify(year)
      )
    })
  )

  it.effect("have with what exchanges hold within 3.6 GB of a year", () =>
    Effect.gen(function* () {
      const wallets = yield* readWallets(eleven)
      // Of each other chain exchanges have fewer, and nodes of BSC prove nothing.
      const contracts = targetsOf({ catalog: "token_contract" }).filter(({ chain = "" }) =>
        ["base", "ethereum", "polygon"].includes(chain)
      ).length
      assert.isAbove(contracts, 100)
      const year =
        contracts * (365 * sum(wallets.filter((row) => !areCodes(row))) + sum(wallets.filter(areCodes)))
      assert.isAbove(year, 500_000_000)
      assert.isAtMost(660_000_000 + year, 3_600_000_000, String(year))
    })
  )
})

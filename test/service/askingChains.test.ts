/** `CHAIN_LOOKS`: the nodes whose operators are asked which blocks are blocks of their chain, and how they are asked. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { ChainNodes } from "../../core/publications/looks/ChainNodes.ts"
import { hashAt } from "../../runtime/outside/chainNodes.ts"
import { nodes } from "../../runtime/service/askingChains.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"

const read = (setting: string | undefined, mode: "live" | "replay" = "live") =>
  Effect.map(ChainNodes, ({ all }) =>
    all.map(({ beacon, chain, operator, url }) => [chain, operator, url, beacon].join(" ").trim())
  ).pipe(
    Effect.provide(
      nodes(mode).pipe(
        Layer.provide(Settings.layer),
        Layer.provide(
          ConfigProvider.layer(
            ConfigProvider.fromUnknown({
              BASE_URL: "https://plumbline.test",
              ...(setting === undefined ? {} : { CHAIN_LOOKS: setting })
            })
          )
        )
      )
    )
  )

const [one, two] = ["cosmos:nyx a https://a.example/rpc", "cosmos:nyx b http://127.0.0.1:8090"]

describe("CHAIN_LOOKS", () => {
  it.effect("is a line of nodes, lines of them, or the name of a file with such lines", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "plumbline-looks-")), "looks")
      writeFileSync(file, `# nodes\n${one}\n\n${two}\n`)
      for (const setting of [`${one}, ${two}`, `${one}\n${two}\n`, file])
        assert.deepStrictEqual(yield* read(setting), [one, `${two}/`])
    })
  )

  it.effect("names the beacon API of an operator after his node, of Ethereum alone", () =>
    Effect.gen(function* () {
      const lines = [
        "eip155:1 a https://a.example/ https://beacon.a.example/",
        "eip155:1 b https://b.example/"
      ]
      assert.deepStrictEqual(yield* read(lines.join("\n")), lines)
      for (const [line, says] of [
        [
          `${two}, cosmos:nyx a https://a.example https://beacon.a.example`,
          /cosmos:nyx has no beacon chain that is read/
        ],
        [
          `${lines[1]}, eip155:1 a https://a.example http://beacon.a.example`,
          /"http:\/\/beacon.a.example" of a is not an https address/
        ]
      ] as const)
        assert.match((yield* Effect.flip(read(line))).message, says)
    })
  )

  it.effect("is nobody by default, and nobody in a replay", () =>
    Effect.gen(function* () {
      assert.isEmpty(yield* read(undefined))
      assert.isEmpty(yield* read(`${one}, ${two}`, "replay"))
    })
  )

  it.effect("refuses what is no second word, and what is none, in one line", () =>
    Effect.gen(function* () {
      for (const [setting, says] of [
        [one, /cosmos:nyx has 1 operator; name at least 2/],
        [`${one}, cosmos:nyx A https://c.example`, /an operator or a host twice/],
        [`${one}, cosmos:nyx b https://a.example/other`, /an operator or a host twice/],
        [`${one}, cosmos:nyx b http://b.example`, /is not an https address/],
        ["solana:1 a https://a.example", /solana:1 is a chain whose nodes cannot be asked/],
        ["cosmos:nyx https://a.example", /names no node/],
        [",", /names nobody/],
        ["/no/such/file", /the file "\/no\/such\/file" cannot be read/]
      ] as const) {
        const { message } = yield* Effect.flip(read(setting))
        assert.match(message, says)
        assert.match(message, /^CHAIN_LOOKS: [^\n]*$/)
      }
    })
  )
})

const hash = (digit: string) => `0x${digit.repeat(64)}`
const genesis = `0x${"91b171bb158e2d3848fa23a9f1c25182".padEnd(64, "0")}`
const commit = (chain_id: string, height: string) => ({
  signed_header: {
    header: { chain_id, height },
    commit: { height, block_id: { hash: "AB".repeat(32) } }
  }
})

/** What a node answers to each method with its first parameter. */
type Answers = Readonly<Record<string, unknown>>

const polkadot: Answers = {
  "chain_getBlockHash 0": genesis,
  "chain_getFinalizedHead undefined": hash("f"),
  [`chain_getHeader ${hash("f")}`]: { number: "0x65" },
  "chain_getBlockHash 100": hash("a")
}
const base: Answers = {
  "eth_chainId undefined": "0x2105",
  "eth_getBlockByNumber finalized": { number: "0x65", hash: hash("f") },
  "eth_getBlockByNumber 0x64": { number: "0x64", hash: hash("B") }
}

describe("a node", () => {
  it.effect.each([
    ["polkadot:91b171bb158e2d3848fa23a9f1c25182", polkadot, "a".repeat(64)],
    ["polkadot:91b171bb158e2d3848fa23a9f1c25183", polkadot, /^it is a node of another chain$/],
    [
      "polkadot:91b171bb158e2d3848fa23a9f1c25182",
      { ...polkadot, [`chain_getHeader ${hash("f")}`]: { number: "0x63" } },
      /^block 100 is not final: the newest that is has number 99$/
    ],
    ["eip155:8453", base, "b".repeat(64)],
    ["eip155:1", base, /^it is a node of another chain$/],
    [
      "eip155:8453",
      { ...base, "eth_getBlockByNumber finalized": { number: "0x1", hash: hash("f") } },
      /^block 100 is not final/
    ],
    [
      "eip155:8453",
      { ...base, "eth_getBlockByNumber 0x64": null },
      /^eth_getBlockByNumber answered something else$/
    ],
    ["cosmos:nyx", { "commit 100": commit("nyx", "100") }, "ab".repeat(32)],
    ["cosmos:nyx", { "commit 100": commit("other", "100") }, /^it is a node of another chain$/],
    ["cosmos:nyx", { "commit 100": commit("nyx", "99") }, /^it gave another block$/],
    ["cosmos:nyx", {}, /^commit: unknown here$/]
  ] as const)("of %s says which block it has once that is final, or why not: %#", ([chain, answers, says]) =>
    Effect.gen(function* () {
      const server = yield* startScriptedServer
      server.handle = (_, response, body) => {
        const { id, method, params } = JSON.parse(body)
        const result = (answers as Answers)[`${method} ${Array.isArray(params) ? params[0] : params.height}`]
        const reply = result === undefined ? { error: { code: -1, message: "unknown here" } } : { result }
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...reply }))
      }
      const answer = hashAt({ chain, operator: "a", url: server.url }, 100)
      if (typeof says === "string") assert.strictEqual(yield* answer, says)
      else assert.match((yield* Effect.flip(answer)).why, says)
    })
  )
})

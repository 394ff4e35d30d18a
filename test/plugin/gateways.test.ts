/** After which failures the next of several addresses is asked. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Evm from "../../core/plugin/shapes/evm.ts"
import { firstOf } from "../../core/plugin/shapes/gateways.ts"
import * as Substrate from "../../core/plugin/shapes/substrate.ts"
import { json, post, rpc } from "../../core/plugin/Upstream.ts"
import { answers, type CannedExchange } from "../support/cannedUpstream.ts"

const first = "https://one.example/v2"
const sameHost = "https://one.example/v1"
const otherHost = "https://two.example/v2"
const N = Schema.Struct({ n: Schema.Int })

describe("several addresses", () => {
  const read = (exchanges: ReadonlyArray<CannedExchange>) =>
    firstOf([first, sameHost, otherHost], (url) => json(url, N)).pipe(
      Effect.map(({ url }) => url),
      Effect.provide(answers(exchanges))
    )
  const there = [
    { request: sameHost, body: { n: 1 } },
    { request: otherHost, body: { n: 1 } }
  ]

  it.effect.each([403, 404, 410, 500, 502, 503])("lead to the next after %s", (status) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read([{ request: first, status, body: {} }, ...there]), sameHost)
    })
  )

  it.effect("lead to the next after silence", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read(there), sameHost)
    })
  )

  it.effect("lead to another host after a limit", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read([{ request: first, status: 429, body: {} }, ...there]), otherHost)
    })
  )

  it.effect.each([
    [400, {}],
    [401, {}],
    [200, { n: "1" }],
    [200, "<html>"]
  ] as const)("end at %s %j", ([status, body]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read([{ request: first, status, body }, ...there]))
      assert.include(error.message, first)
    })
  )

  it.effect("fail with the first failure if none is there", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        read([
          { request: first, status: 410, body: {} },
          { request: otherHost, status: 400, body: {} }
        ])
      )
      assert.include(error.message, `${first}: status 410`)
    })
  )
})

const nodes = ["https://one.example", "https://two.example"] as const
const envelope = (id: number, method: string, params: unknown) => ({ jsonrpc: "2.0", id, method, params })

describe("several nodes with JSON-RPC", () => {
  const request = (url: string) => post(url, envelope(1, "a", []))
  const ask = (error: unknown) =>
    firstOf(nodes, (url) => rpc(url, [{ method: "a", params: [], result: Schema.Int }])).pipe(
      Effect.map(({ body }) => body[0]),
      Effect.provide(
        answers([
          { request: request(nodes[0]), body: { id: 1, error } },
          { request: request(nodes[1]), body: { id: 1, result: 7 } }
        ])
      )
    )

  it.effect.each([
    { code: -32005, message: "daily request count exceeded" },
    { code: 429, message: "slow down" },
    { code: -32999, message: "RPC rate limit is exceeded" },
    { code: -32000, message: "Too many requests, reason: call rate limit exhausted" },
    { code: -32016, message: "over rate limit" },
    { message: "Your app has exceeded its compute units per second capacity" },
    { code: -32097, message: "monthly quota reached" }
  ])("lead to the next after the limit %j", (error) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* ask(error), 7)
    })
  )

  it.effect.each([
    { code: -32601, message: "the method a does not exist" },
    { code: 3, message: "execution reverted" }
  ])("end at %j", (error) =>
    Effect.gen(function* () {
      assert.include((yield* Effect.flip(ask(error))).message, error.message)
    })
  )
})

const word = `0x${"0".repeat(63)}5`

const hash = `0x${"ab".repeat(32)}`

/** What a node says of its newest block, and of a function at it. */
const ofNode = (url: string, result: string, status = 200) => [
  {
    request: post(url, envelope(1, "eth_getBlockByNumber", ["latest", false])),
    status,
    body: { id: 1, result: { hash, timestamp: "0x6a9aa1d4" } }
  },
  {
    request: post(url, envelope(1, "eth_call", [{ to: "0x01", data: "0x2a4e0d55" }, { blockHash: hash }])),
    status,
    body: { id: 1, result }
  }
]

const atNodes = (...results: ReadonlyArray<string>) =>
  Evm.uints(nodes, "0x01", { size: "0x2a4e0d55" }).pipe(
    Effect.provide(answers(nodes.flatMap((url, index) => ofNode(url, results[index] ?? "0x"))))
  )

it.effect("a node that does not know an EVM contract passes, and has changed where none knows it", () =>
  Effect.gen(function* () {
    const { answer, values } = yield* atNodes("0x", word)
    assert.strictEqual(values.size, 5n)
    assert.strictEqual(answer.url, nodes[1])
    const error = yield* Effect.flip(atNodes("0x", "0x"))
    assert.strictEqual(error._tag, "UpstreamChanged")
    assert.include(error.message, "0x: the node knows no such function")
    assert.strictEqual(
      (yield* Effect.flip(atNodes("0x01", word)))._tag,
      "UpstreamChanged",
      "another form is one at once"
    )
  })
)

it.effect("an EVM contract is read at the next node", () =>
  Effect.gen(function* () {
    const { answer, values } = yield* Evm.uints(nodes, "0x01", { size: "0x2a4e0d55" })
    assert.strictEqual(values.size, 5n)
    assert.strictEqual(answer.url, nodes[1])
  }).pipe(Effect.provide(answers(nodes.flatMap((url, index) => ofNode(url, word, index === 0 ? 403 : 200)))))
)

it.effect("storage of Substrate is read at the head of the node that gives it", () =>
  Effect.gen(function* () {
    const value = yield* firstOf(nodes, (url) =>
      Effect.gen(function* () {
        const block = yield* Substrate.finalizedHead(url)
        const storage = yield* Substrate.storageAt(url, ["0xaa"], block)
        return yield* storage.read("0xaa", "Item", Substrate.u16)
      })
    )
    assert.strictEqual(value, 256n)
  }).pipe(
    Effect.provide(
      answers([
        {
          request: post(nodes[0], envelope(1, "chain_getFinalizedHead", [])),
          body: { id: 1, result: "0x01" }
        },
        {
          request: post(nodes[0], envelope(1, "state_queryStorageAt", [["0xaa"], "0x01"])),
          status: 503,
          body: {}
        },
        {
          request: post(nodes[1], envelope(1, "chain_getFinalizedHead", [])),
          body: { id: 1, result: "0x02" }
        },
        {
          request: post(nodes[1], envelope(1, "state_queryStorageAt", [["0xaa"], "0x02"])),
          body: { id: 1, result: [{ changes: [["0xaa", "0x0001"]] }] }
        }
      ])
    )
  )
)

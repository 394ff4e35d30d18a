/** GraphQL, EVM contracts and Solana programs: what each reads and what it refuses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Evm from "../../core/plugin/shapes/evm.ts"
import * as Graphql from "../../core/plugin/shapes/graphql.ts"
import * as Solana from "../../core/plugin/shapes/solana.ts"
import { post, rpc } from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://node.example"

describe("GraphQL", () => {
  const Data = Schema.Struct({ n: Schema.NullOr(Schema.Natural) })
  const ask = (body: unknown) =>
    Graphql.query(url, "{ n }", Data).pipe(
      Effect.provide(answers([{ request: post(url, { query: "{ n }" }), body }]))
    )

  it.effect("gives the data, and the errors beside a part of it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* ask({ data: { n: 3 } })).data, { n: 3 })
      const part = yield* ask({ data: { n: null }, errors: [{ message: "n is slow" }] })
      assert.deepStrictEqual(part.data, { n: null })
      assert.deepStrictEqual(
        part.failed.map(({ detail }) => detail),
        ["n is slow"]
      )
    })
  )

  it.effect.each([
    [{ errors: [{ message: "no such field" }] }, "UpstreamRefused", "no such field"],
    [{ data: null, errors: [{ message: "down" }] }, "UpstreamRefused", "down"],
    [{}, "UpstreamChanged", "neither data nor errors"],
    [{ data: { n: "3" } }, "UpstreamChanged", "n"]
  ] as const)("fails on %j", ([body, tag, detail]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask(body))
      assert.strictEqual(error._tag, tag)
      assert.include(error.message, detail)
    })
  )
})

describe("an EVM contract", () => {
  const to = "0x0000000000000000000000000000000000000001"
  const envelope = (id: number, method: string, params: unknown) => ({ jsonrpc: "2.0", id, method, params })
  const hash = `0x${"ab".repeat(32)}`
  const at = { blockHash: hash }
  const ask = (word: string) =>
    Evm.uints([url], to, { size: "0x2a4e0d55", room: "0x5a2a75a9" }).pipe(
      Effect.provide(
        answers([
          {
            request: post(url, envelope(1, "eth_getBlockByNumber", ["latest", false])),
            body: { jsonrpc: "2.0", id: 1, result: { hash, timestamp: "0x6a9aa1d4" } }
          },
          {
            request: post(url, [
              envelope(1, "eth_call", [{ to, data: "0x2a4e0d55" }, at]),
              envelope(2, "eth_call", [{ to, data: "0x5a2a75a9" }, at])
            ]),
            body: [
              { jsonrpc: "2.0", id: 2, result: `0x${"0".repeat(63)}7` },
              { jsonrpc: "2.0", id: 1, result: word }
            ]
          }
        ])
      )
    )

  it.effect("gives whole words exactly, dated by the block, in whatever order the node answers", () =>
    Effect.gen(function* () {
      const { as_of, values } = yield* ask(`0x${"f".repeat(64)}`)
      assert.deepStrictEqual(values, { size: 2n ** 256n - 1n, room: 7n })
      assert.strictEqual(as_of, 0x6a9aa1d4 * 1000)
    })
  )

  it.effect.each(["0x", "0x01", "100"])("%s is no word", (word) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(ask(word)))._tag, "UpstreamChanged")
    })
  )
})

describe("an answer of JSON-RPC", () => {
  const calls = [
    { method: "a", params: [], result: Schema.Int },
    { method: "b", params: [], result: Schema.Int }
  ] as const
  const envelope = (index: number, method: string) => ({ jsonrpc: "2.0", id: index, method, params: [] })
  const ask = (body: unknown) =>
    rpc(url, calls).pipe(
      Effect.provide(
        answers([
          {
            request: post(
              url,
              calls.map(({ method }, at) => envelope(at + 1, method))
            ),
            body
          }
        ])
      )
    )

  it.effect("may come in any order, with an error of null, and with its id as text", () =>
    Effect.gen(function* () {
      const { body } = yield* ask([
        { id: "2", result: 8, error: null },
        { id: 1, result: 7 }
      ])
      assert.deepStrictEqual(body, [7, 8])
    })
  )

  it.effect("is that of the one call, whatever its id", () =>
    Effect.gen(function* () {
      const request = post(url, envelope(1, "a"))
      const one = rpc(url, [calls[0]]).pipe(
        Effect.provide(answers([{ request, body: { id: 2, result: 7 } }]))
      )
      assert.deepStrictEqual((yield* one).body, [7])
    })
  )

  it.effect.each([
    [{ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch too large" } }],
    [[{ id: 1, error: { message: "batch too large" } }]]
  ])("that refuses is a refusal: %j", ([body]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask(body))
      assert.strictEqual(error._tag, "UpstreamRefused")
      assert.include(error.message, "batch too large")
    })
  )
})

describe("a Solana program", () => {
  it.effect("is asked for the different values of one field of its accounts", () =>
    Effect.gen(function* () {
      const field = { offset: 40, length: 32 }
      assert.strictEqual((yield* Solana.differentIn(url, "Program1", "ZZTu8o6YwNM", field)).body, 2)
    }).pipe(
      Effect.provide(
        answers([
          {
            request: post(url, {
              jsonrpc: "2.0",
              id: 1,
              method: "getProgramAccounts",
              params: [
                "Program1",
                {
                  encoding: "base64",
                  dataSlice: { offset: 40, length: 32 },
                  filters: [{ memcmp: { offset: 0, bytes: "ZZTu8o6YwNM" } }]
                }
              ]
            }),
            body: {
              jsonrpc: "2.0",
              id: 1,
              result: ["AA==", "AQ==", "AA=="].map((node, index) => ({
                pubkey: `run${index}`,
                account: { data: [node, "base64"] }
              }))
            }
          }
        ])
      )
    )
  )

  it.effect("is asked for its accounts by their first bytes, without their data", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Solana.accountsOf(url, "Program1", "N1x6kpVdXxo")).body, 2)
    }).pipe(
      Effect.provide(
        answers([
          {
            request: post(url, {
              jsonrpc: "2.0",
              id: 1,
              method: "getProgramAccounts",
              params: [
                "Program1",
                {
                  encoding: "base64",
                  dataSlice: { offset: 0, length: 0 },
                  filters: [{ memcmp: { offset: 0, bytes: "N1x6kpVdXxo" } }]
                }
              ]
            }),
            body: {
              jsonrpc: "2.0",
              id: 1,
              result: [
                { pubkey: "a", account: {} },
                { pubkey: "b", account: {} }
              ]
            }
          }
        ])
      )
    )
  )
})

/** Errors in the body of an answer with status 200, whoever reads it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { bareNumber } from "../../core/plugin/shapes/bare.ts"
import { csv } from "../../core/plugin/shapes/csv.ts"
import { readingsOf } from "../../core/plugin/shapes/declare.ts"
import { count, number } from "../../core/plugin/shapes/fields.ts"
import { query } from "../../core/plugin/shapes/graphql.ts"
import { wrapped } from "../../core/plugin/shapes/wrapped.ts"
import { bareErrorIn, errorIn } from "../../core/plugin/statedErrors.ts"
import {
  bytes,
  json,
  post,
  type Request,
  rpc,
  text,
  type Upstream,
  type UpstreamError
} from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/n"

describe("a body that is an error and nothing else", () => {
  it.each([
    [{ error: "down for maintenance" }, "down for maintenance", undefined],
    [{ error: { code: -32005, message: "limit" }, id: 1, jsonrpc: "2.0" }, "limit", -32005],
    [{ error: true, message: "no such table" }, "no such table", undefined],
    [{ errors: [{ message: "first" }, { message: "second" }], data: null }, "first", undefined],
    [{ errors: ["no index"] }, "no index", undefined],
    [{ status: "error", message: "try later" }, "try later", undefined],
    [{ status: "Error", data: "indexing" }, "indexing", undefined],
    [{ status: "fail", data: {} }, "a failure without a message", undefined],
    [{ success: false, result: "closed" }, "closed", undefined],
    [{ statusCode: 503, message: "Service Unavailable" }, "Service Unavailable", 503],
    [{ code: 12, message: "Not Implemented", details: [] }, "Not Implemented", 12],
    [
      { status: "0", message: "NOTOK", result: "Max rate limit reached" },
      "NOTOK: Max rate limit reached",
      undefined
    ],
    [{ message: "API rate limit exceeded" }, "API rate limit exceeded", undefined],
    [{ detail: "Not found." }, "Not found.", undefined]
  ])("is read: %j", (body, detail, code) => {
    assert.deepStrictEqual(bareErrorIn(body), code === undefined ? { detail } : { code, detail })
  })

  it.each([
    { error: null, nodes: 7 },
    { error: "", nodes: 7 },
    { error: 3, nodes: 7 },
    { error: "one shard is late", nodes: 7 },
    { errors: [{ message: "one field" }], data: { nodes: 7 } },
    { status: "ok", message: "fine" },
    { status: "success", data: { nodes: 7 } },
    { status: 200, code: 0, message: "success", data: [1] },
    { success: true, result: 7 },
    { status: "0", message: "No transactions found", result: [] },
    { message: "hello", nodes: null, total: 7 },
    [{ error: "x" }],
    {},
    "error",
    7,
    null
  ])("is not: %j", (body) => assert.isUndefined(bareErrorIn(body)))

  it("may come with data, where a reader asks for it", () => {
    assert.deepStrictEqual(errorIn({ error: "one shard is late", nodes: 7 }), { detail: "one shard is late" })
  })
})

describe("a refusal in an answer with status 200", () => {
  const Nodes = Schema.Struct({ nodes: count, share: number })
  const request = post(url, { jsonrpc: "2.0", id: 1, method: "nodes", params: [] })
  const graphqlRequest = post(url, { query: "{ nodes }" })

  const readers: ReadonlyArray<
    readonly [string, Effect.Effect<unknown, UpstreamError, Upstream>, string | Request]
  > = [
    ["json", json(url, Nodes), url],
    ["declare", readingsOf({}, { ask: url, figures: { nodes: "nodes" } }, "EXN"), url],
    ["wrapped", wrapped(url, ["data"], Nodes), url],
    ["graphql", query(url, "{ nodes }", Nodes), graphqlRequest],
    ["rpc", rpc(url, [{ method: "nodes", params: [], result: Nodes }]), request]
  ]
  it.effect.each(readers)("of %s is called by its words, and a limit a rate limit", ([, effect, ask]) =>
    Effect.gen(function* () {
      for (const [body, message, isLimit] of [
        [{ error: "down for maintenance" }, /[^:]*: (JSON-RPC error: )?down for maintenance$/, false],
        [
          { error: { code: -32005, message: "slow down" } },
          /: rate limit: (JSON-RPC error -32005: )?slow down$/,
          true
        ],
        [
          { errors: [{ message: "Too many requests" }] },
          /: rate limit: (JSON-RPC error: )?Too many requests$/,
          true
        ]
      ] as const) {
        const error = yield* Effect.flip(effect.pipe(Effect.provide(answers([{ request: ask, body }]))))
        assert.strictEqual(error._tag, "UpstreamRefused")
        assert.match(error.message, message)
        assert.strictEqual(error._tag === "UpstreamRefused" && error.isLimit, isLimit)
      }
    })
  )

  it.effect.each([
    ["json", json(url, Nodes)],
    ["text", text(url)],
    ["csv", csv(url, ["nodes"])],
    ["bare", bareNumber(url)]
  ] as ReadonlyArray<readonly [string, Effect.Effect<unknown, UpstreamError, Upstream>]>)(
    "of %s in another form than its own is read as well",
    ([, effect]) =>
      Effect.gen(function* () {
        for (const [body, limit] of [
          [`{"error":"closed for maintenance"}`, false],
          [`{"message":"Too many calls, 5 calls per second allowed"}`, true],
          ["Throttled", true],
          ["<html><title>error 429</title><p>Slow down</p></html>", true]
        ] as const) {
          const error = yield* Effect.flip(effect.pipe(Effect.provide(answers([{ request: url, body }]))))
          assert.strictEqual(error._tag, "UpstreamRefused", body)
          assert.strictEqual(error._tag === "UpstreamRefused" && error.isLimit, limit, body)
        }
      })
  )

  it.effect("by status 429, or by words beside another refusal, is a rate limit", () =>
    Effect.gen(function* () {
      for (const [status, body, says] of [
        [429, "", ": rate limit: status 429"],
        [403, `{"message":"API rate limit exceeded for this address"}`, ": rate limit: status 403"],
        [503, `{"code":8,"message":"resource exhausted: try later"}`, ": rate limit: status 503"],
        [404, `no page about a rate limit`, `GET ${url}: status 404`],
        [403, `{"message":"forbidden"}`, `GET ${url}: status 403`]
      ] as const) {
        const error = yield* Effect.flip(
          bytes(url).pipe(Effect.provide(answers([{ request: url, status, body }])))
        )
        assert.isTrue(error.message.endsWith(says), error.message)
      }
    })
  )
})

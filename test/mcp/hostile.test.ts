/** Whatever a caller sends as arguments, a tool answers, or refuses in words that say what to change. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Accounts } from "../../core/credits/Accounts.ts"
import { listOf } from "../../mcp/server.ts"
import { messageOf, post, publish, rpc } from "../support/mcp.ts"
import { Service } from "../support/service.ts"

/** Objects in one another. */
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

const texts = [
  "",
  " ",
  "0",
  "-1",
  "NaN",
  "Infinity",
  "1e999",
  "0x10",
  "null",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "FIL\u0000",
  "\u202eLIF",
  "\u200b",
  "\ud800",
  "\u{1f4a9}".repeat(60),
  "'; drop table account; --",
  "{{7*7}}",
  "../../etc/passwd",
  "http://169.254.169.254/",
  "20260230",
  "2026-02-30",
  "9999-12-31T23:59:60Z",
  "+275760-09-13T00:00:00.001Z",
  "9".repeat(40),
  "x".repeat(20_000)
]

const values: ReadonlyArray<unknown> = [
  ...texts,
  null,
  true,
  0,
  -0,
  -1,
  1.5,
  1e308,
  5e-324,
  2 ** 53,
  2 ** 31,
  [],
  [[]],
  [null],
  {},
  nested(20),
  JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'),
  Array.from({ length: 300 }, () => ({})),
  Array.from({ length: 40 }, () => ({ symbol: "FIL", metric: "x", value: 1 })),
  { path: "", body: "", timestamp: "", signature: "" },
  { path: "/v1/x", body: "[[[[[[", timestamp: "now", signature: "ed25519:zz" },
  { path: "/v1/x", body: "null", timestamp: "2026-09-05T09:00:00Z", signature: `ed25519:${"0".repeat(128)}` },
  { path: "/v1/x", body: '[{"symbol":"FIL","metric":"x","value":1e999}]', timestamp: "", signature: "" }
]

/** Arguments with which a tool does its work, so that the hostile one is looked at. */
const working: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  get_network: { symbol: "FIL" },
  get_metric_history: { symbol: "FIL" },
  query: { metrics: "active_storage_providers", symbols: "FIL" },
  verify_value: { symbol: "FIL", metric: "active_storage_providers", date: "20260903" },
  fetch_dataset: { dataset: "supply" },
  purchase_data: { product_key: "depin_networks" },
  topup_credits: { method: "usdc", amount: "5", from_address: `0x${"1".repeat(40)}` }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that no answer may hold
const hidden = /[\u0000-\u0008\u000b-\u001f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/

layer(Service.layer())("hostile arguments", (it) => {
  /** One network registers 20 keys per day, and there are more cases than that. */
  let starts = 0
  const start = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    starts += 1
    const accounts = yield* Accounts
    const { api_key } = yield* accounts.register({}, `192.0.2.${starts}`)
    const { call } = yield* Service
    const { body } = yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": api_key } })
    yield* accounts.setTier(JSON.parse(body.toString()).account, "enterprise")
    return { headers: { "x-api-key": api_key } }
  })

  /** What is wrong with the answer to a call; undefined where nothing is. */
  const faultOf = Effect.fnUntraced(function* (name: string, args: unknown, headers: Record<string, string>) {
    const params = { name, arguments: args }
    const reply = yield* post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { headers })
    const { error, result } = messageOf(reply)
    const about = `${name} ${JSON.stringify(args)?.slice(0, 300)}`
    if (reply.status !== 200) return `${reply.status}: ${about}`
    if (error !== undefined) return error.code === -32602 ? undefined : `${error.code}: ${about}`
    const [{ text } = { text: "" }] = (result?.["content"] ?? []) as ReadonlyArray<{ text: string }>
    const data = JSON.parse(text)
    if (text.length > 120_000) return `long: ${about}`
    if (hidden.test(text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, ""))) return `hidden: ${about}`
    if (text.includes(headers["x-api-key"] ?? "plk_")) return `key: ${about}`
    if (result?.["isError"] !== true) return undefined
    const isExplained =
      typeof data.message === "string" && data.message.length > 10 && data.error !== "internal_error"
    return isExplained ? undefined : `unsaid ${text.slice(0, 200)}: ${about}`
  })

  const properties = (name: string) => {
    const tool = listOf("full").tools.find((tool) => tool.name === name)
    return Object.keys(tool?.inputSchema.properties ?? {}).filter((argument) => argument !== "api_key")
  }

  const names = listOf("full").tools.map(({ name }) => name)

  it.effect.each(names)(
    "%s answers or refuses in words",
    (name) =>
      Effect.gen(function* () {
        const { headers } = yield* start
        const calls: ReadonlyArray<unknown> = [
          ...values,
          ...properties(name).flatMap((argument) =>
            values.map((value) => ({ ...working[name], [argument]: value }))
          )
        ]
        const faults = yield* Effect.forEach(calls, (args) => faultOf(name, args, headers), {
          concurrency: 8
        })
        assert.deepStrictEqual(
          faults.filter((fault) => fault !== undefined),
          []
        )
        // It still works, and nothing was put on every object.
        assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "admin"))
      }),
    120_000
  )

  it.effect(
    "whatever is made up is answered or refused",
    () =>
      Effect.gen(function* () {
        const { headers } = yield* start
        const argument = fc.constantFrom(...new Set(names.flatMap(properties)), "api_key", "sql", "__proto__")
        const json = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" })
        const samples = fc.sample(
          fc.record({ name: fc.constantFrom(...names), args: fc.dictionary(argument, json, { maxKeys: 4 }) }),
          { numRuns: 300, seed: 7 }
        )
        const faults = yield* Effect.forEach(
          samples,
          ({ args, name }) => faultOf(name, { ...working[name], ...args }, headers),
          { concurrency: 8 }
        )
        assert.deepStrictEqual(
          faults.filter((fault) => fault !== undefined),
          []
        )
      }),
    120_000
  )

  it.effect("methods besides tools/call refuse what is not for them", () =>
    Effect.gen(function* () {
      yield* start
      const methods = [
        "initialize",
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "prompts/list"
      ]
      for (const method of [...methods, "completion/complete", "ping", "logging/setLevel", "__proto__"]) {
        for (const params of values) {
          const reply = yield* post({ jsonrpc: "2.0", id: 1, method, params })
          assert.include([200, 202, 400], reply.status, `${method} ${JSON.stringify(params)?.slice(0, 200)}`)
          if (reply.body.length === 0) continue
          const { error } = messageOf(reply)
          if (error !== undefined) {
            assert.include([-32600, -32601, -32602, -32002], error.code, `${method} ${error.message}`)
            assert.notInclude(error.message, "[\n", method)
          }
        }
      }
      assert.isDefined((yield* rpc("ping")).result)
    })
  )
})

/** Calls of MCP count as those of REST do, and each message of a batch is a call. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { messageOf, post } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { header, json, type Reply } from "../support/signed.ts"

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" })
const batch = (n: number) => Array.from({ length: n }, (_, id) => ping(id))

/** What is left of the minute and of the day. */
const left = (reply: Reply) =>
  ["minute", "day"].map((name) =>
    Number(new RegExp(`"${name}";r=(\\d+)`).exec(header(reply, "ratelimit") ?? "")?.[1])
  )

layer(Service.layer({ trustProxy: 1, limited: true }))("limits of MCP", (it) => {
  const from = (network: number, more: Record<string, string> = {}) => ({
    headers: { "x-forwarded-for": `198.51.100.${network}`, ...more }
  })

  it.effect("are REST's, with a key and without", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
      const { call } = yield* Service
      const accounts = yield* Accounts
      const { api_key } = yield* accounts.register({}, "192.0.2.9")
      const key = { "x-api-key": api_key }
      const { account } = json(yield* call({ path: "/v1/credits/balance", headers: key }))
      for (const [network, tier, headers] of [
        [1, undefined, {}],
        [2, undefined, { "x-api-key": "plk_guessed" }],
        [3, "agent", key],
        [4, "design_partner", key]
      ] as const) {
        if (tier !== undefined) yield* accounts.setTier(String(account), tier)
        // Limits go by what a key was for a few seconds.
        yield* TestClock.adjust("5 seconds")
        const ask = from(network, headers)
        const first = yield* call({ path: "/v1/networks?limit=1", ...ask })
        for (const path of ["/mcp", "/mcp/public"]) {
          const reply = yield* post(ping(1), { path, ...ask })
          assert.strictEqual(header(reply, "ratelimit-policy"), header(first, "ratelimit-policy"))
        }
        const [minute = 0, day = 0] = left(first)
        assert.deepStrictEqual(left(yield* post(ping(1), ask)), [minute - 3, day - 3])
      }
    })
  )

  it.effect("count each message of a batch, and refuse it whole when there is no room", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
      const ask = from(10)
      assert.deepStrictEqual(left(yield* post(ping(0), ask)), [299, 1499])
      assert.strictEqual((yield* post(batch(10), ask)).status, 200)
      assert.deepStrictEqual(left(yield* post(ping(0), ask)), [288, 1488])
      const notifications = Array.from({ length: 4 }, () => ({
        jsonrpc: "2.0",
        method: "notifications/initialized"
      }))
      assert.strictEqual((yield* post(notifications, ask)).status, 202)
      assert.deepStrictEqual(left(yield* post(ping(0), ask)), [283, 1483])
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* post(batch(10), ask)).status, 200)
      assert.deepStrictEqual(left(yield* post(ping(0), ask)), [182, 1382])
      const refused = yield* post(batch(10), ask)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(header(refused, "retry-after"), "1")
      assert.include(messageOf(refused).error?.message, "batch")
      assert.strictEqual((yield* post(ping(0), ask)).status, 429)
      // Another network is not held up by it.
      assert.strictEqual((yield* post(batch(10), from(11))).status, 200)
    })
  )

  it.effect(
    "reach the model as the text of a tool's result, and the client of anything else as a status",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
        const { call } = yield* Service
        const accounts = yield* Accounts
        const { api_key } = yield* accounts.register({}, "192.0.2.9")
        const tool = {
          jsonrpc: "2.0",
          id: "a1",
          method: "tools/call",
          params: { name: "find_networks", arguments: {} }
        }
        for (const [network, headers] of [
          [30, {}],
          [31, { "x-api-key": api_key }]
        ] as const) {
          const ask = from(network, headers)
          for (let n = 0; n < 400; n++) {
            if ((yield* call({ path: "/v1/networks?limit=1", ...ask })).status === 429) break
          }
          const reply = yield* post(tool, ask)
          assert.strictEqual(reply.status, 200)
          assert.match(header(reply, "retry-after") ?? "", /^\d+$/)
          assert.match(header(reply, "ratelimit") ?? "", /r=0/)
          const { id, result } = json(reply) as {
            readonly id: string
            readonly result: {
              readonly isError: boolean
              readonly content: ReadonlyArray<{ readonly text: string }>
            }
          }
          assert.deepStrictEqual([id, result.isError], ["a1", true])
          const problem = JSON.parse(result.content[0]?.text ?? "")
          assert.strictEqual(problem.error, "too_many_requests")
          assert.match(problem.message, /Try again in \d+ s/)
          for (const message of [
            ping(1),
            { ...tool, id: undefined },
            "{",
            { ...tool, more: "x".repeat(9_000) }
          ])
            assert.strictEqual((yield* post(message, ask)).status, 429)
        }
      })
  )

  it.effect("count what is refused before it is read, too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
      const ask = from(20)
      yield* post("{", ask)
      yield* post(batch(11), ask)
      yield* post(ping(0), { ...ask, headers: { ...ask.headers, origin: "https://evil.test" } })
      assert.deepStrictEqual(left(yield* post(ping(0), ask)), [296, 1496])
    })
  )
})

/** The read-only edition, searched for any way to an account, a purchase or a payment. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { callTool, post, publish, rpc } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const path = "/mcp/public"
const money = ["register_agent", "purchase_data", "topup_credits", "check_balance"]

/** Words that lead to an account: names of tools, arguments, headers and REST addresses. */
const ways =
  /register_agent|purchase_data|topup|check_balance|api[_-]key|X-API-Key|\/credits\/(?!pricing)|\/buy\/|by-session|by_session|checkout|idempotency|plk_/i

layer(Service.layer())("the public edition", (it) => {
  const start = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    const accounts = yield* Accounts
    const { api_key } = yield* accounts.register({}, "192.0.2.9")
    return { ...(yield* Service), accounts, api_key }
  })

  const listed = Effect.map(
    rpc("tools/list", {}, { path }),
    ({ result }) => (result?.["tools"] ?? []) as ReadonlyArray<{ readonly name: string }>
  )

  it.effect("names no way to an account in anything that it says of itself", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const texts: Array<readonly [what: string, text: string]> = []
      const say = Effect.fnUntraced(function* (method: string, params: object = {}) {
        const reply = yield* post({ jsonrpc: "2.0", id: 1, method, params }, { path })
        texts.push([`${method} ${JSON.stringify(params)}`, reply.body.toString()])
        return JSON.parse(reply.body.toString()).result ?? {}
      })
      const clientInfo = { name: "test", version: "1" }
      yield* say("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
      const { tools } = yield* say("tools/list")
      assert.strictEqual(tools.length, 12)
      const { resources } = yield* say("resources/list")
      for (const { uri } of resources) yield* say("resources/read", { uri })
      yield* say("resources/templates/list")
      yield* say("resources/read", { uri: "plumbline://network/FIL" })
      const { prompts } = yield* say("prompts/list")
      assert.deepStrictEqual(
        prompts.map(({ name }: { name: string }) => name),
        ["network_growth", "compare_two_networks", "what_changed", "measured_networks", "verify_a_value"]
      )
      for (const { arguments: promptArguments, name } of prompts) {
        const args = Object.fromEntries(promptArguments.map(({ name }: { name: string }) => [name, "x"]))
        yield* say("prompts/get", { name, arguments: args })
      }
      yield* say("prompts/get", { name: "buy_data" })
      for (const name of ["symbol", "metric", "product_key"]) {
        const ref = { type: "ref/prompt", name: "verify_a_value" }
        yield* say("completion/complete", { ref, argument: { name, value: "" } })
      }
      const card = json(yield* call("/.well-known/mcp.json"))["endpoints"] as Record<string, object>
      texts.push(["the descriptor", JSON.stringify(card["public"])])
      for (const [what, text] of texts) assert.notMatch(text, ways, what)
    })
  )

  it.effect("names none in answers and refusals either", () =>
    Effect.gen(function* () {
      const { api_key } = yield* start
      const questions: ReadonlyArray<readonly [string, object]> = [
        ["find_networks", {}],
        ["find_networks", { query: "storage" }],
        ["get_network", { symbol: "FIL" }],
        ["get_network", { symbol: "nope" }],
        ["get_network", { limit: 0 }],
        ["get_metric_history", { symbol: "FIL", days: 400 }],
        ["verify_value", { symbol: "FIL", metric: "active_storage_providers", date: "20260903" }],
        ["verify_value", { symbol: "FIL", metric: "active_storage_providers", date: "20260901" }],
        ["verify_footprint", {}],
        ["get_data_dictionary", {}],
        ["get_derivation_ledger", { run: "none" }],
        ["list_datasets", {}],
        ["get_stats", {}],
        ["list_products", {}],
        ...["supply", "compare", "digest", "intel", "signals", "export", "brief", "nope"].map(
          (dataset) => ["fetch_dataset", { dataset }] as const
        )
      ]
      const headers = { "x-api-key": api_key }
      for (const [name, args] of questions) {
        const { text } = yield* callTool(name, args, { path, headers })
        assert.notMatch(text, ways, `${name} ${JSON.stringify(args)}`)
      }
    })
  )

  it.effect("has no tool of accounts or money under any name", () =>
    Effect.gen(function* () {
      const { api_key } = yield* start
      for (const name of money) {
        const names = [name, name.toUpperCase(), ` ${name}`, `${name}\u0000`, `full/${name}`, `${name}\u200b`]
        for (const named of [...names, `tools.${name}`, "__proto__", "constructor", "toString"]) {
          const { error } = yield* rpc("tools/call", { name: named, arguments: { api_key } }, { path })
          assert.strictEqual(error?.code, -32602, named)
        }
      }
    })
  )

  it.effect("takes no key as an argument, and a key in the header shows nothing more", () =>
    Effect.gen(function* () {
      const { accounts, api_key, call } = yield* start
      const headers = { "x-api-key": api_key }
      const { account } = json(yield* call({ path: "/v1/credits/balance", headers }))
      yield* accounts.setTier(String(account), "enterprise")
      for (const { name } of yield* listed) {
        const { data, isError } = yield* callTool(name, { api_key }, { path })
        assert.isTrue(isError, name)
        assert.strictEqual(data.field, "api_key", name)
        const plain = yield* callTool(name, {}, { path })
        const keyed = yield* callTool(name, {}, { path, headers })
        assert.deepStrictEqual(keyed, plain, name)
      }
      const full = yield* callTool("find_networks", {}, { headers })
      assert.strictEqual(full.data.access.breadth, "all")
      const args = { symbol: "FIL", days: 60 }
      const history = yield* callTool("get_metric_history", args, { path, headers })
      assert.deepStrictEqual(history, yield* callTool("get_metric_history", args))
    })
  )
})

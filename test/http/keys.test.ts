/** Several keys of an account, and what each of them may do: over REST and over MCP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { requireScope } from "../../core/credits/keys/ApiKey.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { Api } from "../../http/api/Api.ts"
import { makeRoutes } from "../../http/routing/routes.ts"
import { callTool } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json, type Reply } from "../support/signed.ts"

type Headers = Readonly<Record<"x-api-key", string>>

const post = (path: string, headers: Headers, body: unknown = {}, more: Record<string, string> = {}) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers, ...more },
    body: JSON.stringify(body)
  })

const get = (path: string, headers: Headers) => ask({ path, headers })

let networks = 0

/** An account of this tier, by the key it was registered with. */
const opened = Effect.fnUntraced(function* (tier: "free" | "enterprise" = "free") {
  const accounts = yield* Accounts
  const { api_key } = yield* accounts.register({}, `198.51.100.${++networks}`)
  const { id } = yield* accounts.authenticate(Redacted.make(api_key))
  yield* accounts.setTier(id, tier)
  return { id, key: { "x-api-key": api_key } }
})

const issue = Effect.fnUntraced(function* (by: Headers, request: object) {
  const reply = yield* post("/v1/credits/keys", by, request)
  assert.strictEqual(reply.status, 200, reply.body.toString())
  const record = json(reply)
  return { key: { "x-api-key": String(record["api_key"]) }, id: String(record["key_id"]), record }
})

const refusalOf = (reply: Reply) => {
  const { error, needed_scopes, status } = json(reply)
  assert.strictEqual(status, reply.status)
  return { error, needed_scopes }
}

/** The scopes of which each call with a key needs one; what is not listed needs `account`. */
const needs: Readonly<Record<string, ReadonlyArray<string>>> = {
  "GET /v1/credits/balance": ["buy", "account"],
  "POST /v1/credits/purchase": ["buy"],
  "POST /v1/credits/purchase/dry-run": ["buy"],
  "GET /v1/credits/purchases": ["buy"],
  "GET /v1/credits/purchases/:purchase_id": ["buy"],
  "GET /v1/export": ["read"]
}

const products = [{ key: "depin_provenance" as const, build: () => Effect.succeed({ n: 1 }) }]

layer(Service.layer({ products }))("keys of an account", (it) => {
  it.effect("do only what their scopes allow, at every endpoint that takes a key", () =>
    Effect.gen(function* () {
      const { key } = yield* opened("enterprise")
      const routes = makeRoutes(Api).all.filter(({ needsKey }) => needsKey)
      assert.isAbove(routes.length, 14)
      for (const scope of ["read", "buy", "account"]) {
        const limited = yield* issue(key, { scopes: [scope] })
        for (const { method, path } of routes) {
          const needed = needs[`${method} ${path}`] ?? ["account"]
          // An endpoint that the key may call could end it.
          if (needed.includes(scope) && method === "POST") continue
          const target = path.replace(/:\w+/, "x") + (path === "/v1/export" ? "?dataset=networks" : "")
          const reply = yield* ask({ method, path: target, headers: limited.key })
          const label = `${method} ${path} with ${scope}`
          if (needed.includes(scope)) assert.notInclude([401, 403], reply.status, label)
          else
            assert.deepStrictEqual(refusalOf(reply), { error: "scope_missing", needed_scopes: needed }, label)
        }
      }
    })
  )

  it.effect("read what the tier includes with the scope read, and only what is free without it", () =>
    Effect.gen(function* () {
      const { key } = yield* opened("enterprise")
      const reader = yield* issue(key, { name: "dashboard" })
      assert.deepInclude(reader.record, { name: "dashboard", scopes: ["read"], buy_per_day: null })
      const buyer = yield* issue(key, { scopes: ["buy"] })
      assert.strictEqual((yield* get("/v1/digest", reader.key)).status, 200)
      assert.deepStrictEqual(refusalOf(yield* get("/v1/digest", buyer.key)), {
        error: "scope_missing",
        needed_scopes: ["read"]
      })
      // Asked in both orders: what is kept for one is not given to the other.
      for (const of of [reader, buyer, reader, buyer]) {
        const { access } = json(yield* get("/v1/networks", of.key)) as { access?: { note: string } | string }
        const note = JSON.stringify(access)
        if (of === buyer) assert.include(note, "lacks the scope read")
        else assert.include(note, "Enterprise")
      }
    })
  )

  it.effect(
    "buy up to their limit in a UTC day, exactly, however many ask at once, also after a rotation",
    () =>
      Effect.gen(function* () {
        const { id, key } = yield* opened()
        yield* (yield* Ledger).credit(id, 100_000_000n, "operator", {
          cause: "operator_grant",
          reference: id,
          key: `operator_grant:${id}`
        })
        const agent = yield* issue(key, { name: "agent", scopes: ["buy"], buy_per_day: "1.50" })
        const order = { product_key: "depin_provenance" }
        const replies = yield* Effect.forEach(
          Array.from({ length: 8 }),
          () => post("/v1/credits/purchase", agent.key, order),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(replies.filter(({ status }) => status === 200).length, 3)
        const over = replies.find(({ status }) => status !== 200) ?? assert.fail("all were sold")
        assert.deepInclude(json(over), {
          status: 403,
          error: "buy_limit_reached",
          buy_per_day: 1.5,
          bought_today: 1.47,
          price: 0.49,
          resets_at: "1970-01-02T00:00:00.000Z"
        })
        const next = json(yield* post(`/v1/credits/keys/${agent.id}/rotate`, key))
        assert.deepInclude(next, { key_id: agent.id, name: "agent", scopes: ["buy"], buy_per_day: 1.5 })
        const rotated = { "x-api-key": String(next["api_key"]) }
        assert.strictEqual((yield* post("/v1/credits/purchase", agent.key, order)).status, 401)
        assert.strictEqual((yield* post("/v1/credits/purchase", rotated, order)).status, 403)
        // The account itself has no limit, and a new day has a new one.
        assert.strictEqual((yield* post("/v1/credits/purchase", key, order)).status, 200)
        yield* TestClock.adjust("1 day")
        assert.strictEqual((yield* post("/v1/credits/purchase", rotated, order)).status, 200)
        yield* TestClock.setTime(0)
      })
  )

  it.effect("are enforced for agents as well", () =>
    Effect.gen(function* () {
      const { key } = yield* opened("enterprise")
      const reader = yield* issue(key, { scopes: ["read"] })
      const buyer = yield* issue(key, { scopes: ["buy"], buy_per_day: 0.5 })
      const refused = (name: string, args: object, { "x-api-key": api_key }: Headers) =>
        Effect.map(callTool(name, { ...args, api_key }), ({ data, isError }) => {
          assert.isTrue(isError, name)
          return { error: data.error, needed: data.needed_scopes }
        })
      const missing = (...needed: ReadonlyArray<string>) => ({ error: "scope_missing", needed })
      const order = { product_key: "depin_provenance" }
      assert.deepStrictEqual(yield* refused("purchase_data", order, reader.key), missing("buy"))
      assert.deepStrictEqual(yield* refused("check_balance", {}, reader.key), missing("account", "buy"))
      assert.deepStrictEqual(
        yield* refused("topup_credits", { method: "stripe", amount: 20 }, buyer.key),
        missing("account")
      )
      assert.deepStrictEqual(
        yield* refused("fetch_dataset", { dataset: "digest" }, buyer.key),
        missing("read")
      )
      assert.isFalse(
        (yield* callTool("purchase_data", { ...order, api_key: buyer.key["x-api-key"] })).isError
      )
      assert.strictEqual((yield* refused("purchase_data", order, buyer.key)).error, "buy_limit_reached")
    })
  )

  it.effect("never issue or change a key that may do more than themselves", () =>
    Effect.gen(function* () {
      const { key } = yield* opened()
      const manager = yield* issue(key, { scopes: ["account"] })
      const spender = yield* issue(key, { scopes: ["account", "buy"], buy_per_day: 5 })
      const full = json(yield* get("/v1/credits/keys", key)) as {
        keys: ReadonlyArray<{ key_id: string; current: boolean }>
      }
      const own = full.keys.find(({ current }) => current)?.key_id ?? assert.fail("the key is not listed")
      for (const [by, request] of [
        [manager, { scopes: ["read"] }],
        [manager, { scopes: ["account", "buy"] }],
        [spender, { scopes: ["buy"], buy_per_day: 1 }]
      ] as const) {
        assert.strictEqual(refusalOf(yield* post("/v1/credits/keys", by.key, request)).error, "scope_missing")
      }
      for (const what of ["rotate", "revoke"]) {
        const reply = yield* post(`/v1/credits/keys/${own}/${what}`, manager.key)
        assert.strictEqual(refusalOf(reply).error, "scope_missing", what)
      }
      assert.strictEqual((yield* post("/v1/credits/keys", manager.key, { scopes: ["account"] })).status, 200)
      for (const [field, request] of [
        ["scopes", { scopes: [] }],
        ["scopes", { scopes: ["root"] }],
        ["buy_per_day", { scopes: ["buy"], buy_per_day: 0 }],
        ["buy_per_day", { scopes: ["buy"], buy_per_day: "1e3" }],
        ["buy_per_day", { scopes: ["read"], buy_per_day: 1 }],
        ["name", { name: "a\u202eb" }]
      ] as const) {
        assert.deepInclude(json(yield* post("/v1/credits/keys", key, request)), { status: 400, field })
      }
    })
  )

  it.effect("are listed with their last use, revoked one by one, and one with every scope remains", () =>
    Effect.gen(function* () {
      const { key } = yield* opened()
      const other = yield* opened()
      yield* TestClock.adjust("1 second")
      const reader = yield* issue(key, { name: "reader" })
      const listed = Effect.map(
        get("/v1/credits/keys", key),
        (reply) =>
          json(reply)["keys"] as ReadonlyArray<{
            key_id: string
            last_used_at: string | null
            scopes: object
          }>
      )
      const before = yield* listed
      assert.deepStrictEqual(
        before.map(({ scopes }) => scopes),
        [["read", "buy", "account"], ["read"]]
      )
      assert.isNull(before[1]?.last_used_at)
      yield* TestClock.adjust("1 hour")
      yield* get("/v1/networks", reader.key)
      assert.strictEqual((yield* listed)[1]?.last_used_at, "1970-01-01T01:00:01.000Z")

      const own = before[0]?.key_id ?? ""
      const last = yield* post(`/v1/credits/keys/${own}/revoke`, key)
      assert.strictEqual(refusalOf(last).error, "last_full_key")
      // Not of another account, and not twice.
      for (const [by, status] of [
        [other.key, 404],
        [key, 200],
        [key, 404]
      ] as const) {
        assert.strictEqual((yield* post(`/v1/credits/keys/${reader.id}/revoke`, by)).status, status)
      }
      assert.strictEqual((yield* get("/v1/credits/balance", reader.key)).status, 401)
      const second = yield* issue(key, { scopes: ["account", "buy", "read"] })
      assert.strictEqual((yield* post(`/v1/credits/keys/${own}/revoke`, second.key)).status, 200)
      assert.strictEqual((yield* get("/v1/credits/keys", key)).status, 401)
      yield* TestClock.setTime(0)
    })
  )

  it.effect("are kept as hashes only, and a limited one is unknown to a version without scopes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* opened()
      const limited = yield* issue(key, { name: "kept as a hash" })
      const text = limited.key["x-api-key"]
      const [row] = yield* sql`select t::text as row from limited_key t where hash = ${sha256(text)}`
      assert.include(String(row?.["row"]), "kept as a hash")
      assert.notInclude(String(row?.["row"]), text.slice(4))
      assert.deepStrictEqual(yield* sql`select hash from api_key where hash = ${sha256(text)}`, [])
    })
  )

  it.effect("of a newer version have none of the scopes that this one does not know", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* opened()
      const limited = yield* issue(key, {})
      yield* sql`update limited_key set scopes = '{"admin"}' where id = ${limited.id}`
      const account = yield* (yield* Accounts).authenticate(Redacted.make(limited.key["x-api-key"]))
      const refused = yield* Effect.flip(requireScope(account, "read"))
      assert.deepStrictEqual(refused.key_scopes, [])
    })
  )
})

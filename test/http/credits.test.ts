/** Accounts, purchases, gates. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Product } from "../../core/credits/Product.ts"
import type { Prices } from "../../core/credits/pricing.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { callTool } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { type Call, header, json, type Reply } from "../support/signed.ts"

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: () => Effect.succeed({ b: [1, null, 0.1], a: "é" }) },
  {
    key: "derivation_replay",
    build: ({ inputs: { run } }) =>
      run === undefined
        ? Effect.fail(UnknownSymbol.of("network", "fil"))
        : Effect.fail(new BadParameter({ field: "run", message: "run is a text.", valid: "a text" }))
  }
]

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const newKey = Effect.fnUntraced(function* (network: string, body: unknown = {}) {
  const reply = yield* post("/v1/credits/register", body, { "x-forwarded-for": network })
  assert.strictEqual(reply.status, 200)
  const { api_key } = json(reply)
  return { "x-api-key": String(api_key) }
})

const problemOf = (reply: Reply) => {
  assert.strictEqual(header(reply, "content-type"), "application/problem+json")
  assert.strictEqual(json(reply)["status"], reply.status)
  return json(reply)
}

const keyed: ReadonlyArray<readonly [method: string, path: string]> = [
  ["GET", "/v1/credits/balance"],
  ["POST", "/v1/credits/purchase"],
  ["GET", "/v1/credits/purchases"],
  ["GET", "/v1/credits/purchases/pur_x"],
  ["POST", "/v1/credits/keys/rotate"],
  ["POST", "/v1/credits/topup"],
  ["POST", "/v1/credits/portal"],
  ["POST", "/v1/credits/crypto/challenge"],
  ["POST", "/v1/credits/crypto/verify"],
  ["GET", "/v1/credits/crypto/receipts"]
]

const gated = [
  "/v1/compare?metric=nodes_online",
  "/v1/compare",
  "/v1/digest",
  "/v1/changes",
  "/v1/correlations",
  "/v1/node-quality",
  "/v1/dilution-risk",
  "/v1/gpu-supply-demand",
  "/v1/sector-health",
  "/v1/geo-concentration",
  "/v1/dev-velocity",
  "/v1/competitive-landscape",
  "/v1/market-regime",
  "/v1/intel",
  "/v1/health-profile/FIL",
  "/v1/signals"
]

layer(Service.layer({ products, trustProxy: 1 }))("accounts over HTTP", (it) => {
  it.effect("a key is free, and buys", () =>
    Effect.gen(function* () {
      const registered = yield* post(
        "/v1/credits/register",
        { agent_name: "tester", email: "a@b.example" },
        { "x-forwarded-for": "192.0.2.1" }
      )
      const key = { "x-api-key": String(json(registered)["api_key"]) }
      assert.deepStrictEqual(Object.keys(json(registered)), ["api_key", "credits_balance", "message"])
      assert.deepInclude(json(yield* ask({ path: "/v1/credits/balance", headers: key })), {
        credits_balance: 5,
        agent_name: "tester",
        spending_status: "active"
      })
      const bought = yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, key)
      assert.strictEqual(bought.status, 200)
      const text = bought.body.toString("utf8")
      const data = text.slice(text.indexOf(',"data":') + 8, -1)
      assert.strictEqual(data, '{"a":"é","b":[1,null,0.1]}')
      assert.strictEqual(json(bought)["payload_sha256"], sha256(data))

      const id = String(json(bought)["purchase_id"])
      const again = yield* ask({ path: `/v1/credits/purchases/${id}?include=data`, headers: key })
      assert.include(again.body.toString("utf8"), `,"data":${data}}`)
      assert.match(header(again, "cache-control"), /private/)
      const list = json(yield* ask({ path: "/v1/credits/purchases", headers: key }))
      assert.deepInclude((list["purchases"] as ReadonlyArray<object>)[0], {
        purchase_id: id,
        price: 0.49,
        payload_sha256: sha256(data)
      })

      const rest = `/v1/credits/purchases/${id}?metrics=none`
      const noPart = problemOf(yield* ask({ path: rest, headers: key }))
      assert.deepInclude(noPart, { status: 400, error: "bad_parameter" })
      assert.include(JSON.stringify(noPart), "its records have none")
      const other = yield* newKey("192.0.2.2")
      const refused = problemOf(yield* ask({ path: `/v1/credits/purchases/${id}`, headers: other }))
      const never = problemOf(
        yield* ask({ path: `/v1/credits/purchases/pur_${"0".repeat(32)}`, headers: other })
      )
      assert.deepStrictEqual(refused, never)
      assert.deepInclude(refused, { status: 404, error: "purchase_unknown" })
    })
  )

  it.effect(
    "registration takes an object or nothing, and refuses other bodies and members it does not know",
    () =>
      Effect.gen(function* () {
        const forged = { credits_balance: 900, tier: "enterprise", __proto__: { balance: 900 } }
        for (const body of ["{}", "", '{"email":null}']) {
          const reply = yield* post("/v1/credits/register", body, { "x-forwarded-for": "192.0.2.3" })
          assert.strictEqual(json(reply)["credits_balance"], 5)
        }
        for (const body of ["null", "[]", '"x"', "{", '{"agent_name":5}', JSON.stringify(forged)]) {
          const reply = yield* post("/v1/credits/register", body, { "x-forwarded-for": "192.0.2.3" })
          assert.strictEqual(reply.status, 400, body)
          problemOf(reply)
        }
        const bare = yield* ask({ method: "POST", path: "/v1/credits/register" })
        assert.strictEqual(json(bare)["credits_balance"], 5)
        const reply = yield* ask({
          method: "POST",
          path: "/v1/credits/register",
          headers: { "content-type": "text/plain" },
          body: "{}"
        })
        assert.strictEqual(problemOf(reply)["status"], 415)
      })
  )

  it.effect("grants follow the address that the trusted proxy saw, whatever the client wrote before it", () =>
    Effect.gen(function* () {
      const balances: Array<unknown> = []
      for (const forged of ["10.0.0.1", "10.0.0.2", "10.0.0.3", "::1"]) {
        const reply = yield* post("/v1/credits/register", {}, { "x-forwarded-for": `${forged}, 192.0.2.4` })
        balances.push(json(reply)["credits_balance"])
      }
      assert.deepStrictEqual(balances, [5, 5, 5, 0])
      const ipv6: Array<unknown> = []
      for (const end of ["1", "2", "3", "ffff:1"]) {
        const reply = yield* post("/v1/credits/register", {}, { "x-forwarded-for": `2001:db8:7:7::${end}` })
        ipv6.push(json(reply)["credits_balance"])
      }
      assert.deepStrictEqual(ipv6, [5, 5, 5, 0])
    })
  )

  it.effect("every account endpoint answers 401 without a known key, and tells no two apart", () =>
    Effect.gen(function* () {
      for (const [method, path] of keyed) {
        const bodies = yield* Effect.forEach(
          [{}, { "x-api-key": "" }, { "x-api-key": "plk_unknown" }, { "x-api-key": "x".repeat(5000) }],
          (headers) =>
            Effect.map(
              ask({
                method,
                path,
                headers: { "content-type": "application/json", ...headers },
                ...(method === "POST" ? { body: "{}" } : {})
              }),
              problemOf
            )
        )
        for (const body of bodies) assert.deepStrictEqual(body, bodies[0])
        assert.deepInclude(bodies[0], { status: 401, error: "key_unknown" })
      }
    })
  )

  it.effect("refused purchases answer what the spec says and charge nothing", () =>
    Effect.gen(function* () {
      const key = yield* newKey("192.0.2.5")
      const buy = (body: unknown, headers: Record<string, string> = {}) =>
        post("/v1/credits/purchase", body, { ...key, ...headers })
      assert.deepInclude(problemOf(yield* buy({ product_key: "depin_grades" })), {
        status: 503,
        error: "product_withdrawn"
      })
      assert.deepInclude(problemOf(yield* buy({ product_key: "depin_history" })), {
        status: 503,
        error: "product_unavailable"
      })
      const unknown = problemOf(yield* buy({ product_key: "nothing" }))
      assert.deepInclude(unknown, { status: 400, field: "product_key" })
      assert.strictEqual((unknown["valid_values"] as ReadonlyArray<string>).length, 22)
      for (const body of [
        "{}",
        "",
        "[]",
        '{"product_key":1}',
        '{"product_key":null}',
        '{"product_key":"depin_provenance","x":1e999}'
      ]) {
        assert.strictEqual((yield* buy(body)).status, 400, body)
      }
      assert.deepInclude(json(yield* ask({ path: "/v1/credits/balance", headers: key })), {
        credits_balance: 5
      })

      const first = yield* buy({ product_key: "depin_provenance" }, { "idempotency-key": "k" })
      const second = yield* buy('{ "product_key" : "depin_provenance" }', { "idempotency-key": "k" })
      assert.strictEqual(second.body.toString(), first.body.toString())
      const reused = yield* buy({ product_key: "depin_networks" }, { "idempotency-key": "k" })
      assert.deepInclude(problemOf(reused), { status: 422, error: "idempotency_key_reused" })
      for (let n = 0; n < 9; n++) yield* buy({ product_key: "depin_provenance" })
      const short = problemOf(yield* buy({ product_key: "depin_provenance" }))
      assert.deepInclude(short, {
        status: 402,
        error: "credits_short",
        shortfall: 0.39,
        credits_balance: 0.1
      })
      // Neither cards nor a chain are set up here, and what is not set up is not offered.
      assert.hasAllKeys(short["how_to_topup"], ["note", "pricing"])
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("a body over 64 KiB is 413, whatever is in it", () =>
    Effect.gen(function* () {
      const key = yield* newKey("192.0.2.6")
      for (const body of [`{"agent_name":"${"x".repeat(70_000)}"}`, "[".repeat(100_000)]) {
        assert.strictEqual((yield* post("/v1/credits/register", body)).status, 413)
        assert.strictEqual((yield* post("/v1/credits/purchase", body, key)).status, 413)
      }
      const deep = `{"product_key":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
      assert.strictEqual((yield* post("/v1/credits/purchase", deep, key)).status, 400)
    })
  )

  it.effect("a GET on a POST-only path says how to call it", () =>
    Effect.gen(function* () {
      const open = ["/v1/credits/register", "/buy/api/order"]
      for (const path of [
        ...open,
        ...keyed.filter(([method]) => method === "POST").map(([, path]) => path)
      ]) {
        const reply = yield* ask(path)
        assert.strictEqual(reply.status, 405)
        assert.include(header(reply, "allow"), "POST")
        const { hint } = json(reply) as { hint: { method: string; sample: string } }
        assert.strictEqual(hint.method, "POST")
        assert.isTrue(hint.sample.startsWith(`curl -X POST 'https://plumbline.test${path}'`), hint.sample)
        assert.strictEqual(hint.sample.includes("X-API-Key"), !open.includes(path))
      }
    })
  )

  it.effect("a body that does not decode is told which member is wrong and what it takes", () =>
    Effect.gen(function* () {
      const key = yield* newKey("192.0.2.30")
      const cases: ReadonlyArray<readonly [path: string, body: string, field: string, valid: RegExp]> = [
        ["/v1/credits/register", "null", "body", /^a JSON object with the members email, agent_name$/],
        [
          "/v1/credits/purchase",
          "",
          "body",
          /^a JSON object with the members product_key, max_price_usd, as_known_at, min_as_of, inputs$/
        ],
        ["/v1/credits/register", "{", "body", /^a JSON object/],
        [
          "/v1/credits/register",
          '{"agent_name":5}',
          "agent_name",
          /^a string: a name .* up to 100 characters$/
        ],
        ["/v1/credits/purchase", "{}", "product_key", /^a string: .*\/v1\/credits\/pricing$/],
        ["/v1/credits/topup", '{"amount":20}', "method", /^a string: stripe; usdc or crypto/],
        ["/v1/credits/topup", '{"method":"usdc","from_address":1}', "from_address", /^a string: .*wallet/],
        ["/v1/credits/crypto/challenge", "{}", "wallet", /40 hex digits/],
        ["/v1/credits/crypto/verify", '{"nonce":"x"}', "signature", /130 hex digits/],
        ["/buy/api/order", '{"email":"a@b.example"}', "sku", /dp_agent_499/]
      ]
      for (const [path, body, field, valid] of cases) {
        const problem = problemOf(yield* post(path, body, key))
        assert.deepInclude(problem, { status: 400, field }, body)
        assert.match(String(problem["valid"]), valid)
        assert.strictEqual(problem["message"], `${field} must be ${problem["valid"]}.`)
      }
    })
  )

  it.effect("a member that a body does not have is refused, and one that is null counts as absent", () =>
    Effect.gen(function* () {
      const key = yield* newKey("192.0.2.32")
      const misspelt = problemOf(
        yield* post("/v1/credits/register", { agentname: "x", email: "a@b.example" })
      )
      assert.deepInclude(misspelt, {
        status: 400,
        error: "bad_parameter",
        field: "agentname",
        message: 'Unknown member "agentname". Valid members: email, agent_name.',
        valid_values: ["email", "agent_name"]
      })
      assert.strictEqual(
        problemOf(yield* post("/v1/webhooks", { url: "https://hooks.example/x", kinds: ["values"] }, key))[
          "field"
        ],
        "kinds"
      )
      const nulls = yield* post("/v1/credits/register", { agent_name: "x", email: null })
      assert.strictEqual(nulls.status, 200)
      const topUp = { method: "stripe", amount: 50, from_address: null }
      assert.strictEqual(json(yield* post("/v1/credits/topup", topUp, key))["status"], "menu")
      const missing = problemOf(yield* post("/v1/credits/topup", { method: null }, key))
      assert.strictEqual(missing["field"], "method")
    })
  )

  it.effect("what core refuses is refused alike in an order, and charges nothing", () =>
    Effect.gen(function* () {
      const key = yield* newKey("192.0.2.31")
      const order = { product_key: "derivation_replay" }
      const problem = problemOf(yield* post("/v1/credits/purchase", order, key))
      assert.deepInclude(problem, { status: 404, error: "unknown_symbol", field: "network" })
      const bounds = problemOf(yield* post("/v1/credits/purchase", { ...order, run: 0 }, key))
      assert.deepInclude(bounds, { status: 400, error: "bad_parameter", field: "run", valid: "a text" })
      const balance = json(yield* ask({ path: "/v1/credits/balance", headers: key }))
      assert.strictEqual(balance["credits_balance"], 5)
    })
  )

  it.effect("a rotated key ends at once", () =>
    Effect.gen(function* () {
      const key = yield* newKey("192.0.2.7", { agent_name: "r" })
      const reply = yield* ask({ method: "POST", path: "/v1/credits/keys/rotate", headers: key })
      assert.strictEqual(reply.status, 200)
      const next = { "x-api-key": String(json(reply)["api_key"]) }
      assert.strictEqual((yield* ask({ path: "/v1/credits/balance", headers: key })).status, 401)
      assert.deepInclude(json(yield* ask({ path: "/v1/credits/balance", headers: next })), {
        credits_balance: 5,
        agent_name: "r"
      })
    })
  )

  it.effect("prices are free to read, and name what a purchase takes", () =>
    Effect.gen(function* () {
      const { sections } = json(yield* ask("/v1/credits/pricing")) as {
        sections: Record<string, { status: string }>
      }
      assert.strictEqual(Object.keys(sections).length, 22)
      assert.strictEqual(sections["depin_provenance"]?.status, "available")
      assert.strictEqual(sections["depin_grades"]?.status, "withdrawn")
      assert.strictEqual(sections["depin_history"]?.status, "not_built")
    })
  )

  it.effect("the ways to pay are the same in the price list, in MCP, on pages and in refusals", () =>
    Effect.gen(function* () {
      const prices = json(yield* ask("/v1/credits/pricing")) as unknown as Prices
      assert.deepStrictEqual(
        Object.entries(prices.ways).map(([way, { available }]) => [way, available]),
        [
          ["credits", true],
          ["card", false],
          ["stablecoin", false],
          ["x402", false],
          ["mpp", false]
        ]
      )
      for (const [key, { buyers, price_usd, status, ways }] of Object.entries(prices.sections)) {
        // Nothing adds credits here, and a new key has five.
        const isPaid = status === "available" && price_usd <= 5
        assert.deepStrictEqual(ways, isPaid ? ["credits"] : [], key)
        assert.deepStrictEqual(buyers, isPaid ? ["keyless", "key"] : [], key)
      }
      const { depin_provenance: section } = prices.sections
      assert.notInclude(section?.note ?? "", "x402", "no page is sold here")
      const tool = yield* callTool("list_products")
      assert.deepStrictEqual(JSON.parse(tool.text).ways, prices.ways)
      const products = (yield* ask({ path: "/products", headers: { accept: "text/html" } })).body.toString()
      const product = (yield* ask({
        path: "/products/depin_provenance",
        headers: { accept: "text/html" }
      })).body.toString()
      const account = (yield* ask({ path: "/account", headers: { accept: "text/html" } })).body.toString()
      for (const way of ["card", "stablecoin", "x402"] as const) {
        const { reason = "none" } = prices.ways[way]
        assert.include(product, reason, way)
        if (way !== "x402") assert.include(products, reason, way)
      }
      assert.notMatch(products, /credits, x402|href="#order"/)
      assert.include(account, '"x402":false')
      assert.notInclude(account, '"x402":true')
      const catalog = json(yield* ask("/x402"))
      assert.strictEqual(catalog["available"], prices.ways.x402.available)
      assert.deepStrictEqual(catalog["ways"], prices.ways)
      assert.strictEqual(json(yield* ask("/v1/credits/crypto"))["reason"], prices.ways.stablecoin.reason)
      const order = yield* post("/buy/api/order", { sku: "dp_credits_499", email: "a@b.example" })
      assert.strictEqual(order.status, 503)
    })
  )

  it.effect.each(gated)("%s is opened by the tier alone", (path) =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const rich = yield* newKey("192.0.2.8")
      const { account } = json(yield* ask({ path: "/v1/credits/balance", headers: rich }))
      for (const headers of [{}, rich, { "x-api-key": "plk_unknown" }]) {
        const refused = problemOf(yield* ask({ path, headers }))
        assert.deepInclude(refused, { status: 402, error: "tier_too_low" })
        const { how_to_unlock } = refused as { how_to_unlock: { required_tier: string } }
        assert.strictEqual(how_to_unlock.required_tier, "Design Partner")
      }
      yield* accounts.setTier(String(account), "design_partner")
      // 503 where nothing is measured that the view is made of; 400 where a parameter is missing.
      assert.include([200, 400, 503], (yield* ask({ path, headers: rich })).status)
      yield* accounts.setTier(String(account), "agent")
      assert.strictEqual((yield* ask({ path, headers: rich })).status, 402)
    })
  )

  it.effect("an export asks for parameters, key, tier, in this order", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const headers = yield* newKey("192.0.2.9")
      const { account } = json(yield* ask({ path: "/v1/credits/balance", headers }))
      assert.strictEqual((yield* ask("/v1/export?dataset=nothing")).status, 400)
      const unknown = { "x-api-key": "plk_unknown" }
      assert.strictEqual((yield* ask({ path: "/v1/export?dataset=supply", headers: unknown })).status, 401)
      const wrong = problemOf(yield* ask({ path: "/v1/export?dataset=nothing", headers }))
      assert.strictEqual((wrong["valid_values"] as ReadonlyArray<string>).length, 9)
      assert.strictEqual((yield* ask({ path: "/v1/export?dataset=supply&format=xml", headers })).status, 400)
      assert.strictEqual((yield* ask({ path: "/v1/export", headers })).status, 400)
      assert.strictEqual((yield* ask({ path: "/v1/export?dataset=supply", headers })).status, 402)
      yield* accounts.setTier(String(account), "design_partner")
      assert.strictEqual((yield* ask({ path: "/v1/export?dataset=supply", headers })).status, 402)
      yield* accounts.setTier(String(account), "pro")
      const whole = yield* ask({ path: "/v1/export?dataset=networks", headers })
      assert.strictEqual(whole.status, 200)
      assert.strictEqual(whole.headers["x-service-export-source"], "/v1/networks")
      const lines = whole.body.toString().split("\r\n")
      assert.strictEqual(String(lines.length - 2), whole.headers["x-service-export-rows"])
      assert.match(lines[0] ?? "", /^symbol,name,category,/)
      const listed = json(yield* ask({ path: "/v1/networks", headers })) as {
        networks: ReadonlyArray<object>
      }
      assert.strictEqual(listed.networks.length, lines.length - 2)
      const status = (query: string) =>
        Effect.map(ask({ path: `/v1/export?${query}`, headers }), (reply) => reply.status)
      assert.strictEqual(yield* status("dataset=grades"), 503)
      assert.strictEqual(yield* status("dataset=digest"), 422)
      assert.strictEqual(yield* status("dataset=digest&format=ndjson"), 200)
      assert.strictEqual(yield* status("dataset=history&symbol=NOPE"), 404)
      for (const dataset of [
        "supply",
        "changes",
        "correlations",
        "lead-lag",
        "indicators",
        "history",
        "history&symbol=FIL"
      ]) {
        assert.strictEqual(yield* status(`dataset=${dataset}`), 200, dataset)
      }
    })
  )

  it.effect("an unknown key on a keyless read is served as none, and access says so", () =>
    Effect.gen(function* () {
      const headers = yield* newKey("192.0.2.10")
      const { account } = json(yield* ask({ path: "/v1/credits/balance", headers }))
      const accessOf = (call: Call | string) =>
        Effect.map(ask(call), (reply) => json(reply)["access"] as { breadth: string; note: string })
      assert.include(
        (yield* accessOf({ path: "/v1/supply", headers: { "x-api-key": "plk_x" } })).note,
        "unknown"
      )
      assert.strictEqual((yield* accessOf({ path: "/v1/supply", headers })).breadth, "sample")
      yield* (yield* Accounts).setTier(String(account), "design_partner")
      for (const path of ["/v1/supply", "/v1/networks"]) {
        assert.strictEqual((yield* accessOf({ path, headers })).breadth, "all")
        // The wider answer is not kept for the next caller, who has no key.
        assert.strictEqual((yield* accessOf(path)).breadth, "sample")
      }
    })
  )
})

/** The transport of /mcp, in every revision, and what it refuses. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { productKeys, productOf } from "../../core/products/index.ts"
import { protocolVersions } from "../../mcp/protocol.ts"
import { listOf } from "../../mcp/server.ts"
import { largestBatch } from "../../mcp/transport.ts"
import { mostUnasked } from "../../mcp/truncate.ts"
import { inPages, messageOf, post, rpc } from "../support/mcp.ts"
import { authority, registryKey, Service } from "../support/service.ts"
import { header, json, messageFault, statementFault } from "../support/signed.ts"

const handshake = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

const modern = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
    }
  }
})

const modernHeaders = (method: string, name?: string) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name })
})

layer(Service.layer())("/mcp", (it) => {
  it.effect.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("speaks %s", (version) =>
    Effect.gen(function* () {
      const { keys } = yield* Service
      const reply = yield* post(handshake(version))
      assert.strictEqual(reply.status, 200)
      assert.match(header(reply, "content-type"), /^application\/json/)
      assert.strictEqual(messageOf(reply).result?.["protocolVersion"], version)
      assert.isUndefined(statementFault(reply, keys.current))
      assert.isUndefined(messageFault(reply, keys, authority))
      assert.strictEqual(header(reply, "cache-control"), "no-store")

      const accepted = yield* post({ jsonrpc: "2.0", method: "notifications/initialized" })
      assert.strictEqual(accepted.status, 202)
      assert.strictEqual(accepted.body.length, 0)
      const list = yield* rpc("tools/list", {}, { headers: { "mcp-protocol-version": version } })
      assert.deepStrictEqual(list.result?.["tools"], JSON.parse(JSON.stringify(listOf("full").tools)))
    })
  )

  it.effect("answers a revision that it does not know with the newest it has a handshake for", () =>
    Effect.gen(function* () {
      const { result } = messageOf(yield* post(handshake("1999-01-01")))
      assert.strictEqual(result?.["protocolVersion"], "2025-11-25")
      const named = yield* post(
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { headers: { "mcp-protocol-version": "1999-01-01" } }
      )
      assert.strictEqual(named.status, 400)
      assert.isDefined(messageOf(named).error)
    })
  )

  it.effect("speaks 2026-07-28 without a handshake", () =>
    Effect.gen(function* () {
      const { keys } = yield* Service
      const discovery = yield* post(modern("server/discover"), { headers: modernHeaders("server/discover") })
      assert.strictEqual(discovery.status, 200, discovery.body.toString())
      assert.include(JSON.stringify(messageOf(discovery).result), "2026-07-28")
      assert.isUndefined(statementFault(discovery, keys.current))
      // Lists are the same for everyone, answers of a tool are the caller's own.
      assert.deepInclude(messageOf(discovery).result, { ttlMs: 3_600_000, cacheScope: "public" })
      const list = yield* post(modern("tools/list"), { headers: modernHeaders("tools/list") })
      assert.deepInclude(messageOf(list).result, { ttlMs: 3_600_000, cacheScope: "public" })
      const uri = "plumbline://network/FIL"
      const read = yield* post(modern("resources/read", { uri }), {
        headers: modernHeaders("resources/read", uri)
      })
      assert.deepInclude(messageOf(read).result, { ttlMs: 0, cacheScope: "private" })
      const called = yield* post(modern("tools/call", { name: "get_stats", arguments: {} }), {
        headers: modernHeaders("tools/call", "get_stats")
      })
      assert.strictEqual(called.status, 200, called.body.toString())
      assert.isDefined(messageOf(called).result?.["structuredContent"])
      const unnamed = yield* post(modern("tools/call", { name: "get_stats", arguments: {} }), {
        headers: modernHeaders("tools/call")
      })
      assert.strictEqual(messageOf(unnamed).error?.code, -32020)
      const listening = yield* post(modern("subscriptions/listen", { notifications: {} }), {
        headers: modernHeaders("subscriptions/listen")
      })
      assert.strictEqual(messageOf(listening).error?.code, -32601)
      const unknown = modern("server/discover")
      const other = yield* post(JSON.stringify(unknown).replace("2026-07-28", "2031-01-01"), {
        headers: { ...modernHeaders("server/discover"), "mcp-protocol-version": "2031-01-01" }
      })
      assert.strictEqual(messageOf(other).error?.code, -32022)
    })
  )

  it.effect("takes a client that accepts JSON alone, a stream alone, or says nothing", () =>
    Effect.gen(function* () {
      for (const accept of ["application/json", "text/event-stream", "*/*", "text/html;q=0.1", undefined]) {
        const headers: Record<string, string> = accept === undefined ? {} : { accept }
        const reply = yield* post({ jsonrpc: "2.0", id: 1, method: "ping" }, { headers })
        assert.deepStrictEqual(messageOf(reply).result, {})
        assert.match(header(reply, "content-type"), /^application\/json/)
      }
    })
  )

  it.effect("takes JSON with a charset, and no other content", () =>
    Effect.gen(function* () {
      const status = (type: string) =>
        Effect.map(
          post({ jsonrpc: "2.0", id: 1, method: "ping" }, { headers: { "content-type": type } }),
          (reply) => reply.status
        )
      assert.strictEqual(yield* status("application/json; charset=utf-8"), 200)
      assert.strictEqual(yield* status("Application/JSON"), 200)
      for (const type of ["text/plain", "application/jsonp", "application/x-www-form-urlencoded", ""]) {
        assert.strictEqual(yield* status(type), 415, type)
      }
    })
  )

  it.effect("has no other method, and says which it has", () =>
    Effect.gen(function* () {
      const { call, keys } = yield* Service
      for (const path of ["/mcp", "/mcp/public"]) {
        for (const method of ["GET", "HEAD", "DELETE", "PUT", "PATCH"]) {
          const reply = yield* call({ method, path, headers: { accept: "text/event-stream" } })
          assert.strictEqual(reply.status, 405, method)
          assert.strictEqual(header(reply, "allow"), "OPTIONS, POST")
        }
        const { hint } = json(yield* call(path)) as {
          hint: { body: { required: ReadonlyArray<string> }; sample: string }
        }
        assert.deepStrictEqual(hint.body.required, ["jsonrpc", "id", "method"])
        const body = /-d '(.*)'$/.exec(hint.sample)?.[1] ?? ""
        const headers = { "content-type": "application/json" }
        const answer = json(yield* call({ method: "POST", path, headers, body }))
        assert.property(answer["result"], "tools")
        const preflight = yield* call({
          method: "OPTIONS",
          path,
          headers: { origin: "https://app.test", "access-control-request-method": "POST" }
        })
        assert.strictEqual(preflight.status, 204)
        assert.strictEqual(header(preflight, "access-control-allow-methods"), "OPTIONS, POST")
        for (const name of [
          "MCP-Protocol-Version",
          "Mcp-Method",
          "Mcp-Name",
          "X-API-Key",
          "Content-Type",
          "Range"
        ]) {
          assert.include(header(preflight, "access-control-allow-headers"), name)
        }
        // A page from elsewhere hears before its POST what the POST would say.
        const elsewhere = { origin: "https://elsewhere.test", "access-control-request-method": "POST" }
        const preflighted = yield* call({ method: "OPTIONS", path, headers: elsewhere })
        const posted = yield* post(
          { jsonrpc: "2.0", id: 1, method: "ping" },
          { path, headers: { origin: elsewhere.origin } }
        )
        assert.strictEqual(posted.status, path === "/mcp" ? 403 : 200)
        assert.strictEqual(preflighted.status, path === "/mcp" ? 403 : 204)
        if (path === "/mcp") assert.include(preflighted.body.toString("utf8"), "/mcp/public")
        const reply = yield* post({ jsonrpc: "2.0", id: 1, method: "ping" }, { path })
        assert.isUndefined(statementFault(reply, keys.current))
      }
    })
  )

  it.effect("keeps no session, and answers what needs no answer with 202", () =>
    Effect.gen(function* () {
      const { keys } = yield* Service
      const opened = yield* post(handshake("2025-11-25"), { headers: { "mcp-session-id": "mine" } })
      assert.isUndefined(opened.headers["mcp-session-id"])
      const unknown = yield* rpc("ping", {}, { headers: { "mcp-session-id": "of-nobody" } })
      assert.deepStrictEqual(unknown.result, {})
      for (const message of [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "late" } },
        { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
        { jsonrpc: "2.0", method: "notifications/no_such" },
        { jsonrpc: "2.0", id: 7, result: {} },
        { jsonrpc: "2.0", id: 7, error: { code: -1, message: "no" } },
        [{ jsonrpc: "2.0", method: "notifications/initialized" }]
      ]) {
        const reply = yield* post(message)
        assert.deepStrictEqual([reply.status, reply.body.length], [202, 0], JSON.stringify(message))
        assert.isUndefined(statementFault(reply, keys.current))
      }
      for (const method of ["logging/setLevel", "resources/subscribe", "sampling/createMessage"]) {
        assert.strictEqual((yield* rpc(method, { level: "info", uri: "x" })).error?.code, -32601, method)
      }
    })
  )

  it.effect("names the revisions that it speaks to a client of another", () =>
    Effect.gen(function* () {
      for (const version of ["2024-10-07", "2025-12-31", "2025-11-25, 2025-11-25"]) {
        const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
        const reply = yield* post(ping, { headers: { "mcp-protocol-version": version } })
        assert.strictEqual(reply.status, 400, version)
        for (const spoken of protocolVersions) assert.include(messageOf(reply).error?.message, spoken)
      }
      const { result } = messageOf(yield* post(handshake("2024-10-07")))
      assert.strictEqual(result?.["protocolVersion"], "2025-11-25")
    })
  )

  it.effect("refuses what is no message", () =>
    Effect.gen(function* () {
      const code = Effect.fnUntraced(function* (body: unknown, headers: Record<string, string> = {}) {
        const reply = yield* post(body, { headers })
        return [reply.status, messageOf(reply).error?.code] as const
      })
      assert.deepStrictEqual(yield* code("{"), [400, -32700])
      assert.deepStrictEqual(yield* code("[]"), [400, -32600])
      assert.deepStrictEqual(yield* code("["), [400, -32700])
      assert.deepStrictEqual(yield* code(`${"[".repeat(10_000)}${"]".repeat(10_000)}`), [400, -32600])
      assert.deepStrictEqual(yield* code(`"${"x".repeat(70_000)}"`), [413, -32000])
      assert.deepStrictEqual(yield* code("{}", { "content-type": "text/plain" }), [415, -32000])
      assert.strictEqual((yield* rpc("no/such")).error?.code, -32601)
      assert.strictEqual((yield* rpc("tools/call", { name: "drop_tables" })).error?.code, -32602)
      assert.strictEqual((yield* rpc("tools/call", {})).error?.code, -32602)
      assert.strictEqual((yield* rpc("tools/list", { cursor: "x" })).error?.code, -32602)
      assert.isDefined((yield* rpc("resources/read", { uri: "file:///etc/passwd" })).error)
      assert.strictEqual((yield* rpc("prompts/get", { name: "x" })).error?.code, -32602)
    })
  )

  it.effect("names the parameter that the SDK refuses, and shows nothing of its schemas", () =>
    Effect.gen(function* () {
      for (const [method, params, name] of [
        ["prompts/get", {}, "name"],
        ["resources/read", { uri: 1 }, "uri"],
        ["tools/list", { cursor: 1 }, "cursor"],
        ["completion/complete", { ref: { type: "ref/prompt", name: "x" } }, "argument"]
      ] as const) {
        const { error } = yield* rpc(method, params)
        assert.strictEqual(error?.code, -32602, method)
        assert.match(String(error?.message), new RegExp(`^params\\.${name}: [^{}]+$`))
      }
    })
  )

  it.effect("takes batches of 2025-03-26 alone, and not long ones", () =>
    Effect.gen(function* () {
      const batch = (n: number) =>
        Array.from({ length: n }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))
      const reply = yield* post(batch(3), { headers: { "mcp-protocol-version": "2025-03-26" } })
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(JSON.parse(reply.body.toString()).length, 3)
      assert.strictEqual((yield* post(batch(2))).status, 200)
      assert.deepStrictEqual(JSON.parse((yield* post(batch(1))).body.toString()), [
        { jsonrpc: "2.0", id: 0, result: {} }
      ])
      assert.strictEqual((yield* post(batch(largestBatch))).status, 200)
      assert.strictEqual((yield* post(batch(largestBatch + 1))).status, 400)
      assert.strictEqual((yield* post([...batch(1), ...batch(1)])).status, 400)
      assert.strictEqual((yield* post([...batch(1), { id: 9 }])).status, 400)
      assert.strictEqual((yield* post([...batch(1), handshake("2025-03-26")])).status, 400)
      for (const version of ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"]) {
        const refused = yield* post(batch(2), { headers: { "mcp-protocol-version": version } })
        assert.strictEqual(refused.status, 400, version)
      }
    })
  )

  it.effect("is closed to pages and names that are not its own", () =>
    Effect.gen(function* () {
      const status = (headers: Record<string, string>, path = "/mcp") =>
        Effect.map(
          post({ jsonrpc: "2.0", id: 1, method: "ping" }, { headers, path }),
          (reply) => reply.status
        )
      assert.strictEqual(yield* status({ origin: "https://plumbline.test" }), 200)
      assert.strictEqual(yield* status({ origin: "https://app.test" }), 200)
      const local = "http://localhost:6274"
      assert.strictEqual(yield* status({ origin: local }), 200)
      assert.strictEqual(yield* status({ origin: local, host: "plumbline.test" }), 403)
      assert.strictEqual(yield* status({ origin: "http://localhost.evil.test" }), 403)
      for (const origin of [
        "https://evil.test",
        "https://app.test.evil.test",
        "http://app.test",
        "https://app.test:8443",
        "https://app.test/",
        "https://user@app.test",
        "null",
        "app.test"
      ]) {
        assert.strictEqual(yield* status({ origin }), 403, origin)
      }
      assert.strictEqual(yield* status({ host: "localhost:1234" }), 200)
      assert.strictEqual(yield* status({ host: "plumbline.test" }), 200)
      for (const host of [
        "evil.test",
        "plumbline.test.evil.test",
        "localhost.evil.test",
        "127.0.0.1.evil.test"
      ]) {
        assert.strictEqual(yield* status({ host }), 403, host)
        assert.strictEqual(yield* status({ host }, "/mcp/public"), 403, host)
      }
      assert.strictEqual(yield* status({ origin: "https://evil.test" }, "/mcp/public"), 200)
    })
  )

  it.effect("keeps ids as they are, and concurrent calls apart", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? n : `id-${n}`))
      const replies = yield* Effect.forEach(
        ids,
        (id) =>
          post({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "get_stats", arguments: {} } }),
        { concurrency: 10 }
      )
      assert.deepStrictEqual(
        replies.map((reply) => JSON.parse(reply.body.toString()).id),
        ids
      )
    })
  )

  it.effect("proves its domain to the registry by the key that the operator names", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const proof = yield* call("/.well-known/mcp-registry-auth")
      assert.strictEqual(proof.status, 200)
      assert.strictEqual(proof.body.toString("utf8"), `v=MCPv1; k=ed25519; p=${registryKey}\n`)
    })
  )

  it.effect("is described by what it lists", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const card = json(yield* call("/.well-known/mcp.json")) as {
        version: string
        protocolVersions: ReadonlyArray<string>
        endpoints: Record<string, { url: string; tools: ReadonlyArray<{ name: string }> }>
      }
      assert.strictEqual(card.version, json(yield* call("/health"))["version"])
      assert.deepStrictEqual(card, json(yield* call("/.well-known/mcp/server-card.json")))
      for (const [edition, path] of [
        ["full", "/mcp"],
        ["public", "/mcp/public"]
      ] as const) {
        const { result } = yield* rpc("tools/list", {}, { path })
        const tools = result?.["tools"] as ReadonlyArray<{ name: string }>
        assert.strictEqual(card.endpoints[edition]?.url, `https://plumbline.test${path}`)
        assert.deepStrictEqual(
          card.endpoints[edition]?.tools.map(({ name }) => name),
          tools.map(({ name }) => name)
        )
      }
    })
  )

  it.effect("answers with what a model reads where nobody said how much", () =>
    Effect.gen(function* () {
      const symbol = "FIL"
      const calls = [
        ...["find_networks", "get_data_dictionary", "get_derivation_ledger", "list_datasets"],
        ...["get_stats", "list_products"]
      ].map((name) => [name, {}] as const)
      const datasets = ["networks", "supply", "market", "revenue", "provenance", "world", "attestations"]
      for (const [name, args] of [
        ...calls,
        ["find_networks", { query: "decentralized storage" }] as const,
        ["get_network", { symbol }] as const,
        ["get_metric_history", { symbol }] as const,
        ["query", { metrics: "price_usd" }] as const,
        ...datasets.map((dataset) => ["fetch_dataset", { dataset }] as const)
      ]) {
        const { result } = yield* rpc("tools/call", { name, arguments: args })
        const [{ text } = { text: "" }] = (result?.["content"] ?? []) as ReadonlyArray<{ text: string }>
        assert.isAtMost(text.length, mostUnasked + 1000, `${name} ${JSON.stringify(args)}`)
      }
    })
  )

  it.effect("has one tool that searches", () =>
    Effect.gen(function* () {
      const { result } = yield* rpc("tools/list")
      const tools = result?.["tools"] as ReadonlyArray<{ name: string; inputSchema: { properties: object } }>
      const searching = tools.filter(({ inputSchema }) => "query" in inputSchema.properties)
      assert.deepStrictEqual(
        searching.map(({ name }) => name),
        ["find_networks"]
      )
    })
  )

  it.effect("lists the values of what has few", () =>
    Effect.gen(function* () {
      const { result } = yield* rpc("tools/list")
      const tools = result?.["tools"] as ReadonlyArray<{
        readonly name: string
        readonly inputSchema: {
          readonly properties: Record<string, { readonly enum?: ReadonlyArray<string> }>
        }
      }>
      const valuesOf = (tool: string, argument: string) =>
        tools.find(({ name }) => name === tool)?.inputSchema.properties[argument]?.enum ?? []
      assert.deepStrictEqual(
        valuesOf("purchase_data", "product_key"),
        productKeys.filter((key) => productOf(key).withdrawn === undefined)
      )
      assert.deepStrictEqual(valuesOf("topup_credits", "method"), ["stripe", "usdc", "crypto"])
      assert.include(valuesOf("find_networks", "category"), "storage")
      assert.include(valuesOf("fetch_dataset", "dataset"), "supply")
      assert.include(valuesOf("manage_alerts", "action"), "create")
    })
  )

  it.effect("keeps its list small", () =>
    Effect.gen(function* () {
      const reply = yield* post({ jsonrpc: "2.0", id: 1, method: "tools/list" })
      assert.isBelow(reply.body.length, 24 * 1024)
      const { result } = messageOf(reply)
      for (const tool of (result?.["tools"] ?? []) as ReadonlyArray<Record<string, unknown>>) {
        assert.strictEqual(tool["outputSchema"] === undefined, inPages.includes(String(tool["name"])))
        assert.strictEqual(Object.keys(tool["annotations"] as object).length, 4)
        assert.isAbove(String(tool["description"]).length, 30)
      }
    })
  )
})

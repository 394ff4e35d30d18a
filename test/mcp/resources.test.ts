/** Texts by address, prompts, and what a client may offer while a person types. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { allPages, callTool, post, publish, rpc } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const handshakes = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

layer(Service.layer())("resources and prompts", (it) => {
  const read = Effect.fnUntraced(function* (uri: string) {
    const { error, result } = yield* rpc("resources/read", { uri })
    const [first] = (result?.["contents"] ?? []) as ReadonlyArray<{ text: string; mimeType: string }>
    return { error, text: first?.text ?? "", mimeType: first?.mimeType }
  })

  const complete = Effect.fnUntraced(function* (ref: object, name: string, value: string, symbol?: string) {
    const context = symbol === undefined ? {} : { context: { arguments: { symbol } } }
    const { error, result } = yield* rpc("completion/complete", {
      ref,
      argument: { name, value },
      ...context
    })
    const completion = result?.["completion"] as {
      values: ReadonlyArray<string>
      total: number
      hasMore: boolean
    }
    return { ...completion, code: error?.code }
  })

  const start = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    return yield* Service
  })

  it.effect("say that there is no brief, then give the newest", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const none = yield* read("plumbline://brief/latest")
      assert.strictEqual(none.error?.code, -32002)
      assert.include(none.error?.message, "Monday")
      assert.strictEqual((yield* callTool("fetch_dataset", { dataset: "brief" })).data.error, "not_found")
      yield* TestClock.setTime(Date.UTC(2026, 8, 7, 9))
      yield* (yield* DailyClose).run
      yield* (yield* Brief).run
      const { mimeType, text } = yield* read("plumbline://brief/latest")
      assert.strictEqual(mimeType, "text/markdown")
      const asText = yield* call({ path: "/v1/brief", headers: { accept: "text/markdown" } })
      assert.strictEqual(text, asText.body.toString())
      assert.include(text, "2026-09-07")
      const { document, pages } = yield* allPages({ dataset: "brief", limit: 5 })
      assert.isAbove(pages, 1)
      assert.deepStrictEqual(document, json(yield* call("/v1/brief")))
    })
  )

  it.effect("are listed, and each can be read", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const { result } = yield* rpc("resources/list")
      const listed = (result?.["resources"] ?? []) as ReadonlyArray<{ uri: string; mimeType: string }>
      assert.deepStrictEqual(
        listed.map(({ uri }) => uri),
        ["data-dictionary", "signing-key", "formats", "brief/latest"].map((name) => `plumbline://${name}`)
      )
      for (const { mimeType, uri } of listed.slice(0, 3)) {
        const resource = yield* read(uri)
        assert.isAbove(resource.text.length, 100, uri)
        assert.strictEqual(resource.mimeType, mimeType)
      }
      const templates = yield* rpc("resources/templates/list")
      const [network] = (templates.result?.["resourceTemplates"] ?? []) as ReadonlyArray<{
        uriTemplate: string
      }>
      const uri = network?.uriTemplate.replace("{symbol}", "FIL") ?? ""
      assert.deepStrictEqual(JSON.parse((yield* read(uri)).text).rows, json(yield* call("/v1/network/FIL")))
      const dictionary = JSON.parse((yield* read("plumbline://data-dictionary")).text)
      assert.deepStrictEqual(dictionary.metrics, json(yield* call("/v1/data-dictionary"))["metrics"])
      assert.deepStrictEqual(
        JSON.parse((yield* read("plumbline://signing-key")).text),
        json(yield* call("/.well-known/service-signing-key.json"))
      )
      assert.include((yield* read("plumbline://formats")).text, "service-v1|")
    })
  )

  it.effect("refuse an address that is none with the code of the revision", () =>
    Effect.gen(function* () {
      yield* start
      const addresses = [
        "plumbline://nope",
        "plumbline://network/nope",
        "plumbline://network/FIL/",
        "plumbline://network/__proto__",
        "plumbline://network/..%2fFIL",
        "plumbline://network/",
        "plumbline://network/{symbol}",
        "PLUMBLINE://network/FIL",
        "file:///etc/passwd",
        "http://169.254.169.254/",
        "",
        "x".repeat(9000)
      ]
      for (const uri of addresses) {
        for (const version of handshakes) {
          const { error } = yield* rpc(
            "resources/read",
            { uri },
            { headers: { "mcp-protocol-version": version } }
          )
          assert.strictEqual(error?.code, -32002, uri)
        }
        const body = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri, _meta } }
        const name = uri.length > 200 || uri === "" ? undefined : uri
        if (name === undefined) continue
        const reply = yield* post(body, {
          headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "resources/read", "mcp-name": name }
        })
        assert.strictEqual(JSON.parse(reply.body.toString()).error?.code, -32602, uri)
      }
      const key = `plk_${"a".repeat(40)}`
      assert.notInclude(JSON.stringify((yield* read(`plumbline://network/${key}`)).error), key)
    })
  )

  it.effect("are completed: symbols, metrics of a network, products", () =>
    Effect.gen(function* () {
      yield* start
      const template = { type: "ref/resource", uri: "plumbline://network/{symbol}" }
      const verify = { type: "ref/prompt", name: "verify_a_value" }
      const buy = { type: "ref/prompt", name: "buy_data" }
      const symbols = yield* complete(template, "symbol", "fi")
      assert.include(symbols.values, "FIL")
      assert.isTrue(symbols.values.every((value) => value.toLowerCase().startsWith("fi")))
      const all = yield* complete(template, "symbol", "")
      assert.deepInclude({ ...all, values: all.values.length }, { values: 100, hasMore: true })
      assert.isAbove(all.total, 400)
      assert.deepStrictEqual((yield* complete(verify, "metric", "active", "FIL")).values, [
        "active_storage_providers"
      ])
      assert.deepStrictEqual((yield* complete(verify, "metric", "", "AKT")).values, [])
      assert.deepStrictEqual((yield* complete(verify, "date", "")).values.slice(-2), [
        "2026-09-03",
        "2026-09-02"
      ])
      assert.deepStrictEqual((yield* complete(verify, "date", "2026-09-02")).values, ["2026-09-02"])
      assert.deepStrictEqual((yield* complete(verify, "value", "")).values, [])
      assert.include((yield* complete(buy, "product_key", "depin_")).values, "depin_networks")
      for (const [ref, name] of [
        [{ type: "ref/prompt", name: "nope" }, "symbol"],
        [{ type: "ref/resource", uri: "plumbline://nope/{symbol}" }, "symbol"],
        [verify, "product_key"],
        [template, "__proto__"]
      ] as const) {
        assert.strictEqual((yield* complete(ref, name, "")).code, -32602)
      }
    })
  )

  it.effect("hold prompts that name the tools to call", () =>
    Effect.gen(function* () {
      yield* start
      const text = Effect.fnUntraced(function* (name: string, args: object = {}) {
        return JSON.stringify((yield* rpc("prompts/get", { name, arguments: args })).result)
      })
      const fil = { symbol: "FIL", metric: "active_storage_providers" }
      assert.include(yield* text("verify_a_value", { ...fil, date: "20260903" }), "for 20260903")
      assert.include(yield* text("verify_a_value", fil), "verify_value")
      assert.notInclude(yield* text("verify_a_value", { ...fil, date: "\u202e1" }), "\u202e")
      assert.include(yield* text("buy_data"), "idempotency_key")
      const missing = yield* rpc("prompts/get", { name: "verify_a_value" })
      assert.strictEqual(missing.error?.code, -32602)
      assert.include(missing.error?.message, "symbol")
    })
  )
})

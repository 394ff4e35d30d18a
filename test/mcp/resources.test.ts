/** Texts by address, prompts, and what a client may offer while a person types. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sha256 } from "../../core/credits/Secret.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { products } from "../../core/products/builds.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { addressOf, uriOf } from "../../mcp/links.ts"
import { allPages, callTool, post, publish, rpc } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const handshakes = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

interface Link {
  readonly type: string
  readonly text?: string
  readonly uri?: string
  readonly mimeType?: string
  readonly size?: number
}

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

layer(Service.layer({ products }))("resources and prompts", (it) => {
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
      assert.deepStrictEqual(
        ((templates.result?.["resourceTemplates"] ?? []) as ReadonlyArray<object>).length,
        3
      )
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

  it.effect("are linked from answers that are shorter than they are, with their size", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const linksOf = Effect.fnUntraced(function* (name: string, args: object) {
        const { result } = yield* rpc("tools/call", { name, arguments: args })
        const content = (result?.["content"] ?? []) as ReadonlyArray<Link>
        assert.strictEqual(content[0]?.type, "text")
        return content.slice(1)
      })
      const metric = "active_storage_providers"
      const fil = { symbol: "FIL", metric }
      assert.deepStrictEqual(yield* linksOf("get_network", { symbol: "FIL" }), [], "nothing is left out")
      const [file, ...others] = yield* linksOf("verify_value", { ...fil, date: "20260903" })
      assert.deepInclude(file, { type: "resource_link", mimeType: "application/json" })
      assert.deepStrictEqual(others, [], "there is no file of the day yet")
      const uri = file?.uri ?? ""
      assert.strictEqual(uri, `plumbline://bundle/FIL/${metric}/2026-09-03?source=made-up`)
      const proof = yield* read(uri)
      assert.strictEqual(Buffer.byteLength(proof.text), file?.size)
      const path = `/v1/attest?symbol=FIL&metric=${metric}&date=20260903&format=bundle`
      assert.deepStrictEqual(JSON.parse(proof.text), json(yield* call(path)))
      // What no day has says so.
      const none = yield* read(`plumbline://bundle/FIL/${metric}/2026-09-01`)
      assert.strictEqual(none.error?.code, -32002)
      assert.isAbove(none.error?.message.length ?? 0, 20)

      const days = yield* read(`plumbline://history/FIL/${metric}?days=7`)
      assert.strictEqual(days.mimeType, "text/csv")
      const csv = yield* call(`/v1/history?network=FIL&metric=${metric}&days=7&format=csv`)
      assert.strictEqual(days.text, csv.body.toString("utf8"))
    })
  )

  it.effect("give a purchase to the key that bought it, and to nobody else", () =>
    Effect.gen(function* () {
      yield* start
      const register = Effect.map(callTool("register_agent", {}), ({ data }) => String(data.api_key))
      const [buyer, other] = [yield* register, yield* register]
      const order = { product_key: "depin_networks", page_size: 2000, api_key: buyer }
      const { result } = yield* rpc("tools/call", { name: "purchase_data", arguments: order })
      const [page, link] = (result?.["content"] ?? []) as ReadonlyArray<Link>
      const { n_pages, payload_sha256, purchase_id } = JSON.parse(page?.text ?? "")
      assert.isAbove(n_pages, 1)
      const uri = link?.uri ?? ""
      assert.strictEqual(uri, `plumbline://purchase/${purchase_id}`)
      const readBy = (key: string | undefined, path = "/mcp") =>
        rpc("resources/read", { uri }, { path, headers: key === undefined ? {} : { "x-api-key": key } })
      const reply = yield* readBy(buyer)
      const [content] = (reply.result?.["contents"] ?? []) as ReadonlyArray<Link>
      assert.strictEqual(Buffer.byteLength(content?.text ?? ""), link?.size)
      assert.strictEqual(sha256(content?.text ?? ""), payload_sha256)
      for (const reply of [
        yield* readBy(other),
        yield* readBy(undefined),
        yield* readBy(buyer, "/mcp/public")
      ]) {
        assert.strictEqual(reply.error?.code, -32002)
        assert.isUndefined(reply.result)
      }
    })
  )

  it("say a name in a URI as it is", () => {
    for (const names of [
      ["$NODE", "a b"],
      ["GPU.GPUNET", "x/y?z#"],
      ["ü", "100%"]
    ]) {
      assert.deepStrictEqual(addressOf(uriOf("history", names, { days: 7, source: "a&b=c" })), {
        kind: "history",
        names,
        selection: { days: "7", source: "a&b=c" }
      })
    }
    assert.strictEqual(uriOf("network", ["FIL"], { days: undefined }), "plumbline://network/FIL")
    for (const none of [
      "plumbline://",
      "plumbline://network/%",
      "plumbline://network/FIL/",
      "plumbline:network"
    ])
      assert.isUndefined(addressOf(none), none)
  })

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

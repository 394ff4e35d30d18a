/** The form of texts that come in: what Postgres cannot store, and what is a mail address, is refused at every door. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isMailAddress, jsonHasNul } from "../../core/wire/text.ts"
import { callTool } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

describe("a mail address", () => {
  it.each([
    "name@example.org",
    "first.last+tag@sub.example.org",
    "o'neill@example.co",
    "x@xn--bcher-kva.example"
  ])("may be %s", (address) => assert.isTrue(isMailAddress(address)))

  it.each([
    "a@127.0.0.1",
    "a@ex..org",
    "a@-x.org",
    "a@x-.org",
    "a@example",
    "a@example.1",
    "a@[127.0.0.1]",
    ".a@example.org",
    "a..b@example.org",
    "a b@example.org",
    "a\u0000b@example.org",
    "a\u0001@example.org",
    "a\u202e@example.org",
    "a@exam\u202eple.org",
    "a\u200b@example.org",
    "a@b@example.org",
    "a@example.org\r\nBcc: b@example.org",
    `${"a".repeat(65)}@example.org`,
    `a@${"x".repeat(64)}.org`,
    `a@${"x.".repeat(130)}org`,
    ""
  ])("is not %j", (address) => assert.isFalse(isMailAddress(address)))
})

describe("a NUL in JSON", () => {
  it.each([
    [String.raw`"a\u0000"`, true],
    [String.raw`{"a":{"b":["\u0000"]}}`, true],
    [String.raw`{"\u0000":1}`, true],
    // An escaped backslash before it: six characters that anybody may write.
    [String.raw`"\\u0000"`, false],
    [String.raw`"\u0001"`, false],
    [String.raw`{"\u0000":`, false],
    ["", false]
  ])("is in %s: %s", (text, has) => assert.strictEqual(jsonHasNul(text), has))
})

layer(Service.layer({ smtp: "smtp://127.0.0.1:1" }))("a service", (it) => {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    ask({ method: "POST", path, headers: { "content-type": "application/json", ...headers }, body })

  const owner = Effect.gen(function* () {
    const { api_key } = json(yield* post("/v1/credits/register", "{}")) as { readonly api_key: string }
    return { "x-api-key": api_key }
  })

  it.effect("refuses a NUL in every body, whoever reads it", () =>
    Effect.gen(function* () {
      const headers = yield* owner
      for (const [path, body] of [
        ["/v1/credits/register", String.raw`{"agent_name":"a\u0000b"}`],
        [
          "/v1/alerts",
          String.raw`{"symbol":"FIL","metric":"active_storage_providers","condition":{"kind":"absent"},"channel":{"kind":"email","address":"a\u0000b@example.org"}}`
        ],
        ["/v1/credits/purchase", String.raw`{"product_key":"depin_networks","symbol":"\u0000"}`],
        ["/webhooks/stripe", String.raw`{"id":"evt_\u0000","type":"charge.refunded"}`],
        ["/v1/query", String.raw`{"symbol":"\u0000"}`]
      ] as const) {
        const reply = yield* post(path, body, headers)
        assert.strictEqual(reply.status, 400, `${path} ${reply.body}`)
        assert.include(json(reply)["message"], "NUL", path)
      }
      const result = yield* callTool("find_networks", { query: "a\u0000b" })
      assert.isTrue(result.isError)
      assert.include(JSON.stringify(result.data), "NUL")
    })
  )

  it.effect("mails to no machine, and to nobody whom a reader would take for another", () =>
    Effect.gen(function* () {
      const headers = yield* owner
      for (const address of [
        "a@127.0.0.1",
        "a@ex..org",
        "a@-x.org",
        "a\u0001@example.org",
        "a\u202e@example.org"
      ]) {
        const body = {
          symbol: "FIL",
          metric: "active_storage_providers",
          condition: { kind: "absent" },
          channel: { kind: "email", address }
        }
        const reply = yield* post("/v1/alerts", JSON.stringify(body), headers)
        assert.strictEqual(reply.status, 400, JSON.stringify(address))
        const account = yield* post("/v1/credits/register", JSON.stringify({ email: address }))
        assert.strictEqual(account.status, 400, JSON.stringify(address))
      }
    })
  )
})

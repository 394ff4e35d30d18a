/** Keys reach the upstream and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { Auth } from "../../core/plugin/Manifest.ts"
import { missingKeys } from "../../runtime/upstream/keys.ts"
import * as Recording from "../../runtime/upstream/recording.ts"
import { get, manifest, pair, standIn } from "./stand-in.ts"

const secret = 'k-3f9"a/b+c 77'
const auth = (as: Auth["as"]): Record<string, Auth> => ({
  "api.sample.test": { setting: "SAMPLE_KEY", as, optional: false }
})
const keys = { SAMPLE_KEY: secret }

describe("a key", () => {
  it.effect.each([
    ["in a header", { header: "X-Api-Key" }],
    ["in the query", { query: "apikey" }],
    ["in the body", { placeholder: "{{key}}" }]
  ] as const)("%s is sent and never recorded, not even where the upstream repeats it", ([, as]) =>
    Effect.gen(function* () {
      const { requests, live } = yield* pair(
        (answer, { body, headers, url }) => {
          const credential =
            new URL(url, "http://x").searchParams.get("apikey") ?? headers["x-api-key"] ?? body
          answer.setHeader(
            "link",
            `<https://api.sample.test/p2?apikey=${encodeURIComponent(secret)}>; rel="next"`
          )
          answer.setHeader("etag", '"1"')
          answer.end(JSON.stringify({ error: `bad key ${credential}` }))
        },
        { manifest: { auth: auth(as) }, keys }
      )
      const recorder = Recording.make(live)
      const request = { ...get("/v1?a=1&b=x,y"), method: "POST", body: '{"APIKey":"{{key}}"}' } as const
      yield* recorder.upstream.exchange(request)
      yield* recorder.upstream.exchange(get("/v1?a=1"))
      if ("query" in as) {
        assert.strictEqual(requests[0]?.url, `/v1?a=1&b=x,y&apikey=${encodeURIComponent(secret)}`)
      } else if ("header" in as) assert.strictEqual(requests[0]?.headers["x-api-key"], secret)
      else assert.deepStrictEqual(JSON.parse(requests[0]?.body ?? ""), { APIKey: secret })
      const [posted] = recorder.exchanges()
      assert.deepStrictEqual(posted?.request, request)
      for (const { body, headers, request, sha256 } of recorder.exchanges()) {
        const all = JSON.stringify([Buffer.from(body).toString(), headers, request, sha256])
        for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
          assert.notInclude(all, form)
          assert.notInclude(Buffer.from(body).toString(), form)
        }
      }
    })
  )

  it.effect("for Authorization is a bearer token", () =>
    Effect.gen(function* () {
      const { requests, exchange } = yield* pair((answer) => answer.end(), {
        manifest: { auth: auth({ header: "Authorization" }) },
        keys: { SAMPLE_KEY: "token-123456" }
      })
      yield* exchange(get())
      assert.strictEqual(requests[0]?.headers.authorization, "Bearer token-123456")
    })
  )

  const asClient = auth({ client: { token: "https://id.sample.test/connect/token", scope: "ais" } })
  const client = { SAMPLE_KEY: "me@sample.test:reader:s3cret+77/x" }

  it.effect("of a client gets an access token once a run, and neither is recorded", () =>
    Effect.gen(function* () {
      const tokens = yield* standIn((answer) =>
        answer.end('{"access_token":"token-123456","expires_in":3600}')
      )
      const { requests, live } = yield* pair(
        (answer, { headers }) =>
          answer.end(JSON.stringify({ said: headers.authorization, and: "s3cret+77/x" })),
        { manifest: { auth: asClient }, keys: client, map: { "id.sample.test": tokens.url } }
      )
      const recorder = Recording.make(live)
      yield* recorder.upstream.exchange(get("/1"))
      yield* recorder.upstream.exchange(get("/2"))
      assert.lengthOf(tokens.requests, 1)
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(tokens.requests[0]?.body)), {
        grant_type: "client_credentials",
        client_id: "me@sample.test:reader",
        client_secret: "s3cret+77/x",
        scope: "ais"
      })
      assert.deepStrictEqual(
        requests.map(({ headers }) => headers.authorization),
        ["Bearer token-123456", "Bearer token-123456"]
      )
      assert.lengthOf(recorder.exchanges(), 2)
      for (const { body } of recorder.exchanges()) {
        assert.strictEqual(Buffer.from(body).toString(), '{"said":"Bearer ***","and":"***"}')
      }
    })
  )

  it.effect("of a client that is turned away asks the upstream nothing, and says so without the secret", () =>
    Effect.gen(function* () {
      const tokens = yield* standIn((answer) => answer.writeHead(400).end('{"error":"invalid_client"}'))
      const { requests, exchange } = yield* pair((answer) => answer.end(), {
        manifest: { auth: asClient },
        keys: client,
        map: { "id.sample.test": tokens.url }
      })
      const error = yield* Effect.flip(exchange(get()))
      assert.lengthOf(requests, 0)
      assert.include(JSON.stringify(error), "id.sample.test gave no access token (status 400)")
      assert.notInclude(JSON.stringify(error), "s3cret")
    })
  )

  it.effect("does not follow a redirect to another host, nor stand in its failure", () =>
    Effect.gen(function* () {
      const other = yield* standIn((answer) => answer.socket?.resetAndDestroy())
      const { exchange } = yield* pair(
        (answer) => answer.writeHead(307, { location: "https://other.sample.test/" }).end(),
        { manifest: { auth: auth({ header: "x-api-key" }) }, keys, map: { "other.sample.test": other.url } }
      )
      const error = yield* Effect.flip(exchange({ ...get(), method: "POST", body: "{}" }))
      assert.isUndefined(other.requests[0]?.headers["x-api-key"])
      assert.lengthOf(other.requests, 3)
      assert.notInclude(JSON.stringify(error), secret)
    })
  )

  it.effect.each([
    ["not set", {}],
    ["empty", { SAMPLE_KEY: " " }]
  ] as const)("that is %s is not sent", ([, keys]) =>
    Effect.gen(function* () {
      const needs = { ...manifest, auth: auth({ query: "apikey" }) }
      const redacted = Object.entries(keys).map(([name, value]) => [name, Redacted.make(value)] as const)
      assert.deepStrictEqual(missingKeys(needs, Object.fromEntries(redacted)), ["SAMPLE_KEY"])
      const { requests, exchange } = yield* pair((answer) => answer.end(), { manifest: needs, keys })
      yield* exchange(get())
      assert.strictEqual(requests[0]?.url, "/v1/summary")
    })
  )
})

describe("a recording", () => {
  it.effect("keeps every exchange in order, and none where there was no answer", () =>
    Effect.gen(function* () {
      const { live } = yield* pair((answer, { url }) => {
        if (url === "/gone") answer.socket?.destroy()
        else answer.end(url)
      })
      const recorder = Recording.make(live)
      const first = yield* recorder.upstream.exchange(get("/1"))
      yield* Effect.flip(recorder.upstream.exchange(get("/gone")))
      const second = yield* recorder.upstream.exchange(get("/2"))
      assert.deepStrictEqual(recorder.exchanges(), [first, second])
    })
  )
})

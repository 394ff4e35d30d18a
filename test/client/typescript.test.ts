/** The TypeScript client against a running service, and against somebody between the two. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Current } from "../../core/readings/read/Current.ts"
import {
  createClient,
  ForgedAnswer,
  type Options,
  ServiceError,
  UnprovedAnswer
} from "../../http/client/typescript/src/index.ts"
import { retrying } from "../../http/client/typescript/src/retries.ts"
import { type Between, honest, startBetween } from "../support/interceptor.ts"
import { baseUrl, latestRow, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

/** A client of the service through somebody between, who is honest at first. */
const setUp = Effect.fnUntraced(function* (options: Partial<Options> = {}) {
  const service = yield* Service
  yield* (yield* Current).apply(
    ["AKT", "FIL", "GEOD"].map((symbol, n) =>
      latestRow(n + 1, { symbol, metric: "price_usd", tier: "market", unit: "usd", value: n + 0.5 })
    )
  )
  const between = yield* startBetween(service.port)
  const requests: Array<{ readonly path: string; readonly status: number }> = []
  const client = createClient({
    baseUrl: between.origin,
    publicUrl: baseUrl,
    fetch: async (request) => {
      const response = await fetch(request)
      requests.push({ path: new URL(request.url).pathname, status: response.status })
      return response
    },
    ...options
  })
  return { service, between, client, requests }
})

/** What a promise fails with. */
const failure = (work: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    work.then(
      () => undefined,
      (error: unknown) => error
    )
  )

const price = { params: { path: { symbol: "FIL" } } } as const

layer(Service.layer())("the TypeScript client", (it) => {
  it.effect("reads, and gives refusals as problems", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp()
      const { data } = yield* Effect.promise(() => client.GET("/v1/network/{symbol}", price))
      assert.strictEqual(data?.[0]?.value, 1.5)
      const unknown = yield* Effect.promise(() =>
        client.GET("/v1/network/{symbol}", { params: { path: { symbol: "SN129" } } })
      )
      assert.strictEqual(unknown.error?.error, "unknown_symbol")
      const csv = yield* Effect.promise(() =>
        client.GET("/v1/market", { params: { query: { format: "csv" } }, parseAs: "text" })
      )
      assert.match(String(csv.data), /^symbol,price_usd,/)
    })
  )

  it.effect("refuses an answer that somebody changed, moved or stripped of its signatures", () =>
    Effect.gen(function* () {
      const { between, client } = yield* setUp({ kept: 0 })
      const ask = () => failure(client.GET("/v1/network/{symbol}", price))
      assert.isUndefined(yield* ask())
      const forgeries: ReadonlyArray<Between["alter"]> = [
        (path, body) => (path.includes("/network/") ? body.toString().replace("1.5", "2.5") : body),
        (path, body) => (path.includes("/network/") ? `${body} ` : body)
      ]
      for (const alter of forgeries) {
        between.alter = alter
        assert.instanceOf(yield* ask(), ForgedAnswer)
      }
      between.alter = honest
      assert.isUndefined(yield* ask())
      const stripped = createClient({
        baseUrl: between.origin,
        publicUrl: baseUrl,
        fetch: async (request) => {
          const response = await fetch(request)
          const headers = new Headers(response.headers)
          for (const name of ["signature", "signature-input"]) headers.delete(name)
          return new Response(response.body, { status: response.status, headers })
        }
      })
      assert.instanceOf(yield* failure(stripped.GET("/v1/world")), UnprovedAnswer)
      // The answer to one query as the answer to another.
      const moved = createClient({
        baseUrl: between.origin,
        publicUrl: baseUrl,
        fetch: (request) => fetch(request.url.replace("limit=1", "limit=2"))
      })
      const query = { params: { query: { limit: 1 } } }
      assert.instanceOf(yield* failure(moved.GET("/v1/market", query)), ForgedAnswer)
    })
  )

  it.effect("takes only the operator's key once it is given", () =>
    Effect.gen(function* () {
      const { between, client, service } = yield* setUp({ keys: ["another"] })
      assert.instanceOf(yield* failure(client.GET("/v1/world")), ForgedAnswer)
      const { keys } = json(yield* service.call("/.well-known/service-signing-key.json")) as unknown as {
        readonly keys: ReadonlyArray<{ readonly kid: string; readonly purpose: string }>
      }
      const kid = keys.find(({ purpose }) => purpose === "answers")?.kid ?? ""
      const pinned = createClient({ baseUrl: between.origin, publicUrl: baseUrl, keys: [kid] })
      assert.isUndefined(yield* failure(pinned.GET("/v1/world")))
    })
  )

  it.effect("asks again with the ETag, and gives the answer that it keeps", () =>
    Effect.gen(function* () {
      const { requests, client } = yield* setUp()
      const first = yield* Effect.promise(() => client.GET("/v1/network/{symbol}", price))
      const second = yield* Effect.promise(() => client.GET("/v1/network/{symbol}", price))
      assert.deepStrictEqual(second.data, first.data)
      assert.deepStrictEqual(
        requests.filter(({ path }) => path.startsWith("/v1")).map(({ status }) => status),
        [200, 304]
      )
    })
  )

  it.effect("follows the pages of a plain list, and of one with a cursor in it", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp()
      const symbols = yield* Effect.promise(async () => {
        const names: Array<string> = []
        for await (const rows of client.pages("/v1/market", { params: { query: { limit: 1 } } })) {
          names.push(...rows.map(({ symbol }) => symbol))
        }
        return names
      })
      assert.deepStrictEqual(symbols, ["AKT", "FIL", "GEOD"])
      const wrong = client.pages("/v1/market", { params: { query: { limit: 9999 } } })
      assert.instanceOf(yield* failure(wrong.next()), ServiceError)
    })
  )

  it.effect("passes members and values through that its types do not know", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp({
        verify: false,
        fetch: () => Promise.resolve(Response.json([{ symbol: "FIL", unit: "parsecs", colour: "red" }]))
      })
      const { data } = yield* Effect.promise(() => client.GET("/v1/network/{symbol}", price))
      assert.deepStrictEqual(JSON.stringify(data?.[0]), '{"symbol":"FIL","unit":"parsecs","colour":"red"}')
    })
  )
})

describe("the TypeScript client", () => {
  /** Answers one after the other, and what came of asking for one. */
  const outcomeOf = async (request: Request, answers: ReadonlyArray<Response | Error>) => {
    const waits: Array<number> = []
    let attempts = 0
    const send = retrying(
      { longestWait: 5000, sleep: async (milliseconds) => void waits.push(milliseconds) },
      async () => {
        const answer = answers[attempts++] ?? new Response()
        if (answer instanceof Error) throw answer
        return answer
      }
    )
    const status = await send(request).then(
      (response) => response.status,
      (error: Error) => error.message
    )
    return { status, attempts, waits }
  }
  const refusal = (status: number, after?: number) =>
    new Response("", { status, headers: after === undefined ? {} : { "retry-after": String(after) } })
  const get = new Request("https://plumbline.test/v1")
  const post = new Request("https://plumbline.test/v1", { method: "POST", body: "{}" })

  it("waits as long as it is told", async () => {
    assert.deepStrictEqual(await outcomeOf(get, [refusal(429, 2), refusal(503, 1)]), {
      status: 200,
      attempts: 3,
      waits: [2000, 1000]
    })
    assert.deepStrictEqual(await outcomeOf(get, [refusal(429, 3600)]), {
      status: 429,
      attempts: 1,
      waits: []
    })
  })

  it("tries lost and broken reads again, with growing waits, and gives up after three", async () => {
    const lost = new TypeError("fetch failed")
    const { attempts, status, waits } = await outcomeOf(get, [lost, refusal(502), lost, lost, lost])
    assert.deepStrictEqual([status, attempts], ["fetch failed", 4])
    assert.isTrue(waits.every((wait, n) => wait <= 500 * 2 ** n))
  })

  it("repeats nothing that could take effect twice", async () => {
    assert.strictEqual((await outcomeOf(post, [refusal(503, 1)])).attempts, 1)
    assert.strictEqual((await outcomeOf(post, [new TypeError("lost")])).attempts, 1)
    assert.strictEqual((await outcomeOf(post, [refusal(429, 1)])).attempts, 2)
    const once = new Request(post, { headers: { "idempotency-key": "a" } })
    assert.strictEqual((await outcomeOf(once, [refusal(503, 1)])).attempts, 2)
    // A 503 that names no time does not get better by waiting.
    assert.strictEqual((await outcomeOf(get, [refusal(503)])).attempts, 1)
  })

  it("pays an offer once, with what the wallet made of it", async () => {
    const offer = { x402Version: 2, resource: {}, accepts: [{ amount: "490000" }] }
    const payments: Array<string | null> = []
    const client = createClient({
      baseUrl: "https://plumbline.test",
      verify: false,
      pay: async ({ accepts }) => `paid ${accepts[0]?.amount}`,
      fetch: async ({ headers }) => {
        payments.push(headers.get("payment-signature"))
        return headers.has("payment-signature")
          ? Response.json({ status: "purchased" })
          : Response.json({}, { status: 402, headers: { "payment-required": btoa(JSON.stringify(offer)) } })
      }
    })
    const { data } = await client.GET("/x402/v1/data/{product}", {
      params: { path: { product: "depin_provenance" } }
    })
    assert.strictEqual(data?.status, "purchased")
    assert.deepStrictEqual(payments, [null, "paid 490000"])
  })
})

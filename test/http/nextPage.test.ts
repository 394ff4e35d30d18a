/** Lists give the next page by a `Link` header, which a client of any list can follow without a word of ours. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Current } from "../../core/readings/read/Current.ts"
import { baseUrl, latestRow, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header, json } from "../support/signed.ts"

const symbols = ["AKT", "FIL", "GEOD", "STORJ"]

const seed = Effect.gen(function* () {
  const metrics = ["price_usd", "tvl_usd", "active_storage_providers"]
  const rows = symbols.flatMap((symbol, n) =>
    metrics.map((metric, at) => latestRow(1 + n * metrics.length + at, { symbol, metric }))
  )
  // Enough telemetry for a sample of several networks.
  const others = Array.from({ length: 40 }, (_, n) => latestRow(100 + n, { symbol: `SN${n}` }))
  yield* (yield* Current).apply([...rows, ...others])
})

/** Target of the next page; undefined on the last one. */
const nextOf = (link: string): string | undefined => {
  if (link === "") return undefined
  const [, target] = /^<([^>]+)>; rel="next"$/.exec(link) ?? []
  assert.isTrue(target?.startsWith(`${baseUrl}/`), link)
  return target?.slice(baseUrl.length)
}

/** Bodies of all pages, from the first on. */
const walk = Effect.fnUntraced(function* (first: string) {
  const bodies: Array<unknown> = []
  let path: string | undefined = first
  while (path !== undefined && bodies.length < 50) {
    const reply = yield* ask(path)
    assert.strictEqual(reply.status, 200, path)
    bodies.push(JSON.parse(reply.body.toString("utf8")))
    path = nextOf(header(reply, "link"))
  }
  return bodies
})

layer(Service.layer())("a list", (it) => {
  it.effect("that is an array is walked by its header alone, every row once", () =>
    Effect.gen(function* () {
      yield* seed
      for (const path of ["/v1/market", "/v1/revenue"]) {
        const whole = yield* ask(path)
        assert.strictEqual(header(whole, "link"), "")
        const pages = yield* walk(`${path}?limit=1`)
        assert.strictEqual(pages.length, symbols.length)
        assert.deepStrictEqual(pages.flat(), JSON.parse(whole.body.toString("utf8")))
      }
    })
  )

  it.effect("with next_cursor names the same page in the header, and keeps the other parameters", () =>
    Effect.gen(function* () {
      yield* seed
      for (const path of [
        "/v1/supply?limit=1",
        "/v1/networks?limit=10",
        "/v1/provenance?limit=2&network=fil"
      ]) {
        const reply = yield* ask(path)
        const url = new URL(nextOf(header(reply, "link")) ?? "", baseUrl)
        assert.strictEqual(url.searchParams.get("cursor"), json(reply)["next_cursor"], path)
        url.searchParams.delete("cursor")
        assert.strictEqual(`${url.pathname}${url.search}`, path)
        // Every page after it replaces the cursor, and the last one has no header.
        assert.isAbove((yield* walk(path)).length, 1, path)
      }
    })
  )

  it.effect("that is kept as ready bytes, or asked for by HEAD or with its ETag, has the header too", () =>
    Effect.gen(function* () {
      yield* seed
      const path = "/v1/market?limit=2"
      const first = yield* ask(path)
      const link = header(first, "link")
      assert.isNotEmpty(link)
      assert.strictEqual(header(yield* ask(path), "link"), link)
      const { call } = yield* Service
      assert.strictEqual(header(yield* call({ path, method: "HEAD" }), "link"), link)
      const same = yield* call({ path, headers: { "if-none-match": header(first, "etag") } })
      assert.deepStrictEqual([same.status, header(same, "link")], [304, link])
      assert.strictEqual(header(yield* ask("/v1/market?limit=2&cursor=nonsense"), "link"), "")
    })
  )
})

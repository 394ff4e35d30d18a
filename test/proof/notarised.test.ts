/** Whether statements are about an exchange: the same request, the same answer, at the same time. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { type NotarisedExchange, parseNotarisation } from "../../core/proof/notarisation.ts"
import { type Carried, clockTolerance, coverageOf } from "../../core/proof/notarised.ts"
import type { RunExchange } from "../../core/readings/ingest/Run.ts"
import { noteOf, statedExchange, statingNotary } from "../support/notary/statements.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const at = "2026-09-05T12:00:00.000Z"
const host = "stats.example.net"
const exchange: RunExchange = {
  n: 0,
  method: "GET",
  url: `https://${host}/v1/nodes?a=1`,
  at,
  status: 200,
  headers: {},
  sha256: sha256("body"),
  size: 4,
  confirmed: false
}
const carried: Carried = { method: "GET", url: exchange.url, at, status: 200, sha256: exchange.sha256 }

const stating = (exchanges: ReadonlyArray<NotarisedExchange>, of = host) =>
  parseNotarisation(noteOf(statingNotary(1), of, exchanges))

const statement = stating([statedExchange(exchange)])

describe("a statement", () => {
  it("is about the exchange that it has, and about none that differs in anything", () => {
    assert.strictEqual(coverageOf(carried, [statement])?.of, "exchange")
    for (const other of [
      { url: `https://${host}/v1/nodes?a=2` },
      { url: "https://other.example.net/v1/nodes?a=1" },
      { url: `http:${"//"}[`, at },
      { method: "POST" as const },
      { method: "LISTEN" as const },
      { request_sha256: sha256("x") },
      { status: 201 },
      { sha256: sha256("another body") }
    ])
      assert.isUndefined(coverageOf({ ...carried, ...other }, [statement]), JSON.stringify(other))
    assert.isUndefined(coverageOf(carried, []))
  })

  it("is of its time: an old answer is not this one, although the bytes are the same", () => {
    const shifted = (ms: number): Carried => ({ ...carried, at: new Date(Date.parse(at) + ms).toISOString() })
    for (const ms of [-clockTolerance, clockTolerance]) assert.isDefined(coverageOf(shifted(ms), [statement]))
    for (const ms of [-clockTolerance - 1, clockTolerance + 1])
      assert.isUndefined(coverageOf(shifted(ms), [statement]))
  })

  it("is about a long address by its hash", () => {
    const { url: _, ...rest } = carried
    assert.isDefined(coverageOf({ ...rest, url_sha256: sha256(exchange.url) }, [statement]))
    assert.isUndefined(coverageOf({ ...rest, url_sha256: sha256("elsewhere") }, [statement]))
  })

  it("with a hidden request is about the host alone", () => {
    const { asked_at: __, request: ___, ...answer } = statedExchange(exchange)
    const hidden = stating([answer])
    assert.strictEqual(coverageOf({ ...carried, url: `https://${host}/anything` }, [hidden])?.of, "host")
    assert.isUndefined(coverageOf({ ...carried, url: "https://other.example.net/v1/nodes" }, [hidden]))
  })

  it("covers a redirect only together with those of all hops", () => {
    const { response } = statedExchange(exchange)
    const moved = stating([
      statedExchange(exchange, {
        response: { ...response, status: 302, location: "https://b.example.net/x" }
      })
    ])
    const there = stating([statedExchange({ ...exchange, url: "https://b.example.net/x" })], "b.example.net")
    assert.deepStrictEqual(coverageOf(carried, [there, moved])?.statements, [moved, there])
    assert.isUndefined(coverageOf(carried, [moved]))
    assert.isUndefined(coverageOf(carried, [there]))
    // One that leads back to itself ends.
    const loop = stating([
      statedExchange(exchange, { response: { ...response, status: 302, location: exchange.url } })
    ])
    assert.isUndefined(coverageOf(carried, [loop]))
  })

  it("of a 304 needs that of the answer that it confirms, under the same validator", () => {
    const { request, response } = statedExchange(exchange)
    if (request === undefined) return assert.fail("no request")
    const confirming = stating([
      statedExchange(exchange, {
        request: { ...request, if_none_match: '"v1"' },
        response: { ...response, status: 304, whole: "none", sha256: sha256(""), size: 0, encoded_size: 0 }
      })
    ])
    const earlier = (etag: string) =>
      stating([
        statedExchange({ ...exchange, at: "2026-08-01T00:00:00.000Z" }, { response: { ...response, etag } })
      ])
    const confirmed: Carried = { ...carried, confirmed: true }
    const first = earlier('"v1"')
    assert.deepStrictEqual(coverageOf(confirmed, [confirming, first])?.statements, [confirming, first])
    assert.isUndefined(coverageOf(confirmed, [confirming]))
    assert.isUndefined(coverageOf(confirmed, [confirming, earlier('"v2"')]))
    assert.isUndefined(coverageOf({ ...confirmed, sha256: sha256("other") }, [confirming, first]))
  })
})

/** What stays ready while values are collected, for whom, and for how long others may keep it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header } from "../support/signed.ts"

const monday = Date.UTC(2026, 8, 7, 9)
const metric = "active_storage_providers"

const read = (symbol: string, value: number, at: number) =>
  Effect.gen(function* () {
    const row = Runs.row(value, isoTime(at), { symbol, metric, source: "made-up" })
    yield* (yield* Ingest).write(Runs.delivery(at, [row], "made-up"))
  })

const seed = Effect.gen(function* () {
  yield* TestClock.setTime(monday)
  for (const symbol of ["FIL", "GEOD"]) {
    yield* read(symbol, 5, monday - 26 * 3_600_000)
    yield* read(symbol, 6, monday - 1000)
  }
  yield* (yield* DailyClose).run
  yield* (yield* Brief).run
})

/** Whether a call was answered from the cache. */
const isCached = Effect.fnUntraced(function* (call: Parameters<typeof ask>[0]) {
  const hits = Effect.map(
    (yield* Service).call("/metrics"),
    ({ body }) => /^plumbline_http_cache_hits_total (\d+)$/m.exec(body.toString("utf8"))?.[1]
  )
  const before = yield* hits
  const reply = yield* ask(call)
  assert.strictEqual(reply.status, 200)
  return (yield* hits) !== before
})

const ofOthers = [
  "/v1/network/FIL",
  "/v1/supply?network=FIL",
  "/v1/history?network=FIL",
  `/v1/history?network=FIL&metric=${metric}&days=30`,
  `/v1/attest?symbol=FIL&metric=${metric}&date=20260906`,
  `/v1/attest?symbol=GEOD&metric=${metric}&date=20260906`,
  "/v1/attestations",
  "/v1/revisions",
  "/v1/incidents",
  "/v1/brief",
  "/v1/log/checkpoint",
  "/v1/log/batches/2026-09-06/leaves",
  "/v1/log/batches/2026-09-06/absent",
  "/x402",
  "/openapi.json",
  "/.well-known/service-signing-key.json"
]
const ofAll = [
  "/v1/network/GEOD",
  "/v1/history?network=GEOD",
  "/v1/supply",
  "/v1/provenance",
  "/v1/derivation"
]

const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

layer(Service.layer({ limited: true }).pipe(Layer.provideMerge(registry)))("a kept answer", (it) => {
  it.effect("stays while another network is read, and goes when it says something else", () =>
    Effect.gen(function* () {
      yield* seed
      for (const path of [...ofOthers, ...ofAll]) yield* ask(path)
      for (const path of [...ofOthers, ...ofAll]) assert.isTrue(yield* isCached(path), path)
      yield* read("GEOD", 7, monday)
      for (const path of ofOthers) assert.isTrue(yield* isCached(path), path)
      for (const path of ofAll) assert.isFalse(yield* isCached(path), path)
    })
  )

  it.effect("is for all of a tier, each with the limits of its own account", () =>
    Effect.gen(function* () {
      yield* seed
      const accounts = yield* Accounts
      const keyed = Effect.fnUntraced(function* (address: string) {
        const { api_key } = yield* accounts.register({}, address)
        const account = yield* accounts.authenticate(Redacted.make(api_key))
        yield* accounts.setTier(account.id, "design_partner")
        return { path: "/v1/digest", headers: { "x-api-key": api_key } }
      })
      const [one, other] = [yield* keyed("192.0.2.1"), yield* keyed("192.0.2.2")]
      const first = yield* ask(one)
      assert.strictEqual(first.status, 200)
      yield* ask(one)
      assert.isTrue(yield* isCached(other))
      // It was the first call of this account, and the third of all.
      const second = yield* ask(one)
      const third = yield* ask(other)
      assert.deepStrictEqual(third.body, first.body)
      const left = (reply: typeof first) => Number(/"minute";r=(\d+)/.exec(header(reply, "ratelimit"))?.[1])
      assert.strictEqual(left(second), left(first) - 2)
      assert.strictEqual(left(third), left(first) - 1)
    })
  )

  it.effect("may be kept by others until the next tick of what it depends on", () =>
    Effect.gen(function* () {
      yield* seed
      const cacheControl = (path: string) => Effect.map(ask(path), (reply) => header(reply, "cache-control"))
      yield* TestClock.setTime(monday + 3000)
      assert.strictEqual(yield* cacheControl("/v1/world"), "public, max-age=6")
      yield* TestClock.setTime(monday + 8500)
      assert.strictEqual(yield* cacheControl("/v1/world"), "public, max-age=1")
      yield* TestClock.setTime(monday + 9000)
      assert.strictEqual(yield* cacheControl("/v1/world"), "public, max-age=0, must-revalidate")
      assert.strictEqual(yield* cacheControl("/v1/network/FIL"), "public, max-age=0, must-revalidate")
      assert.strictEqual(yield* cacheControl("/health"), "public, max-age=0, must-revalidate")
      const forever = "public, max-age=31536000, immutable"
      assert.strictEqual(yield* cacheControl("/v1/log/batches/2026-09-06/leaves"), forever)
    })
  )
})

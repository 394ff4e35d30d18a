/** How many statements an answer costs: none once it is ready, one for who calls, and as few as a purchase needs. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CurrentTransformer } from "effect/sql/Statement"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const monday = Date.UTC(2026, 8, 7, 9)
const metric = "active_storage_providers"

const statements: Array<string> = []

/** Notes every statement of the service. */
const noting = Layer.succeed(CurrentTransformer, (statement) => {
  statements.push(statement.compile()[0].replace(/\s+/g, " ").trim())
  return Effect.succeed(statement)
})

/** The statements that a call costs. */
const costOf = Effect.fnUntraced(function* (call: Parameters<typeof ask>[0]) {
  statements.length = 0
  const reply = yield* ask(call)
  return { reply, cost: [...statements] }
})

const seed = Effect.gen(function* () {
  yield* TestClock.setTime(monday)
  const rows = [
    Runs.row(5, "2026-09-06T07:00:00Z", { metric, source: "made-up" }),
    // Absent the day after.
    Runs.row(5, "2026-09-05T07:00:00Z", { symbol: "GEOD", metric, source: "made-up" })
  ]
  yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 6, 8), rows, "made-up"))
  yield* (yield* DailyClose).run
  yield* (yield* Brief).run
})

const ready = [
  "/try",
  "/v1/supply?network=FIL",
  "/v1/supply",
  "/v1/networks",
  "/v1/network/FIL",
  "/v1/market",
  "/v1/revenue",
  "/v1/world",
  "/v1/provenance",
  "/v1/data-dictionary",
  `/v1/history?network=FIL&metric=${metric}&days=30`,
  "/v1/history?network=FIL",
  // About a day that is closed.
  "/v1/history?network=FIL&as_known_at=2026-09-06T23:00:00Z",
  "/v1/diff?network=FIL&from=2026-09-06T00:00:00Z&to=2026-09-06T23:00:00Z",
  // Up to now.
  "/v1/diff?network=FIL&from=2026-09-06T00:00:00Z",
  `/v1/attest?symbol=FIL&metric=${metric}&date=20260906`,
  "/v1/attestations",
  "/v1/revisions",
  "/v1/derivation",
  "/v1/brief",
  "/v1/log/checkpoint",
  "/v1/log/checkpoints/3",
  "/v1/log/batches/2026-09-06/leaves",
  "/v1/log/tile/entries/000.p/1",
  "/x402",
  "/openapi.json",
  "/.well-known/service-signing-key.json"
]

const product = {
  key: "depin_networks" as const,
  build: () => Effect.succeed({ made: "for a test" })
}

layer(Service.layer({ limited: true, products: [product] }).pipe(Layer.provide(noting)))(
  "statements",
  (it) => {
    it.effect(
      "one for the first ask of a proof, three for the run that gave the value, and one for what others have",
      () =>
        Effect.gen(function* () {
          yield* seed
          const day = `/v1/attest?symbol=FIL&metric=${metric}&date=2026-09-06`
          const absent = `/v1/attest?symbol=GEOD&metric=${metric}&date=2026-09-06&format=absence`
          // The bundle finds the run as the answer before read it, and asks for the keys under its head.
          for (const [path, most] of [
            [day, 5],
            [`${day}&format=bundle`, 2],
            [absent, 2]
          ] as const) {
            const { cost, reply } = yield* costOf(path)
            assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
            assert.isAtMost(cost.length, most, `${path}: ${cost.join("\n")}`)
          }
        })
    )

    it.effect("none for an answer that is ready, and none for a refusal that states no data", () =>
      Effect.gen(function* () {
        yield* seed
        for (const path of ready) {
          const first = yield* costOf(path)
          assert.strictEqual(first.reply.status, 200, path)
          const second = yield* costOf(path)
          assert.deepStrictEqual(second.cost, [], path)
          assert.deepStrictEqual(second.reply.body, first.reply.body, path)
        }
        for (const path of ["/nothing", "/v1/supply?network=%ff"]) {
          assert.deepStrictEqual((yield* costOf(path)).cost, [])
        }
        const malformed = { "x-api-key": "not a key" }
        const refused = yield* costOf({ path: "/v1/credits/balance", headers: malformed })
        assert.deepStrictEqual([refused.reply.status, refused.cost], [401, []])
      })
    )

    it.effect("one for who calls, whatever else is ready", () =>
      Effect.gen(function* () {
        yield* seed
        const accounts = yield* Accounts
        const { api_key } = yield* accounts.register({}, "192.0.2.9")
        const headers = { "x-api-key": api_key }
        // At first also that the key was used.
        for (const most of [2, 1]) {
          const { cost, reply } = yield* costOf({ path: "/v1/credits/balance", headers })
          assert.strictEqual(reply.status, 200)
          assert.lengthOf(cost, most, cost.join("\n"))
        }
        const { account } = json(yield* ask({ path: "/v1/credits/balance", headers }))
        yield* accounts.setTier(String(account), "design_partner")
        yield* TestClock.adjust("5 seconds")
        const views = [
          "/v1/digest",
          "/v1/changes",
          `/v1/compare?metric=${metric}`,
          "/v1/lead-lag",
          "/v1/indicators",
          "/v1/node-quality",
          "/v1/signals",
          "/v1/supply",
          "/v1/history?network=FIL"
        ]
        for (const path of views) {
          const first = yield* costOf({ path, headers })
          assert.strictEqual(first.reply.status, 200, path)
          // One for who calls, and at most one for the view.
          assert.isAtMost(first.cost.length, 2, `${path}: ${first.cost.join("\n")}`)
          const second = yield* costOf({ path, headers })
          assert.isAtMost(second.cost.length, 1, `${path}: ${second.cost.join("\n")}`)
          assert.deepStrictEqual(second.reply.body, first.reply.body, path)
        }
        assert.strictEqual((yield* ask("/v1/digest")).status, 402)
        // What depends on no tier needs nobody's name once the key has been seen.
        yield* ask({ path: "/v1/network/FIL", headers })
        assert.deepStrictEqual((yield* costOf({ path: "/v1/network/FIL", headers })).cost, [])
      })
    )

    it.effect("fifteen for a run beside its bodies", () =>
      Effect.gen(function* () {
        yield* seed
        const row = Runs.row(6, "2026-09-07T07:00:00Z", { metric, source: "made-up" })
        const run = Runs.delivery(Date.UTC(2026, 8, 7, 8), [row], "made-up")
        statements.length = 0
        yield* Effect.provide((yield* Ingest).write(run), noting)
        const cost = statements.filter((text) => !text.startsWith("insert into blob"))
        assert.lengthOf(cost, 15, cost.join("\n"))
      })
    )

    it.effect("a purchase locks its account once and does not read back what it stored", () =>
      Effect.gen(function* () {
        yield* seed
        const { api_key } = yield* (yield* Accounts).register({}, "192.0.2.10")
        const { cost, reply } = yield* costOf({
          method: "POST",
          path: "/v1/credits/purchase",
          headers: { "x-api-key": api_key, "content-type": "application/json" },
          body: JSON.stringify({ product_key: product.key })
        })
        assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
        assert.deepStrictEqual(json(reply)["data"], { made: "for a test" })
        assert.lengthOf(
          cost.filter((text) => text.includes("for update")),
          1
        )
        assert.isFalse(
          cost.some((text) => text.startsWith("select bytes")),
          cost.join("\n")
        )
        // One of them, every five minutes, that the key was used.
        assert.isAtMost(cost.length, 9, cost.join("\n"))
      })
    )
  }
)

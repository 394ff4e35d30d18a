/** A database that cannot be reached: every path says so alike, it is logged once, and afterwards all is as before. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { awaySeconds, isAway } from "../../core/process/errors.ts"
import { sold } from "../../core/products/build.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { callTool } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { type Call, header, json } from "../support/signed.ts"
import { type TcpGate, tcpGate } from "../support/tcpGate.ts"

/** The way to a database of the run's Postgres. */
class Gate extends Context.Service<Gate, TcpGate & { readonly url: string }>()("test/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const url = new URL(yield* cloneUrl)
      const gate = yield* tcpGate(Number(url.port))
      url.port = String(gate.port)
      return { ...gate, url: url.href }
    })
  )
}

const database = Layer.unwrap(Effect.map(Gate, ({ url }) => Postgres.layer(Redacted.make(url)))).pipe(
  Layer.orDie
)

const errors: Array<unknown> = []
/** What is said of outages: the first words, and what goes with them. */
const outages: Array<readonly [words: unknown, facts: unknown]> = []
const logger = Logger.make(({ logLevel, message }) => {
  const [text, facts] = Array.isArray(message) ? message : [message]
  if (String(text).startsWith("the database ")) outages.push([text, facts])
  else if (logLevel === "Error") errors.push(message)
})

const turn = Effect.promise(() => new Promise<void>((done) => setImmediate(done)))

const product = { key: "depin_provenance", build: () => Effect.succeed({ made: true }) } as const

const broken = sold(
  { key: "depin_networks" },
  () => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select nothing`),
  { holds: () => true }
)

layer(
  Service.layer({
    database: database.pipe(Layer.provide(Gate.layer)),
    limited: true,
    products: Effect.map(broken, (one) => [product, one])
  }).pipe(Layer.provide(Logger.layer([logger])), Layer.provideMerge(Gate.layer))
)("a database that is away", (it) => {
  /** A key of a tier that may ask for everything, with the account's balance. */
  const subscriber = Effect.gen(function* () {
    const accounts = yield* Accounts
    const { api_key } = yield* accounts.register({}, "192.0.2.1")
    const { id } = yield* accounts.authenticate(Redacted.make(api_key))
    yield* accounts.setTier(id, "pro")
    return { "x-api-key": api_key }
  })

  const callsWith = (headers: Record<string, string>): ReadonlyArray<Call> => [
    ...[
      "changes",
      "digest",
      "correlations",
      "lead-lag",
      "indicators",
      "market-regime",
      "signals",
      "intel"
    ].map((view) => ({ path: `/v1/${view}`, headers })),
    ...["changes", "digest&format=ndjson", "history&symbol=FIL", "networks"].map((dataset) => ({
      path: `/v1/export?dataset=${dataset}`,
      headers
    })),
    { path: "/v1/credits/balance", headers },
    {
      method: "POST",
      path: "/v1/credits/purchase",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ product_key: product.key })
    },
    { path: "/v1/history?network=FIL" },
    { path: "/v1/derivation" },
    { path: "/v1/supply", headers }
  ]

  it.effect("is a 503 with Retry-After, signed; nothing is charged, and the outage is logged once", () =>
    Effect.gen(function* () {
      const gate = yield* Gate
      const headers = yield* subscriber
      const balance = { path: "/v1/credits/balance", headers }
      const before = json(yield* ask(balance))
      assert.strictEqual((yield* ask("/readyz")).status, 200)
      gate.shut()
      errors.length = 0
      outages.length = 0
      for (const call of callsWith(headers)) {
        const reply = yield* ask(call)
        assert.strictEqual(reply.status, 503, call.path)
        assert.strictEqual(header(reply, "retry-after"), String(awaySeconds), call.path)
        const problem = json(reply)
        assert.deepInclude(
          problem,
          {
            type: "/problems/unavailable",
            status: 503,
            error: "unavailable",
            retry_after: awaySeconds
          },
          call.path
        )
      }
      const result = yield* callTool("get_metric_history", {
        symbol: "FIL",
        metric: "active_storage_providers"
      })
      assert.isTrue(result.isError)
      assert.deepInclude(result.data, { error: "unavailable", retry_after: awaySeconds })
      while ((yield* ask("/readyz")).status === 200) yield* turn
      const probed = yield* ask("/readyz")
      assert.deepInclude(json(probed), { type: "/problems/not-ready", status: 503, error: "not_ready" })
      assert.match(probed.body.toString(), /"database_away"/)
      assert.strictEqual((yield* ask("/health")).status, 200)
      assert.deepStrictEqual(errors, [])
      assert.lengthOf(outages, 1)
      assert.match(String(outages[0]?.[0]), /does not respond/)

      gate.open()
      yield* TestClock.adjust("7 seconds")
      while (outages.length < 2) yield* turn
      assert.deepStrictEqual(outages[1], [
        "the database responds again",
        { failed_requests: callsWith(headers).length + 1, seconds: 7 }
      ])
      assert.strictEqual((yield* ask("/readyz")).status, 200)
      assert.deepStrictEqual(json(yield* ask(balance)), before)
      for (const call of callsWith(headers)) assert.strictEqual((yield* ask(call)).status, 200, call.path)
    })
  )

  it.effect("is not what a statement that fails is: only its view cannot be made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const headers = yield* subscriber
      yield* sql`alter table signal rename to gone_signal`
      yield* sql`alter table daily rename to gone_daily`
      yield* (yield* Versions).changed("runs", "revisions", "symbols", { symbol: "FIL" })
      errors.length = 0
      const view = yield* ask({ path: "/v1/signals", headers })
      assert.deepInclude(json(view), { status: 503, error: "view_unavailable" })
      assert.strictEqual(header(view, "retry-after"), "")
      assert.lengthOf(errors, 1)
      const sale = yield* ask({
        method: "POST",
        path: "/v1/credits/purchase",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ product_key: "depin_networks" })
      })
      assert.deepInclude(json(sale), { status: 500, error: "internal_error" })
      yield* sql`alter table run rename to gone_run`
      yield* (yield* Versions).changed("runs", "revisions", "symbols", { symbol: "FIL" })
      const reply = yield* ask({ path: "/v1/derivation" })
      assert.deepInclude(json(reply), { status: 500, error: "internal_error" })
    })
  )

  it.effect("is told from SQL that fails by what the server says", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [statement, away] of [
        ["select pg_terminate_backend(pg_backend_pid())", true],
        ["do $$ begin raise exception using errcode = 'disk_full'; end $$", true],
        ["do $$ begin raise exception using errcode = 'serialization_failure'; end $$", true],
        ["select 1 / 0", false],
        ["select 'a'::int", false],
        ["select nothing", false]
      ] as const) {
        assert.strictEqual(isAway(yield* Effect.flip(sql.unsafe(statement))), away, statement)
      }
      assert.isFalse(isAway(new Error("away")))
    })
  )
})

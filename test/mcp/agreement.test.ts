/**
 * Every tool gives what REST gives for the same question, field by field. A tool or a dataset without an entry in the
 * tables fails.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import type { Product } from "../../core/credits/Product.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { listOf } from "../../mcp/server.ts"
import { fewReasons } from "../../mcp/truncate.ts"
import { allPages, callTool, publish } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { type Call, header, json } from "../support/signed.ts"

const products: ReadonlyArray<Product> = [
  {
    key: "depin_networks",
    build: () => Effect.succeed({ rows: [{ n: 1, as_of: "2026-09-05T01:00:00Z" }] })
  }
]

// biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
type Answer = any

/** A question to both. `of` and `as` pick what the two have in common; without them it is everything. */
interface Question {
  readonly args: object
  readonly rest: string | Call
  readonly of?: (answer: Answer) => unknown
  readonly as?: (body: Answer) => unknown
}

const metric = "active_storage_providers"
const day = { symbol: "FIL", metric, date: "20260903" }
const fil = `symbol=FIL&metric=${metric}`

interface Fixture {
  readonly key: string
  readonly run: string
  readonly purchase: string
  readonly saved: object
  readonly published: ReadonlyArray<Answer>
}

const post = (path: string, body: object, headers: Record<string, string> = {}): Call => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

/** What both lists of products say of each. */
const pricesIn = (sections: Readonly<Record<string, Answer>>) =>
  Object.entries(sections).map(([key, { content, price_usd, status, ways, x402_usd }]) => [
    key,
    { content, price_usd, status, ways, x402_usd }
  ])

/** The questions of each tool but `fetch_dataset`, which has a table of its own. */
const questions = ({ key, published, purchase, run, saved }: Fixture) => {
  const keyed = { "x-api-key": key }
  const bought = (args: object): Question => ({
    args: { ...args, api_key: key },
    rest: post("/v1/credits/purchase", args, keyed)
  })
  const topUp = (body: object): Question => ({
    args: { ...body, api_key: key },
    rest: post("/v1/credits/topup", body, keyed)
  })
  const ofWallet = (step: string, body: object): Question => ({
    args: { ...body, api_key: key },
    rest: post(`/v1/credits/crypto/${step}`, body, keyed)
  })
  const free = { product_key: "depin_networks" }
  return {
    find_networks: [
      { args: {}, rest: "/v1/networks?limit=10", as: fewReasons },
      { args: { query: "filecoin", limit: 3 }, rest: "/v1/networks?query=filecoin&limit=3" }
    ],
    get_network: [
      { args: { symbol: "FIL" }, rest: "/v1/network/FIL", of: ({ rows }) => rows },
      { args: { symbol: "FILX" }, rest: "/v1/network/FILX" }
    ],
    get_metric_history: [
      {
        args: { symbol: "FIL", metric, days: 7 },
        rest: `/v1/history?network=FIL&metric=${metric}&days=7`
      },
      {
        args: { symbol: "FIL", days: 7, source: "made-up", as_known_at: "2026-09-04T00:00:00Z" },
        rest: "/v1/history?network=FIL&days=7&limit=1&source=made-up&as_known_at=2026-09-04T00:00:00Z"
      },
      // The argument is named as in the other tools, not as the parameter of REST.
      {
        args: { symbol: "NOPE" },
        rest: "/v1/history?network=NOPE",
        of: ({ did_you_mean, error }) => ({ did_you_mean, error }),
        as: ({ did_you_mean, error }) => ({ did_you_mean, error })
      }
    ],
    query: [
      {
        args: { symbols: "FIL", metrics: metric, aggregates: ["latest", "growth"] },
        rest: post("/v1/query", { symbols: ["FIL"], metrics: [metric], aggregates: ["latest", "growth"] })
      },
      { args: { metrics: "nothing" }, rest: post("/v1/query", { metrics: ["nothing"] }) },
      {
        args: { metrics: [metric], aggregates: ["rank"] },
        rest: post("/v1/query", { metrics: [metric], aggregates: ["rank"] })
      }
    ],
    verify_value: [
      {
        args: day,
        rest: `/v1/attest?${fil}&date=20260903`,
        of: ({ anchor, value }) => ({ anchor, value }),
        as: ({ anchor, value }) => ({ anchor, value })
      },
      { args: { ...day, date: "20260904" }, rest: `/v1/attest?${fil}&date=20260904` }
    ],
    verify_footprint: [
      {
        args: { response: saved },
        rest: "/v1/network/FIL",
        of: ({ all_hold, values }) =>
          values.map(({ metric, symbol, value }: Answer) => ({ metric, symbol, value, holds: all_hold })),
        as: (rows) =>
          rows.map(({ metric, symbol, value }: Answer) => ({ metric, symbol, value, holds: true }))
      },
      {
        args: { values: published },
        rest: `/v1/history?network=FIL&metric=${metric}`,
        of: ({ values }) => values.map(({ date, value }: Answer) => ({ date, value })),
        as: ({ data }) => data.FIL[metric].points.map(({ date, value }: Answer) => ({ date, value }))
      }
    ],
    get_data_dictionary: [
      {
        args: { feed: "made-up" },
        rest: "/v1/data-dictionary",
        of: ({ feeds, generated_utc, metrics }) => ({ feeds, generated_utc, metrics }),
        as: ({ feeds, generated_utc, metrics }) => ({ feeds, generated_utc, metrics })
      }
    ],
    get_derivation_ledger: [
      { args: { limit: 2 }, rest: "/v1/derivation?limit=2" },
      { args: { run }, rest: `/v1/derivation/${run}`, of: ({ runs }) => runs[0] },
      { args: { run: "none" }, rest: "/v1/derivation/none" }
    ],
    list_datasets: [
      // Every path that it names is one of the API.
      {
        args: {},
        rest: "/openapi.json",
        of: ({ datasets }) => datasets.map(() => true),
        as: ({ paths }) => Object.keys({ ...open, ...gated }).map((name) => restOf(name) in paths)
      }
    ],
    get_stats: [
      { args: {}, rest: "/health", of: ({ data }) => data, as: ({ data }) => data },
      {
        args: {},
        rest: "/v1/attestations",
        of: ({ log }) => log.entries,
        as: ({ log_size }) => log_size
      }
    ],
    list_products: [
      {
        args: {},
        rest: "/v1/credits/pricing",
        of: ({ packs, sections, ways }) => [packs, ways, pricesIn(sections)],
        as: ({ packs, sections, ways }) => [packs, ways, pricesIn(sections)]
      },
      {
        args: { product_key: "depin_networks" },
        rest: "/v1/credits/pricing",
        as: ({ credit, currency, sections: { depin_networks } }) => ({
          credit,
          currency,
          sections: { depin_networks }
        })
      }
    ],
    register_agent: [
      {
        args: { agent_name: "one" },
        rest: post("/v1/credits/register", { agent_name: "one" }),
        of: ({ api_key, ...others }) => ({ ...others, length: api_key.length }),
        as: ({ api_key, ...others }) => ({ ...others, length: api_key.length })
      },
      {
        args: { agent_name: "one", email: "none" },
        rest: post("/v1/credits/register", { agent_name: "one", email: "none" })
      }
    ],
    check_balance: [
      { args: { api_key: key }, rest: { path: "/v1/credits/balance", headers: keyed } },
      { args: {}, rest: "/v1/credits/balance" }
    ],
    purchase_data: [
      // The same Idempotency-Key: REST answers with the purchase of the tool.
      {
        args: { ...free, idempotency_key: "of-both", api_key: key },
        rest: post("/v1/credits/purchase", free, { ...keyed, "idempotency-key": "of-both" }),
        of: ({ n_pages, page, ...purchase }) => purchase
      },
      ...[
        { min_as_of: "2026-09-05T01:00:00Z" },
        { min_as_of: "2026-09-05T02:00:00Z" },
        { max_price_usd: 0.1 }
      ].map(
        (more): Question => ({
          args: { ...free, ...more, dry_run: true, api_key: key },
          rest: post("/v1/credits/purchase/dry-run", { ...free, ...more }, keyed)
        })
      ),
      bought({ ...free, min_as_of: "2026-09-05T02:00:00Z" }),
      bought({ ...free, min_as_of: "yesterday" }),
      bought({ ...free, max_price_usd: 0.1 }),
      bought({ ...free, network: "FIL" }),
      bought({ product_key: "depin_grades" }),
      bought({ product_key: "depin_intel_bundle" }),
      bought({ product_key: "nothing" }),
      {
        args: { list: true, api_key: key },
        rest: { path: "/v1/credits/purchases", headers: keyed }
      },
      {
        args: { purchase_id: purchase, api_key: key },
        rest: { path: `/v1/credits/purchases/${purchase}?include=data`, headers: keyed },
        of: ({ n_pages, page, ...receipt }) => receipt
      },
      {
        args: { purchase_id: "pur_1", api_key: key },
        rest: { path: "/v1/credits/purchases/pur_1", headers: keyed }
      }
    ],
    manage_alerts: [
      ...[
        {
          condition: { kind: "above", value: 1, hours: 2 },
          symbol: "FIL",
          metric,
          channel: { kind: "feed" }
        },
        { condition: { kind: "above", value: 1 }, symbol: "FILX", metric, channel: { kind: "feed" } },
        { condition: { kind: "above", value: 1 }, symbol: "FIL", metric, channel: { kind: "pigeon" } }
      ].map(
        (alert): Question => ({
          args: { action: "create", alert, api_key: key },
          rest: post("/v1/alerts", alert, keyed)
        })
      ),
      ...[
        { action: "list", rest: "/v1/alerts" },
        { action: "crossings", rest: "/v1/alerts/al_1/crossings" }
      ].map(
        ({ action, rest }): Question => ({
          args: { action, id: "al_1", api_key: key },
          rest: { path: rest, headers: keyed }
        })
      ),
      {
        args: { action: "end", id: "al_1", api_key: key },
        rest: { method: "DELETE", path: "/v1/alerts/al_1", headers: keyed }
      }
    ],
    challenge_wallet: [ofWallet("challenge", { wallet: "0x1" })],
    verify_wallet: [ofWallet("verify", { nonce: "none", signature: "0x00" })],
    topup_credits: [
      topUp({ method: "stripe", amount: 7 }),
      topUp({ method: "stripe", amount: 20 }),
      topUp({ method: "usdc", amount: "5", from_address: `0x${"1".repeat(40)}` }),
      topUp({ method: "cash", amount: 1 })
    ]
  } satisfies Readonly<Record<string, ReadonlyArray<Question>>>
}

/** What REST is asked for with each dataset; `{limit}` where it takes one, otherwise the whole document. */
const open = {
  networks: "/v1/networks?limit=5",
  supply: "/v1/supply?limit=5",
  market: "/v1/market?limit=5",
  revenue: "/v1/revenue?limit=5",
  earned: "/v1/earned?limit=5",
  provenance: "/v1/provenance?limit=5",
  measures: "/v1/measures",
  world: "/v1/world",
  revisions: "/v1/revisions?limit=5&symbol=FIL",
  incidents: "/v1/incidents?limit=5&symbol=FIL",
  events: "/v1/events?limit=5&symbol=FIL",
  diff: "/v1/diff?limit=5&network=FIL&from=2026-09-03T12:00:00Z&to=2026-09-04T12:00:00Z",
  attestations: "/v1/attestations?limit=5",
  brief: "/v1/brief"
} as const

const gated = {
  compare: `/v1/compare?metric=${metric}`,
  digest: "/v1/digest",
  changes: "/v1/changes",
  correlations: "/v1/correlations",
  "lead-lag": "/v1/lead-lag",
  indicators: "/v1/indicators",
  "node-quality": "/v1/node-quality",
  divergence: "/v1/divergence",
  "dilution-risk": "/v1/dilution-risk",
  "gpu-supply-demand": "/v1/gpu-supply-demand",
  "sector-health": "/v1/sector-health",
  "geo-concentration": "/v1/geo-concentration",
  "dev-velocity": "/v1/dev-velocity",
  "competitive-landscape": "/v1/competitive-landscape",
  "market-regime": "/v1/market-regime",
  signals: "/v1/signals?limit=5",
  intel: "/v1/intel",
  "health-profile": "/v1/health-profile/FIL"
} as const

const datasets: Readonly<Record<string, string>> = { ...open, ...gated }

const restOf = (name: string): string =>
  String(datasets[name]).replace(/\?.*/, "").replace("/FIL", "/{symbol}")

/** The members of a problem that a tool answers with too. */
const problemOf = ({ detail, instance, request_id, status, title, type, ...members }: Answer) => members

layer(Service.layer({ products }))("a tool", (it) => {
  it.effect("and REST answer the same question with the same fields", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
      yield* publish
      const { call } = yield* Service
      const accounts = yield* Accounts
      const { api_key: key } = yield* accounts.register({}, "192.0.2.9")
      const account = (yield* accounts.authenticate(Redacted.make(key))).id
      yield* accounts.setTier(account, "enterprise")

      const rest = (request: string | Call) =>
        Effect.map(call(typeof request === "string" ? { path: request } : request), (reply) => ({
          refused: reply.status >= 400,
          body: json(reply) as Answer
        }))
      const compared = Effect.fnUntraced(function* (name: string, { args, as, of, rest: request }: Question) {
        const what = `${name} ${JSON.stringify(args)}`
        const { data, isError } = yield* callTool(name, args)
        const { body, refused } = yield* rest(request)
        assert.strictEqual(isError, refused, `${what}: ${JSON.stringify([data, body])}`)
        const { what_to_do, ...answer } = data
        const answered = refused ? problemOf(body) : body
        assert.deepStrictEqual(of?.(answer) ?? answer, as?.(answered) ?? answered, what)
      })

      const saved = yield* call("/v1/network/FIL")
      const bought = yield* callTool("purchase_data", { product_key: "depin_networks", api_key: key })
      const { body: runs } = yield* rest("/v1/derivation?limit=1")
      const { body: history } = yield* rest(`/v1/history?network=FIL&metric=${metric}`)
      const table: Readonly<Record<string, ReadonlyArray<Question>>> = questions({
        key,
        run: runs.runs[0].id,
        purchase: bought.data.purchase_id,
        published: history.data.FIL[metric].points.map(({ date, value }: Answer) => ({
          symbol: "FIL",
          metric,
          date,
          value
        })),
        saved: {
          path: "/v1/network/FIL",
          body: saved.body.toString("utf8"),
          timestamp: header(saved, "x-service-timestamp"),
          signature: header(saved, "x-service-signature")
        }
      })
      assert.sameMembers(
        [...Object.keys(table), "fetch_dataset"],
        listOf("full").tools.map(({ name }) => name)
      )
      for (const [name, cases] of Object.entries(table)) {
        for (const question of cases) yield* compared(name, question)
      }
    })
  )

  it.effect("gives every dataset as its address does", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
      yield* publish
      yield* TestClock.setTime(Date.UTC(2026, 8, 7, 9))
      yield* (yield* DailyClose).run
      yield* (yield* Brief).run
      yield* (yield* EventLog).run
      const { call } = yield* Service
      const accounts = yield* Accounts
      const { api_key } = yield* accounts.register({}, "192.0.2.10")
      yield* accounts.setTier((yield* accounts.authenticate(Redacted.make(api_key))).id, "enterprise")
      const listed = (yield* callTool("list_datasets", { api_key })).data.datasets as ReadonlyArray<Answer>
      assert.sameMembers(
        listed.map(({ dataset }) => dataset),
        Object.keys(datasets)
      )
      for (const { dataset, fetchable, rest } of listed) {
        const path = datasets[dataset] ?? ""
        assert.isTrue(fetchable, dataset)
        assert.strictEqual(rest, restOf(dataset))
        const reply = yield* call({ path, headers: { "x-api-key": api_key } })
        assert.strictEqual(reply.status, 200, path)
        const body: Answer = json(reply)
        const subject = {
          ...Object.fromEntries(
            [...new URLSearchParams(path.split("?")[1])].filter(([name]) => /^(metric|from|to)$/.test(name))
          ),
          ...(path.includes("FIL") ? { symbol: "FIL" } : {})
        }
        const args = { dataset, ...subject, api_key }
        if (dataset === "events") assert.isAbove(body.events.length, 0)
        if (path.includes("limit=")) {
          const { answer } = (yield* callTool("fetch_dataset", { ...args, limit: 5 })).data
          assert.deepStrictEqual(Array.isArray(body) ? answer.rows : answer, fewReasons(body), dataset)
        } else {
          const { document } = yield* allPages({ ...args, limit: 100 })
          assert.deepStrictEqual(document, dataset === "world" ? fewReasons(body) : body, dataset)
        }
      }
    })
  )
})

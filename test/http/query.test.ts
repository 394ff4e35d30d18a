/** `/v1/query`: one signed answer about many values, for those whom the tier shows them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { sha256 } from "../../core/log/leaves.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { leafHash } from "../../core/proof/merkle.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { QueryResponse, QueryRow } from "../../core/wire/data/query.ts"
import { callTool } from "../support/mcp.ts"
import { readCsv } from "../support/readCsv.ts"
import * as Runs from "../support/runs.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import { header, json, signatureFault } from "../support/signed.ts"

const metric = "active_storage_providers"
const subnets = Array.from({ length: 40 }, (_, n) => `SN${n}`)
const filled = new WeakSet<object>()

/** Two closed days and an open one of two networks; and enough telemetry for a sample that leaves most of it out. */
const seeded = Effect.gen(function* () {
  const service = yield* Service
  if (filled.has(service)) {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    return service
  }
  filled.add(service)
  const ingest = yield* Ingest
  const reading = (symbol: string, value: number, day: string) =>
    Runs.row(value, `2026-09-${day}T07:00:00Z`, { symbol, metric, source: "made-up" })
  for (const [day, fil, geod] of [
    ["02", 100, 50],
    ["03", 130, 40],
    ["05", 900, 60]
  ] as const) {
    yield* TestClock.setTime(Date.UTC(2026, 8, Number(day), 8))
    const rows = [reading("FIL", fil, day), reading("GEOD", geod, day)]
    yield* ingest.write(Runs.delivery(Date.UTC(2026, 8, Number(day), 8), rows, "made-up"))
  }
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 9))
  yield* (yield* DailyClose).run
  yield* (yield* Current).apply(
    subnets.map((symbol, n) =>
      latestRow(1000 + n, { symbol, value: n, as_of: new Date(Date.UTC(2026, 8, 5, 7)) })
    )
  )
  yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
  return service
})

layer(Service.layer())("a query", (it) => {
  const post = Effect.fnUntraced(function* (body: object, key?: string) {
    const { call } = yield* seeded
    return yield* call({
      method: "POST",
      path: "/v1/query",
      headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
      body: JSON.stringify(body)
    })
  })
  const answer = (body: object, key?: string) =>
    Effect.map(post(body, key), (reply) => {
      assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
      return json(reply) as unknown as QueryResponse
    })
  const only = ({ rows }: QueryResponse): QueryRow => {
    assert.lengthOf(rows, 1)
    return rows[0] as QueryRow
  }
  const keyOf = Effect.fnUntraced(function* (tier: "agent" | "design_partner", network: string) {
    const { call } = yield* seeded
    const accounts = yield* Accounts
    const { api_key } = yield* accounts.register({}, network)
    const { account } = json(yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": api_key } }))
    yield* accounts.setTier(String(account), tier)
    return api_key
  })

  it.effect("gives the growth of a network with the proofs of both ends in two kilobytes", () =>
    Effect.gen(function* () {
      const service = yield* seeded
      const reply = yield* post({ symbols: ["FIL"], metrics: [metric], aggregates: ["growth"] })
      assert.isAtMost(reply.body.length, 2048)
      assert.isUndefined(signatureFault(reply, service.keys, authority))
      const { growth, ...row } = only(json(reply) as unknown as QueryResponse)
      assert.notProperty(row, "value")
      assert.deepInclude(growth, { absolute: 30, relative: 30 })
      for (const end of [growth?.from, growth?.to]) {
        assert.isDefined(end?.leaf)
        const bundle = json(yield* service.call(end?.leaf?.bundle_url ?? ""))
        const { leaf } = bundle
        const { entry, index } = bundle["batch"] as Readonly<Record<string, string | number>>
        assert.deepInclude(JSON.parse(String(leaf)), { value: end?.value, day: end?.date, as_of: end?.as_of })
        assert.strictEqual(end?.leaf?.hash, toHex(leafHash(utf8(String(leaf)), sha256)))
        assert.strictEqual(end?.leaf?.index, index)
        assert.strictEqual(end?.leaf?.batch_root, JSON.parse(String(entry)).root)
      }
    })
  )

  it.effect("says what is asked and no more, and what the days of the record say", () =>
    Effect.gen(function* () {
      yield* seeded
      const latest = only(yield* answer({ symbols: ["filecoin"], metrics: [metric] }))
      assert.strictEqual(latest.value, 900)
      assert.doesNotHaveAnyKeys(latest, ["change", "change_pct", "growth", "rank"])
      const change = only(
        yield* answer({ symbols: ["GEOD"], metrics: [metric], aggregates: ["change"], days: 5 })
      )
      assert.deepInclude(change, { symbol: "GEOD", change_pct: -20 })
      assert.notProperty(change, "value")
      const history = json(yield* (yield* seeded).call("/v1/history?network=GEOD&days=5"))
      const { data } = history as { data?: Record<string, Record<string, { change: object }>> }
      assert.deepStrictEqual<object | undefined>(change.change, data?.["GEOD"]?.[metric]?.change)
      const cut = only(yield* answer({ symbols: ["FIL"], metrics: [metric], fields: ["value"] }))
      assert.hasAllKeys(cut, ["symbol", "metric", "value", "source", "verify_url", "as_of"])
    })
  )

  it.effect("shows twelve by name or the day's sample to everyone, and all from Design Partner on", () =>
    Effect.gen(function* () {
      yield* seeded
      const wide = { metrics: [metric], sort: "-value", limit: 500 }
      const { call } = yield* seeded
      const { supply } = json(yield* call("/v1/supply")) as { supply?: ReadonlyArray<QueryRow> }
      const open = new Set(supply?.map(({ symbol }) => symbol))
      for (const key of [undefined, yield* keyOf("agent", "192.0.2.1")]) {
        const { rows, sorted_within } = yield* answer(wide, key)
        assert.isNotEmpty(rows)
        assert.match(sorted_within ?? "", new RegExp(`^${rows.length} of 42 matching networks`))
        for (const { symbol } of rows) assert.isTrue(open.has(symbol), symbol)
        const named = yield* answer({ ...wide, symbols: subnets }, key)
        assert.deepStrictEqual([named.rows.length, named.not_shown?.length], [12, subnets.length - 12])
        const few = yield* answer({ ...wide, symbols: subnets.slice(-12) }, key)
        assert.deepStrictEqual(
          [few.rows.length, few.not_shown, few.sorted_within],
          [12, undefined, undefined]
        )
        const ranked = yield* post({ ...wide, symbols: ["FIL"], aggregates: ["rank"] }, key)
        assert.strictEqual(ranked.status, 402)
        assert.deepInclude(json(ranked)["how_to_unlock"], { required_tier: "Design Partner" })
      }
      const partner = yield* keyOf("design_partner", "192.0.2.2")
      const all = yield* answer({ ...wide, aggregates: ["latest", "rank"] }, partner)
      assert.strictEqual(all.n_rows, 42)
      assert.deepStrictEqual(
        all.rows.slice(0, 3).map(({ rank, symbol }) => [symbol, rank]),
        [
          ["FIL", 1],
          ["GEOD", 2],
          ["SN39", 3]
        ]
      )
      const moved = yield* answer({ ...wide, aggregates: ["change"], sort: "-change_pct", limit: 1 }, partner)
      assert.strictEqual(only(moved).symbol, "FIL")
      const next = yield* answer(
        { ...wide, aggregates: ["change"], sort: "-change_pct", limit: 1, cursor: moved.next_cursor },
        partner
      )
      assert.notStrictEqual(only(next).symbol, "FIL")
    })
  )

  it.effect("shows networks that the catalog shows on the same day", () =>
    Effect.gen(function* () {
      const { call } = yield* seeded
      const { networks } = json(yield* call("/v1/networks")) as {
        readonly networks?: ReadonlyArray<{ readonly symbol: string }>
      }
      const { rows } = yield* answer({ metrics: [metric] })
      assert.isAbove(rows.length, 3)
      assert.includeMembers(
        (networks ?? []).map(({ symbol }) => symbol),
        rows.map(({ symbol }) => symbol)
      )
    })
  )

  it.effect("names what is wrong with it", () =>
    Effect.gen(function* () {
      yield* seeded
      const wrong: ReadonlyArray<readonly [field: string, body: object]> = [
        ["metrics", {}],
        ["metrics", { metrics: [] }],
        ["metrics", { metrics: Array.from({ length: 11 }, () => metric) }],
        ["metrics", { metrics: ["nothing"] }],
        ["symbols", { metrics: [metric], symbols: [] }],
        ["fields", { metrics: [metric], fields: [] }],
        ["aggregates", { metrics: [metric], aggregates: [] }],
        ["days", { metrics: [metric], days: 3651 }],
        ["days", { metrics: [metric], days: 1.5 }],
        ["limit", { metrics: [metric], limit: 501 }],
        ["sort", { metrics: [metric], sort: "-rank" }],
        ["sort", { metrics: [metric], sort: "n_ranked", aggregates: ["latest"] }],
        ["days", { metrics: [metric], days: 0 }],
        ["sort", { metrics: [metric], sort: "growth" }],
        ["fields", { metrics: [metric], fields: ["nothing"] }],
        ["aggregates.0", { metrics: [metric], aggregates: ["nothing"] }],
        ["what", { metrics: [metric], what: 1 }]
      ]
      for (const [field, body] of wrong) {
        const reply = yield* post(body)
        assert.deepStrictEqual([reply.status, json(reply)["field"]], [400, field], JSON.stringify(body))
      }
      assert.strictEqual((yield* post({ metrics: [metric], symbols: ["FILX"] })).status, 404)
      for (const field of ["metrics", "symbols", "fields", "aggregates"]) {
        const reply = yield* post({ metrics: [metric], [field]: [] })
        assert.include(reply.body.toString("utf8"), `${field} is an empty list.`)
      }
      const days = yield* post({ metrics: [metric], days: 0 })
      assert.include(days.body.toString("utf8"), "days must be a whole number from 1 to 3650.")
      const partner = yield* keyOf("design_partner", "192.0.2.3")
      const ranked = { metrics: [metric], aggregates: ["rank"], sort: "rank", limit: 1 }
      assert.strictEqual(only(yield* answer(ranked, partner)).rank, 1)
    })
  )

  it.effect("is a table, too, whose next page a header names", () =>
    Effect.gen(function* () {
      const { call } = yield* seeded
      const table = Effect.fnUntraced(function* (body: object) {
        const reply = yield* call({
          method: "POST",
          path: "/v1/query?format=csv",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body)
        })
        assert.strictEqual(header(reply, "content-type"), "text/csv; charset=utf-8")
        const { columns, rows } = yield* readCsv(reply.body)
        assert.strictEqual(header(reply, "x-service-rows"), String(rows.length))
        return { columns, rows, next: header(reply, "x-service-next-cursor") }
      })
      const request = { metrics: [metric], symbols: ["FIL"], aggregates: ["latest", "growth"] }
      const [row] = (yield* answer(request)).rows
      const { next: last, rows } = yield* table(request)
      assert.strictEqual(last, "")
      assert.deepInclude(rows[0], {
        symbol: "FIL",
        value: "900",
        unit: "count",
        growth: JSON.stringify(row?.growth),
        rank: null,
        licence: "CC-BY-4.0"
      })
      const some = { metrics: [metric], fields: ["value"], limit: 1 }
      const first = yield* table(some)
      assert.deepStrictEqual(first.columns, [
        "symbol",
        "metric",
        "value",
        "value_text",
        "source",
        "verify_url",
        "as_of",
        "simulated",
        "unconfirmed",
        "by_definition",
        "by_definition_reason",
        "reviewed"
      ])
      const second = yield* table({ ...some, cursor: first.next })
      const { rows: pages } = yield* answer({ ...some, limit: 2 })
      assert.deepStrictEqual(
        [...first.rows, ...second.rows].map(({ symbol }) => symbol),
        pages.map(({ symbol }) => symbol)
      )
      const refused = yield* call({
        method: "POST",
        path: "/v1/query?format=xml",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request)
      })
      assert.deepInclude(json(refused), { status: 400, field: "format" })
    })
  )

  it.effect("says in its description within which bounds it answers", () =>
    Effect.gen(function* () {
      const { call } = yield* seeded
      const { components } = json(yield* call("/openapi.json")) as {
        components?: { schemas: Record<string, { properties: Record<string, object> }> }
      }
      const members = components?.schemas["QueryRequest"]?.properties ?? {}
      const bounds = {
        days: { type: "integer", minimum: 1, maximum: 3650 },
        limit: { type: "integer", minimum: 1, maximum: 500 },
        metrics: { minItems: 1, maxItems: 10 },
        symbols: { minItems: 1, maxItems: 50 },
        fields: { minItems: 1, maxItems: 50 },
        aggregates: { minItems: 1 }
      }
      for (const [name, expected] of Object.entries(bounds)) {
        const { allOf = [], ...own } = (members[name] ?? {}) as { allOf?: ReadonlyArray<object> }
        assert.deepInclude(Object.assign({}, ...allOf, own), expected, name)
      }
    })
  )

  it.effect("is the same as a tool", () =>
    Effect.gen(function* () {
      yield* seeded
      const request = { symbols: ["FIL"], metrics: [metric], aggregates: ["growth", "latest"] }
      const { data } = yield* callTool("query", { ...request, symbols: "FIL", metrics: metric })
      assert.deepStrictEqual(data, yield* answer(request))
      const ranked = yield* callTool("query", { ...request, aggregates: ["rank"] })
      assert.deepStrictEqual([ranked.isError, ranked.data.error], [true, "tier_too_low"])
    })
  )
})

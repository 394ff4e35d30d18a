/** Lists as CSV: the rows of the JSON, signed like it, and safe in a spreadsheet. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import { fixtureNow } from "../support/fixtureRows.ts"
import { hostile, inCell, type Json, readCsv } from "../support/readCsv.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import { header, json, type Reply, signatureFault } from "../support/signed.ts"
import { storeDaily, storeSeries } from "../support/views.ts"

const dayOf = (n: number): string => new Date(fixtureNow - n * 86_400_000).toISOString().slice(0, 10)

/** Services that have the rows. */
const filled = new WeakSet<object>()

const stored = Effect.gen(function* () {
  const service = yield* Service
  yield* TestClock.setTime(fixtureNow)
  if (filled.has(service)) return service
  filled.add(service)
  yield* (yield* Current).apply([
    ...hostile.map((source, n) => latestRow(n + 1, { source, metric: `metric_${n}`, value: n - 5 })),
    latestRow(40, { symbol: "GEOD", metric: "huge", value: 1e300, value_text: "-123456789012345678901" }),
    ...["AKT", "FIL"].flatMap((symbol, n) => [
      latestRow(50 + n, { symbol, metric: "price_usd", tier: "market", unit: "usd", value: n }),
      latestRow(60 + n, { symbol, metric: "tvl_usd", tier: "market", unit: "usd", value: 5, source: "=b" })
    ])
  ])
  for (const symbol of ["FIL", "GEOD", "AKT"]) {
    const series = yield* storeSeries({ symbol, metric: "price_usd", source: "=cmd", unit: "usd" })
    yield* storeDaily(
      series,
      [1, 2, 4].map((n) => ({ date: dayOf(n), value: n - 1, ...(n === 2 ? { value_text: "-0.10" } : {}) }))
    )
  }
  return service
})

/** The rows of a JSON answer, by the path that gives it. */
const rowsOf: Readonly<Record<string, (body: Json) => unknown>> = {
  "/v1/networks?limit=5": (body) => body["networks"],
  "/v1/supply": (body) => body["supply"],
  "/v1/supply?network=GEOD": (body) =>
    Object.entries(body["supply"] as Readonly<Record<string, Json>>).map(([metric, member]) => ({
      symbol: "GEOD",
      metric,
      ...member
    })),
  "/v1/market": (body) => body,
  "/v1/market?limit=1": (body) => body,
  "/v1/revenue": (body) => body,
  "/v1/revisions": (body) => body["revisions"],
  "/v1/history?network=FIL,GEOD&days=10": (body) =>
    Object.entries(body["data"] as Readonly<Record<string, Readonly<Record<string, Json>>>>).flatMap(
      ([symbol, metrics]) =>
        Object.entries(metrics).flatMap(([metric, { points, ...series }]) =>
          (points as ReadonlyArray<Json>).map((point) => ({ ...series, symbol, metric, ...point }))
        )
    )
}

const asCsv = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}format=csv`

layer(Service.layer())("a list as CSV", (it) => {
  const signed = (reply: Reply) =>
    Effect.map(Service, ({ keys }) => assert.isUndefined(signatureFault(reply, keys, authority)))

  it.effect("has the rows of the JSON, signed: what is absent is empty, a measured zero is 0", () =>
    Effect.gen(function* () {
      const service = yield* stored
      for (const [path, rows] of Object.entries(rowsOf)) {
        const plain = yield* service.call(path)
        const table = yield* service.call(asCsv(path))
        assert.strictEqual(table.status, 200, path)
        assert.strictEqual(header(table, "content-type"), "text/csv; charset=utf-8")
        assert.match(header(table, "content-disposition"), /^attachment; filename="[\w.-]+\.csv"$/)
        yield* signed(table)
        const read = yield* readCsv(table.body)
        const expected = rows(json(plain)) as ReadonlyArray<Json>
        assert.strictEqual(header(table, "x-service-rows"), String(expected.length), path)
        assert.deepStrictEqual(
          read.rows,
          expected.map((row) => Object.fromEntries(read.columns.map((name) => [name, inCell(row[name])]))),
          path
        )
      }
    })
  )

  it.effect("says in headers what its JSON says beside the rows", () =>
    Effect.gen(function* () {
      const service = yield* stored
      const table = yield* service.call("/v1/market?limit=1&format=csv")
      assert.match(header(table, "link"), /\/v1\/market\?limit=1&format=csv&cursor=AKT>; rel="next"$/)
      const networks = yield* service.call("/v1/networks?limit=5")
      const { note } = json(networks)["access"] as Readonly<Record<string, unknown>>
      assert.strictEqual(
        header(yield* service.call("/v1/networks?limit=5&format=csv"), "x-service-access"),
        note
      )
    })
  )

  it.effect("is refused like its JSON", () =>
    Effect.gen(function* () {
      const service = yield* stored
      const unknown = yield* service.call("/v1/history?network=FILX&format=csv")
      assert.deepStrictEqual(
        [unknown.status, header(unknown, "content-type")],
        [404, "application/problem+json"]
      )
      const wrong = yield* service.call("/v1/market?format=xml")
      assert.deepInclude(json(wrong), { field: "format", valid_values: ["json", "csv"] })
    })
  )
})

layer(Service.layer())("one metric of all networks", (it) => {
  it.effect("is for tiers that compare networks", () =>
    Effect.gen(function* () {
      const service = yield* stored
      const path = "/v1/history?network=*&metric=price_usd&days=10"
      const as = Effect.fnUntraced(function* (tier: AccountTier, network: string) {
        const accounts = yield* Accounts
        const { api_key } = yield* accounts.register({}, network)
        const headers = { "x-api-key": api_key }
        const balance = yield* service.call({ path: "/v1/credits/balance", headers })
        yield* accounts.setTier(String(json(balance)["account"]), tier)
        return yield* service.call({ path, headers })
      })
      const keyless = yield* service.call(path)
      assert.deepInclude(json(keyless)["how_to_unlock"], { required_tier: "Design Partner" })
      assert.strictEqual((yield* as("agent", "192.0.2.1")).status, 402)
      const all = yield* as("design_partner", "192.0.2.2")
      assert.deepStrictEqual(Object.keys(Object(json(all)["data"])), ["AKT", "FIL", "GEOD"])
      assert.strictEqual((yield* service.call("/v1/history?network=*")).status, 402)
    })
  )
})

/** What a caller asks for of a list: one parser for every list, which never adds to what the tier shows. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { fixtureNow } from "../support/fixtureRows.ts"
import { callTool } from "../support/mcp.ts"
import { readCsv } from "../support/readCsv.ts"
import { latestRow, Service } from "../support/service.ts"
import { header, json, type Reply } from "../support/signed.ts"
import { storeDaily, storeSeries } from "../support/views.ts"

interface Row {
  readonly symbol: string
  readonly metric: string
  readonly [name: string]: unknown
}

/** Storage, compute and wireless; and enough telemetry for a sample that leaves most of it out. */
const named = ["AKT", "FIL", "HNT", "STORJ"]
const others = Array.from({ length: 60 }, (_, n) => `SN${n}`)

const filled = new WeakSet<object>()

const seeded = Effect.gen(function* () {
  const service = yield* Service
  yield* TestClock.setTime(fixtureNow)
  if (filled.has(service)) return service
  filled.add(service)
  yield* (yield* Current).apply([
    ...named.flatMap((symbol, n) => [
      latestRow(1 + n, { symbol, value: 10 * n }),
      latestRow(11 + n, { symbol, metric: "devices_total", value: 100 - n }),
      latestRow(21 + n, { symbol, metric: "price_usd", tier: "market", unit: "usd", value: n % 2 })
    ]),
    latestRow(31, { symbol: "FIL", metric: "market_cap_usd", tier: "market", unit: "usd", source: "second" }),
    ...others.map((symbol, n) => latestRow(100 + n, { symbol, value: n }))
  ])
  const series = yield* storeSeries({ symbol: "FIL", metric: "price_usd", source: "made-up", unit: "usd" })
  yield* storeDaily(series, [{ date: "2026-09-01", value: 2 }])
  return service
})

/** The rows of an answer, wherever it has them. */
const rowsIn = (reply: Reply): ReadonlyArray<Row> => {
  const body: unknown = JSON.parse(reply.body.toString("utf8"))
  assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
  if (Array.isArray(body)) return body
  const { metrics, networks, provenance, supply, symbols } = Object(body)
  return networks ?? supply ?? provenance ?? symbols ?? metrics
}

const lists = [
  "/v1/networks",
  "/v1/supply",
  "/v1/market",
  "/v1/revenue",
  "/v1/provenance",
  "/v1/symbols",
  "/v1/data-dictionary",
  "/v1/network/FIL"
]

layer(Service.layer())("a selection", (it) => {
  const get = (path: string) => Effect.flatMap(seeded, ({ call }) => call(path))
  const rows = (path: string) => Effect.map(get(path), rowsIn)

  it.effect("is refused with the field and what is valid, by every list alike", () =>
    Effect.gen(function* () {
      for (const path of lists) {
        const wrong = { fields: "nothing", sort: "nothing", limit: "0", cursor: "[]" }
        for (const [field, value] of Object.entries(wrong)) {
          const reply = yield* get(`${path}?${field}=${value}`)
          assert.strictEqual(reply.status, 400, `${path} ${field}`)
          assert.strictEqual(json(reply)["field"], field, path)
          assert.isTrue("valid" in json(reply) || "valid_values" in json(reply), `${path} ${field}`)
        }
        if (path.startsWith("/v1/network/")) continue
        const unknown = yield* get(`${path}?symbols=FIL,FILX`)
        assert.deepInclude(json(unknown), { field: "symbols", did_you_mean: ["FIL"] }, path)
        const category = yield* get(`${path}?category=nothing`)
        assert.include(json(category)["valid_values"], "storage", path)
        const many = yield* get(`${path}?symbols=${Array.from({ length: 51 }, () => "FIL").join(",")}`)
        assert.strictEqual(json(many)["field"], "symbols", path)
        assert.strictEqual((yield* get(`${path}?symbols=FIL,`)).status, 400, path)
      }
      const market = yield* get("/v1/market?metrics=devices_total")
      assert.deepStrictEqual(json(market)["valid_values"], [
        "price_usd",
        "market_cap_usd",
        "fully_diluted_valuation_usd"
      ])
    })
  )

  it.effect("leaves the rows that it names", () =>
    Effect.gen(function* () {
      const of = (path: string) => Effect.map(rows(path), (all) => all.map(({ symbol }) => symbol))
      assert.deepStrictEqual(yield* of("/v1/market?symbols=filecoin,akt"), ["AKT", "FIL"])
      assert.deepStrictEqual(yield* of("/v1/market?metrics=market_cap_usd"), ["FIL"])
      assert.deepStrictEqual(yield* of("/v1/market?category=storage"), ["FIL", "STORJ"])
      assert.deepStrictEqual(yield* of("/v1/symbols?symbols=HNT,FIL&metrics=market_cap_usd"), ["FIL"])
      assert.deepStrictEqual(
        (yield* rows("/v1/network/FIL?metrics=devices_total,price_usd")).map(({ metric }) => metric),
        ["devices_total", "price_usd"]
      )
      const provenance = json(yield* get("/v1/provenance?symbols=FIL,AKT&metrics=devices_total"))
      assert.deepInclude(provenance, { n_records: 2, n_records_shown: 2 })
      assert.isAtMost(Object.keys(Object(provenance["not_covered"])).length, 2)
      const dictionary = yield* rows("/v1/data-dictionary?metrics=active_storage_providers")
      assert.deepStrictEqual(
        [...new Set(dictionary.map(({ metric }) => metric))],
        ["active_storage_providers"]
      )
      const history = json(yield* get("/v1/history?symbols=FIL,AKT&metrics=price_usd&days=3650"))
      assert.deepStrictEqual(Object.keys(Object(history["data"])), ["AKT", "FIL"])
      for (const path of ["/v1/history", "/v1/supply", "/v1/provenance"]) {
        const both = yield* get(`${path}?network=FIL&symbols=AKT`)
        assert.strictEqual(both.status, 400, path)
        assert.deepInclude(json(both), { field: "symbols" }, path)
        assert.include(both.body.toString("utf8"), "Send symbols or network, not both.", path)
      }
    })
  )

  it.effect("holds for the telemetry of one network as for that of many", () =>
    Effect.gen(function* () {
      const one = "/v1/supply?network=FIL"
      const metricsOf = (path: string) =>
        Effect.map(get(path), (reply) => {
          assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
          return Object.keys(Object(json(reply)["supply"]))
        })
      const both = ["active_storage_providers", "devices_total"]
      assert.deepStrictEqual(yield* metricsOf(one), both)
      assert.deepStrictEqual(yield* metricsOf(`${one}&metrics=devices_total`), ["devices_total"])
      assert.deepStrictEqual(yield* metricsOf(`${one}&category=storage`), both)
      assert.deepStrictEqual(yield* metricsOf(`${one}&category=ai`), [])
      assert.deepStrictEqual(yield* metricsOf(`${one}&sort=-value`), both.toReversed())
      assert.strictEqual(json(yield* get(`${one}&category=ai`))["n_networks_shown"], 0)
      const table = yield* readCsv((yield* get(`${one}&metrics=devices_total&format=csv`)).body)
      assert.strictEqual(table.rows.length, 1)
      for (const order of ["", "&sort=-value"]) {
        const first = yield* get(`${one}&limit=1${order}`)
        assert.match(header(first, "link"), /rel="next"/)
        const cursor = encodeURIComponent(String(json(first)["next_cursor"]))
        const last = `${one}&limit=1${order}&cursor=${cursor}`
        assert.deepStrictEqual(yield* metricsOf(last), order === "" ? ["devices_total"] : [both[0]])
        assert.notProperty(json(yield* get(last)), "next_cursor")
      }
      const wrong = { metrics: "nope", category: "nope", sort: "nope", limit: "0", cursor: "[]" }
      for (const [field, value] of Object.entries(wrong)) {
        for (const form of ["", "&format=csv"]) {
          const reply = yield* get(`${one}&${field}=${value}${form}`)
          assert.strictEqual(reply.status, 400, field)
          assert.strictEqual(json(reply)["field"], field)
        }
      }
    })
  )

  it.effect("keeps what a value is proved by, whatever fields are chosen", () =>
    Effect.gen(function* () {
      const chosen = "/v1/supply?symbols=FIL&fields=value"
      const reply = yield* get(chosen)
      assert.strictEqual(header(reply, "content-type"), "application/json; fields=some")
      for (const row of rowsIn(reply))
        assert.hasAllKeys(row, ["symbol", "metric", "value", "source", "verify_url", "as_of"])
      const [price] = yield* rows("/v1/market?symbols=FIL&fields=price_usd")
      assert.doesNotHaveAnyKeys(price ?? {}, ["market_cap_usd", "field_sources"])
      const [cap] = yield* rows("/v1/market?symbols=FIL&fields=market_cap_usd")
      assert.deepStrictEqual(Object.keys(Object(cap?.["field_sources"])), ["market_cap_usd"])
      const table = yield* readCsv((yield* get(`${chosen}&format=csv`)).body)
      assert.deepStrictEqual(
        table.columns.filter((column) => ["value", "value_text", "unit"].includes(column)),
        ["value", "value_text"]
      )
      const history = json(yield* get("/v1/history?network=FIL&fields=change_pct&days=3650"))
      const series = Object(Object(Object(history["data"])["FIL"])["price_usd"])
      assert.hasAllKeys(series, ["source", "verify_url", "as_of", "change_pct"])
    })
  )

  it.effect("sorts over all pages, and what is not measured comes last", () =>
    Effect.gen(function* () {
      const orders: Readonly<Record<string, ReadonlyArray<string>>> = {
        price_usd: ["AKT", "HNT", "FIL", "STORJ"],
        "-price_usd": ["FIL", "STORJ", "AKT", "HNT"],
        "-market_cap_usd": ["FIL", "AKT", "HNT", "STORJ"]
      }
      for (const [sort, expected] of Object.entries(orders)) {
        const walked: Array<string> = []
        let path: string | undefined = `/v1/market?sort=${sort}&limit=1`
        while (path !== undefined && walked.length < 10) {
          const reply: Reply = yield* get(path)
          walked.push(...rowsIn(reply).map(({ symbol }) => symbol))
          path = /^<[^/]+\/\/[^/]+([^>]+)>/.exec(header(reply, "link"))?.[1]
        }
        assert.deepStrictEqual(walked, expected, sort)
      }
      const list: ReadonlyArray<Row> = yield* rows("/v1/symbols?sort=-live_series&limit=1")
      assert.strictEqual(list[0]?.symbol, "FIL")
    })
  )

  it.effect("takes a cursor with the sort that it is of, and with no other", () =>
    Effect.gen(function* () {
      const { call } = yield* seeded
      const cursorOf = (reply: Reply): string =>
        json(reply)["next_cursor"]?.toString() ??
        new URL(/^<([^>]+)>/.exec(header(reply, "link"))?.[1] ?? "").searchParams.get("cursor") ??
        ""
      const sorted: Readonly<Record<string, readonly [string, ReadonlyArray<string>]>> = {
        "/v1/market": ["-market_cap_usd", ["market_cap_usd", "-price_usd", "price_usd"]],
        "/v1/network/FIL": ["value", ["-value", "metric"]],
        "/v1/supply": ["-value", ["value", "metric"]],
        "/v1/supply?network=FIL": ["-value", ["value", "metric"]],
        "/v1/networks": ["name", ["-name", "symbol"]],
        "/v1/provenance": ["metric", ["-metric", "symbol"]]
      }
      const refusal = "cursor must be the next_cursor of the previous page, with the same sort."
      for (const [path, [own, others]] of Object.entries(sorted)) {
        const page = (sort: string, cursor?: string) => {
          const after = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`
          return get(`${path}${path.includes("?") ? "&" : "?"}limit=1&sort=${sort}${after}`)
        }
        const cursor = cursorOf(yield* page(own))
        assert.strictEqual((yield* page(own, cursor)).status, 200, path)
        for (const other of others) {
          const reply = yield* page(other, cursor)
          assert.strictEqual(reply.status, 400, `${path} ${other}`)
          assert.strictEqual(json(reply)["field"], "cursor", path)
          assert.include(reply.body.toString("utf8"), refusal, path)
        }
        // As it was before it had a sort.
        const before = JSON.stringify(JSON.parse(cursor).slice(0, 2))
        assert.strictEqual((yield* page(own, before)).status, 400, path)
      }
      const ask = (body: object) =>
        call({
          method: "POST",
          path: "/v1/query",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            metrics: ["price_usd", "devices_total"],
            symbols: ["FIL"],
            limit: 1,
            ...body
          })
        })
      const cursor = cursorOf(yield* ask({ sort: "-value" }))
      assert.strictEqual((yield* ask({ sort: "-value", cursor })).status, 200)
      for (const sort of ["value", "metric"]) {
        const reply = yield* ask({ sort, cursor })
        assert.strictEqual(reply.status, 400, sort)
        assert.strictEqual(json(reply)["field"], "cursor", sort)
      }
    })
  )

  it.effect(
    "comes before the sample: twelve by name are given, and what is left is sampled, live networks first",
    () =>
      Effect.gen(function* () {
        const { call } = yield* seeded
        const symbolsOf = (path: string) =>
          Effect.map(rows(path), (all) => [...new Set(all.map(({ symbol }) => symbol))])
        const twelve = [...named, ...others].slice(0, 12)
        for (const path of ["/v1/supply", "/v1/networks"]) {
          assert.sameMembers(yield* symbolsOf(`${path}?symbols=${twelve.join(",")}`), twelve)
          // Of more, twelve in turn; what is named and not shown is named in the answer.
          const many = yield* get(`${path}?symbols=${others.slice(0, 50).join(",")}&sort=symbol`)
          const body = json(many)
          const inAnswer = new Set(rowsIn(many).map(({ symbol }) => symbol))
          assert.strictEqual(inAnswer.size, 12)
          const left = Object(body["not_shown"] ?? body["also_matching"])
          assert.sameMembers([...inAnswer, ...left], others.slice(0, 50))
          // It is the first member: whoever quotes the first row has read it.
          assert.strictEqual(Object.keys(body)[0], "sorted_within")
          assert.match(String(body["sorted_within"]), /^12 of 50 matching networks/)
        }
        // Two live networks of many that are only listed.
        const storage = yield* symbolsOf("/v1/networks?category=storage")
        assert.includeMembers(storage, ["FIL", "STORJ"])
        assert.isAtMost(storage.length, 40)
        // A quarter of the four that measure it.
        assert.lengthOf(yield* symbolsOf("/v1/supply?metrics=devices_total"), 1)
        const csv = yield* readCsv((yield* get("/v1/networks?category=storage&format=csv")).body)
        assert.sameMembers(
          csv.rows.map((row) => row["symbol"]),
          storage
        )
        const accounts = yield* Accounts
        const { api_key } = yield* accounts.register({}, "192.0.2.9")
        const { account } = json(
          yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": api_key } })
        )
        yield* accounts.setTier(String(account), "design_partner")
        const all = yield* call({
          path: `/v1/supply?symbols=${named.join(",")}`,
          headers: { "x-api-key": api_key }
        })
        assert.strictEqual(rowsIn(all).length, 2 * named.length)
        assert.notProperty(json(all), "not_shown")
      })
  )

  it.effect("of two rows is small, whatever the catalog lacks", () =>
    Effect.gen(function* () {
      for (const path of ["/v1/networks?limit=2", "/v1/provenance?limit=2"])
        assert.isBelow((yield* get(path)).body.length, 10_000, path)
    })
  )

  it.effect("is a table for whoever accepts CSV before JSON, as with format=csv", () =>
    Effect.gen(function* () {
      const { call } = yield* seeded
      const tables = [
        "/v1/networks?limit=2",
        "/v1/supply?network=FIL",
        "/v1/market",
        "/v1/revenue",
        "/v1/provenance?network=FIL",
        "/v1/network/FIL",
        "/v1/history?network=FIL&days=30",
        "/v1/revisions",
        "/v1/anomalies"
      ]
      const accepting = (path: string, accept: string) => call({ path, headers: { accept } })
      for (const path of tables) {
        const table = yield* get(`${path}${path.includes("?") ? "&" : "?"}format=csv`)
        // Twice: the second comes from the cache, beside the JSON of the same address.
        for (const accept of ["text/csv", "text/csv, */*;q=0.1", "text/csv"]) {
          const reply = yield* accepting(path, accept)
          assert.strictEqual(header(reply, "content-type"), "text/csv; charset=utf-8", `${path} ${accept}`)
          assert.strictEqual(reply.body.toString("utf8"), table.body.toString("utf8"), path)
          assert.match(header(reply, "vary"), /^Accept, /, path)
        }
        for (const accept of ["*/*", "application/json, text/csv", "text/csv;q=0.5, application/json"]) {
          const reply = yield* accepting(path, accept)
          assert.strictEqual(header(reply, "content-type"), "application/json", `${path} ${accept}`)
          assert.match(header(reply, "vary"), /^Accept, /, path)
        }
        const both = yield* accepting(`${path}${path.includes("?") ? "&" : "?"}format=json`, "text/csv")
        assert.strictEqual(header(both, "content-type"), "application/json", path)
      }
      for (const path of ["/v1/symbols", "/v1/data-dictionary", "/v1/world"])
        assert.strictEqual(
          header(yield* accepting(path, "text/csv"), "content-type"),
          "application/json",
          path
        )
      const query = {
        method: "POST",
        path: "/v1/query",
        body: JSON.stringify({ symbols: ["FIL"], metrics: ["price_usd"] }),
        headers: { "content-type": "application/json", accept: "text/csv" }
      }
      assert.strictEqual(header(yield* call(query), "content-type"), "text/csv; charset=utf-8")
    })
  )

  it.effect("is the same for MCP", () =>
    Effect.gen(function* () {
      yield* seeded
      const market = { dataset: "market", symbols: ["FIL", "AKT"], fields: "price_usd", sort: "-price_usd" }
      const { data } = yield* callTool("fetch_dataset", market)
      assert.deepStrictEqual(
        data.answer.rows,
        yield* rows("/v1/market?symbols=FIL,AKT&fields=price_usd&sort=-price_usd")
      )
      const refused = yield* callTool("fetch_dataset", { ...market, fields: "nothing" })
      assert.strictEqual(refused.data.field, "fields")
      const alone = yield* callTool("fetch_dataset", { dataset: "world", symbols: "FIL" })
      assert.strictEqual(alone.data.field, "symbols")
      const values = yield* callTool("get_network", { symbol: "FIL", metric: "devices_total,price_usd" })
      assert.strictEqual(values.data.n_rows, 2)
      const { data: storage } = yield* callTool("find_networks", {
        category: "storage",
        query: "filecoin akash"
      })
      assert.deepStrictEqual(
        storage.networks.map(({ symbol }: Row) => symbol),
        ["FIL"]
      )
    })
  )
})

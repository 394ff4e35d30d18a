/** `/v1/asof`: one signed answer about many times, as JSON or CSV, for those whom the tier shows them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { type AsofRow, mostRows } from "../../core/wire/data/asof.ts"
import * as Runs from "../support/runs.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import { json, signatureFault } from "../support/signed.ts"

const metric = "active_storage_providers"
const subnets = Array.from({ length: 40 }, (_, n) => `SN${n}`)
const at = (day: number, hours: number) => Date.UTC(2026, 8, day, hours)
const filled = new WeakSet<object>()

/** Readings of two networks, one of them restated; and enough telemetry for a sample that leaves most of it out. */
const seeded = Effect.gen(function* () {
  const service = yield* Service
  if (!filled.has(service)) {
    filled.add(service)
    const ingest = yield* Ingest
    for (const [now, asOf, fil] of [
      [at(2, 8), at(2, 7), 100],
      [at(3, 8), at(3, 7), 130],
      [at(3, 20), at(3, 7), 131]
    ] as const) {
      yield* TestClock.setTime(now)
      const rows = ["FIL", "GEOD"].map((symbol) =>
        Runs.row(fil, isoTime(asOf), { symbol, metric, source: "made-up" })
      )
      yield* ingest.write(Runs.delivery(now, rows, "made-up"))
    }
    yield* (yield* Current).apply(
      subnets.map((symbol, n) => latestRow(1000 + n, { symbol, value: n, as_of: new Date(at(5, 7)) }))
    )
  }
  yield* TestClock.setTime(at(5, 9))
  return service
})

const key = { symbol: "FIL", metric, as_known_at: "2026-09-03T12:00:00Z" }

layer(Service.layer())("a point-in-time join", (it) => {
  const post = Effect.fnUntraced(function* (
    body: string | object,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const { call } = yield* seeded
    return yield* call({
      method: "POST",
      path: "/v1/asof",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  })
  const rowsOf = (reply: Effect.Success<ReturnType<typeof post>>) => {
    assert.strictEqual(reply.status, 200, reply.body.toString("utf8").slice(0, 500))
    return json(reply)["rows"] as ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  const keyOf = Effect.fnUntraced(function* (tier: "design_partner", network: string) {
    const { call } = yield* seeded
    const accounts = yield* Accounts
    const { api_key } = yield* accounts.register({}, network)
    const { account } = json(yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": api_key } }))
    yield* accounts.setTier(String(account), tier)
    return api_key
  })

  it.effect("answers what was known, signed, in the order of its rows", () =>
    Effect.gen(function* () {
      const service = yield* seeded
      const times = ["2026-09-02T07:59:59Z", "2026-09-03T12:00:00Z", "2026-09-03T20:00:00Z"]
      const reply = yield* post({
        rows: [...times, ...times].map((as_known_at, n) => ({
          symbol: "filecoin",
          metric,
          as_known_at,
          at: n < 3 ? null : "2026-09-02T23:00:00Z"
        }))
      })
      assert.isUndefined(signatureFault(reply, service.keys, authority))
      const rows = rowsOf(reply)
      assert.deepStrictEqual(
        rows.map(({ absent, value, version }) => absent ?? [value, version]),
        ["not_measured", [130, 1], [131, 2], "not_measured", [100, 1], [100, 1]]
      )
      assert.deepStrictEqual(rows[2], {
        symbol: "FIL",
        metric,
        as_known_at: "2026-09-03T20:00:00Z",
        value: 131,
        unit: "count",
        source: "made-up",
        verify_url: "https://stats.example.net/v1/nodes",
        as_of: "2026-09-03T07:00:00Z",
        recorded_at: "2026-09-03T20:00:00Z",
        version: 2,
        licence: "CC-BY-4.0",
        attribution: "Data: Made-up, Inc."
      })
      assert.deepInclude(json(reply), { n_rows: 6, n_absent: 2 })
    })
  )

  it.effect("takes and gives tables", () =>
    Effect.gen(function* () {
      const table = [
        "metric,symbol,at,as_known_at",
        `${metric},FIL,,${key.as_known_at}`,
        `"${metric}",FIL,2026-09-02,2026-09-03T12:00:00Z`
      ].join("\r\n")
      const reply = yield* post(table, { "content-type": "text/csv; charset=utf-8", accept: "text/csv" })
      assert.strictEqual(reply.status, 200)
      const [head, first, second] = reply.body.toString("utf8").split("\r\n")
      assert.strictEqual(
        head,
        "symbol,metric,as_known_at,at,value,value_text,unit,source,verify_url,as_of,recorded_at,version,simulated,unconfirmed,licence,attribution,absent,source_method,by_definition,by_definition_reason,reviewed"
      )
      assert.match(first ?? "", /^FIL,active_storage_providers,2026-09-03T12:00:00Z,,130,,count,made-up,/)
      assert.match(
        second ?? "",
        /^FIL,active_storage_providers,2026-09-03T12:00:00Z,2026-09-02T00:00:00Z,,.*,not_measured,,,,$/
      )
      const same = rowsOf(yield* post(table, { "content-type": "text/csv" }))
      assert.strictEqual(same[0]?.["value"], 130)
      assert.strictEqual((yield* post("x", { "content-type": "text/plain" })).status, 415)
    })
  )

  it.effect("shows twelve networks to everyone, and all of them from Design Partner on", () =>
    Effect.gen(function* () {
      const wide = {
        rows: [key, { ...key, symbol: "GEOD" }, ...subnets.map((symbol) => ({ ...key, symbol }))]
      }
      yield* seeded
      const absences = (reply: typeof wide) =>
        Effect.map(post(reply), (answer) => rowsOf(answer).filter(({ absent }) => absent === "not_shown"))
      assert.lengthOf(yield* absences(wide), wide.rows.length - 12)
      assert.lengthOf(yield* absences({ rows: wide.rows.slice(0, 12) }), 0)
      const all = rowsOf(yield* post(wide, { "x-api-key": yield* keyOf("design_partner", "192.0.2.3") }))
      assert.deepStrictEqual(
        all.slice(0, 2).map(({ value }) => value),
        [130, 130]
      )
      assert.notInclude(
        all.map(({ absent }) => absent),
        "not_shown"
      )
    })
  )

  it.effect("names the row and the member that is wrong", () =>
    Effect.gen(function* () {
      const fill = Array.from({ length: 500 }, () => key)
      const wrong: ReadonlyArray<readonly [field: string, row: object]> = [
        ["rows.500.symbol", { ...key, symbol: 7 }],
        ["rows.500.metric", { symbol: "FIL", as_known_at: key.as_known_at }],
        ["rows.500.metric", { ...key, metric: "nothing" }],
        ["rows.500.source", { ...key, source: "nothing" }],
        ["rows.500.as_known_at", { ...key, as_known_at: "yesterday" }],
        ["rows.500.as_known_at", { ...key, as_known_at: "2026-09-06T00:00:00Z" }],
        ["rows.500.as_known_at", { ...key, as_known_at: "2026-08-01T00:00:00Z" }],
        ["rows.500.at", { ...key, at: "2026-02-31" }],
        ["rows.500.at", { ...key, at: "2026-08-01T00:00:00Z" }],
        ["rows.500.what", { ...key, what: 1 }]
      ]
      for (const [field, row] of wrong) {
        const reply = yield* post({ rows: [...fill, row] })
        assert.deepStrictEqual(
          [reply.status, json(reply)["field"]],
          [400, field],
          JSON.stringify(json(reply))
        )
      }
      const unknown = yield* post({ rows: [key, { ...key, symbol: "FILX" }] })
      assert.deepStrictEqual([unknown.status, json(unknown)["field"]], [404, "rows.1.symbol"])
      for (const [field, body] of [
        ["rows", { rows: [] }],
        ["rows", {}],
        ["what", { rows: [key], what: 1 }],
        ["body", "{"]
      ] as const) {
        const reply = yield* post(body)
        assert.deepStrictEqual(
          [reply.status, json(reply)["field"]],
          [400, field],
          JSON.stringify(json(reply))
        )
      }
    })
  )

  it.effect("names the line and the column of a table that is wrong", () =>
    Effect.gen(function* () {
      const head = "symbol,metric,as_known_at,source"
      const good = `FIL,${metric},${key.as_known_at},`
      for (const [says, ...lines] of [
        ["line 3, column as_known_at: as_known_at must be an ISO 8601", good, "FIL,m,yesterday,"],
        [
          `line 5, column metric: Unknown metric "nothing"`,
          good,
          "",
          good,
          `FIL,nothing,${key.as_known_at},`
        ],
        // The first cell has a line break.
        ["line 2, column symbol: symbol: unknown symbol", `"FI\nL",${metric},${key.as_known_at},`],
        ["line 4, column as_known_at", `FIL,"a\nb",${key.as_known_at},`, "FIL,m,yesterday,"],
        ["line 3, column symbol: symbol: unknown symbol", good, `FILX,${metric},${key.as_known_at},`],
        ["line 3, column metric: metric is not valid: it is required", good, `FIL,,${key.as_known_at},`],
        ["line 2, column as_known_at: as_known_at must not be in the future", `FIL,${metric},2026-09-06,`],
        ["body is no such CSV: line 3: 2 cells under 4 columns", good, "FIL,x"],
        ["body is no such CSV: line 3, cell 2: Unexpected quote", good, `FIL,x"y`]
      ] as const) {
        const reply = yield* post([head, ...lines].join("\r\n"), { "content-type": "text/csv" })
        assert.include(json(reply)["message"], says)
        assert.strictEqual(json(reply)["detail"], json(reply)["message"])
        assert.isTrue("valid" in json(reply) || "valid_values" in json(reply), says)
      }
      const twice = yield* post(`${head},metric\n${good},`, { "content-type": "text/csv" })
      assert.include(json(twice)["message"], "line 1: two columns are named metric")
      const extra = yield* post("metric,symbol,until\r\na,b,c", { "content-type": "text/csv" })
      assert.include(json(extra)["message"], "line 2, column")
      // Decoded in a thread.
      const long = [head, ...Array.from({ length: 2000 }, () => good), "FIL,m,yesterday,"].join("\n")
      const far = yield* post(long, { "content-type": "text/csv" })
      assert.include(json(far)["message"], "line 2002, column as_known_at")
    })
  )

  it.effect("takes ten thousand rows and no more, and a body of its own size", () =>
    Effect.gen(function* () {
      const rows = Array.from(
        { length: mostRows },
        (_, n): AsofRow => ({ ...key, as_known_at: isoTime(at(3, 8) + n * 1000) })
      )
      const values = rowsOf(yield* post({ rows })).map(({ value }) => value)
      assert.lengthOf(values, mostRows)
      assert.deepStrictEqual(new Set(values), new Set([130]))
      const more = yield* post({ rows: [...rows, key] })
      assert.deepStrictEqual([more.status, json(more)["field"]], [400, "rows"])
      const { call } = yield* seeded
      for (const [path, size, limit] of [
        ["/v1/asof", 2 * 1024 * 1024 + 1, "2 MiB"],
        ["/v1/query", 64 * 1024 + 1, "64 KiB"]
      ] as const) {
        const large = yield* call({
          method: "POST",
          path,
          headers: { "content-type": "application/json" },
          body: " ".repeat(size)
        })
        assert.strictEqual(large.status, 413)
        assert.include(String(json(large)["message"]), limit)
      }
    })
  )
})

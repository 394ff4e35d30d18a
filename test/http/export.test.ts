/** Files whose rows are those of the API, read back by Postgres' own CSV reader, signed, whole or not at all. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { afterAll, vi } from "vitest"
import { Accounts } from "../../core/credits/Accounts.ts"
import { csv, csvText } from "../../core/readings/csv.ts"
import { Current, type LatestRow } from "../../core/readings/read/Current.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { idle, mostFiles, Spool, spoolTimeout } from "../../http/delivery/Spool.ts"
import { HttpSettings } from "../../http/HttpSettings.ts"
import { fixtureNow, storeBars } from "../support/fixtureRows.ts"
import { hostile, inCell, type Json, readCsv } from "../support/readCsv.ts"
import { baseUrl, latestRow, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header, json, type Reply, statementFault } from "../support/signed.ts"
import { clearRecentDays, storeDaily, storeSeries } from "../support/views.ts"

const folder = mkdtempSync(join(tmpdir(), "plumbline-test-"))
// Postgres reads the files, as a user of its own.
chmodSync(folder, 0o755)
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const spoolFolder = join(folder, "spool")

const linux = process.platform === "linux"

/** Files of the spool that this process holds open, where the system tells. */
const openFileCount = (): number =>
  existsSync("/proc/self/fd")
    ? readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(spoolFolder)
        } catch {
          return false
        }
      }).length
    : 0

/** No file has a name, and none is open. */
const nothingLeft = () =>
  vi.waitFor(() => {
    assert.deepStrictEqual(existsSync(spoolFolder) ? readdirSync(spoolFolder) : [], [])
    assert.strictEqual(openFileCount(), 0)
  })

/** The key of a new account of this tier. */
const keyOf = Effect.fnUntraced(function* (tier: AccountTier, network: string) {
  const accounts = yield* Accounts
  const { api_key } = yield* accounts.register({}, network)
  const headers = { "x-api-key": api_key }
  const balance = yield* (yield* Service).call({ path: "/v1/credits/balance", headers })
  yield* accounts.setTier(String(json(balance)["account"]), tier)
  return headers
})

const rows: ReadonlyArray<LatestRow> = [
  ...hostile.map((source, n) => latestRow(n + 1, { source, metric: `metric_${n}`, value: n - 5 })),
  latestRow(40, { symbol: "GEOD", value: -5.5, value_text: "-5.50" }),
  latestRow(41, { symbol: "GEOD", metric: "huge", value: 1e300, value_text: "-123456789012345678901" })
]

const dayOf = (n: number): string => new Date(fixtureNow - n * 86_400_000).toISOString().slice(0, 10)

const stored = Effect.gen(function* () {
  yield* (yield* Current).apply(rows)
  for (const [n, symbol] of ["FIL", "GEOD", "AKT"].entries()) {
    const series = yield* storeSeries({ symbol, metric: "price_usd", source: hostile[n] ?? "" })
    yield* storeDaily(
      series,
      Array.from({ length: 20 }, (_, day) => ({
        date: dayOf(20 - day),
        value: day === 3 ? 0.5 : 10 + ((day * (n + 3)) % 7),
        ...(day === 5 ? { value_text: "-0.10" } : {}),
        simulated: symbol === "GEOD"
      }))
    )
  }
  yield* storeDaily(yield* storeSeries({ metric: "zero" }), [{ date: dayOf(1), value: 0 }])
  yield* storeBars
})

/** Rows of pairs, each with what the GET says beside them of where the two series come from. */
const pairs = (sides: ReadonlyArray<string>, origins: string) => (body: Json) =>
  (body["correlations"] as ReadonlyArray<Json>).map((row) => {
    const of = sides.map((side) =>
      (body[origins] as ReadonlyArray<Json>).find(({ symbol }) => symbol === row[side])
    )
    const named = sides.flatMap((side, n) =>
      ["source", "verify_url", "as_of"].map((name) => [`${side}_${name}`, of[n]?.[name]])
    )
    const simulated = of.some((origin) => origin?.["simulated"] === true)
    return { ...row, ...Object.fromEntries(named), ...(simulated ? { simulated } : {}) }
  })

/** The rows of the GET that stands behind a dataset. */
const datasetRoutes: Readonly<
  Record<string, { readonly path: string; readonly rows: (body: Json) => unknown }>
> = {
  networks: { path: "/v1/networks", rows: (body) => body["networks"] },
  supply: { path: "/v1/supply", rows: (body) => body["supply"] },
  changes: { path: "/v1/changes", rows: (body) => body["changes"] },
  correlations: { path: "/v1/correlations", rows: pairs(["a", "b"], "networks") },
  "lead-lag": { path: "/v1/lead-lag", rows: pairs(["leader", "follower"], "assets") },
  indicators: {
    path: "/v1/indicators",
    rows: (body) =>
      (body["assets"] as ReadonlyArray<Json & { readonly bars: ReadonlyArray<Json> }>).flatMap(
        ({ bars, n_bars: _, n_gaps: __, ...asset }) => bars.map((bar) => ({ ...asset, ...bar }))
      )
  },
  "history&symbol=FIL&days=25": { path: "/v1/history?network=FIL&days=25", rows: (body) => days(body) },
  // Every network that has days, without naming one.
  "history&days=25": { path: "/v1/history?network=AKT,FIL,GEOD&days=25", rows: (body) => days(body) }
}

const days = ({ data }: Json): ReadonlyArray<Json> =>
  Object.entries(data as Readonly<Record<string, Readonly<Record<string, Json>>>>).flatMap(
    ([symbol, metrics]) =>
      Object.entries(metrics).flatMap(([metric, of]) =>
        (of["points"] as ReadonlyArray<Json>).map((point) => ({
          symbol,
          metric,
          tier: of["tier"],
          source: of["source"],
          unit: of["unit"],
          ...point,
          verify_url: of["verify_url"]
        }))
      )
  )

const linesOf = (reply: Reply): ReadonlyArray<Json> =>
  reply.body
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Json)

const exportOf = (headers: Record<string, string>, query: string) =>
  ask({ path: `/v1/export?dataset=${query}`, headers })

const service = Layer.effectDiscard(stored).pipe(
  Layer.provideMerge(Service.layer({ spoolFolder })),
  Layer.orDie
)

layer(service)("an export", (it) => {
  it.effect("holds the rows of its GET, as lines and as a table", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      const headers = yield* keyOf("pro", "192.0.2.1")
      for (const [dataset, { path, rows: of }] of Object.entries(datasetRoutes)) {
        const api = of(json(yield* ask({ path, headers }))) as ReadonlyArray<Json>
        assert.isAbove(api.length, 0, dataset)
        const lines = yield* exportOf(headers, `${dataset}&format=ndjson`)
        assert.strictEqual(header(lines, "content-type"), "application/x-ndjson")
        assert.deepStrictEqual(linesOf(lines), api, dataset)
        const table = yield* exportOf(headers, dataset)
        assert.strictEqual(header(table, "content-type"), "text/csv; charset=utf-8")
        const read = yield* readCsv(table.body)
        const cells = api.map((row) =>
          Object.fromEntries(read.columns.map((column) => [column, inCell(row[column])]))
        )
        assert.deepStrictEqual(read.rows, cells, dataset)
        const names = new Set(api.flatMap((row) => Object.keys(row)))
        assert.deepStrictEqual(
          [...names].filter((name) => !read.columns.includes(name)),
          [],
          dataset
        )
        for (const reply of [lines, table]) {
          assert.strictEqual(header(reply, "x-service-export-rows"), String(api.length))
          assert.strictEqual(header(reply, "x-service-export-source"), path.split("?")[0])
          assert.match(
            header(reply, "content-disposition"),
            new RegExp(`^attachment; filename="${dataset.split("&")[0]}(-\\w+)?\\.(csv|ndjson)"$`)
          )
        }
      }
      const digest = yield* exportOf(headers, "digest&format=ndjson")
      assert.deepStrictEqual(linesOf(digest), [json(yield* ask({ path: "/v1/digest", headers }))])
      assert.strictEqual(header(digest, "x-service-export-source"), "/v1/digest")
    })
  )

  it.effect("holds what was known at an earlier time, as its GET does", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      const headers = yield* keyOf("pro", "192.0.2.15")
      const at = `as_known_at=${dayOf(5)}T12:00:00Z`
      const then = json(
        yield* ask({ path: `/v1/history?network=FIL&metric=price_usd&days=3650&${at}`, headers })
      )
      const exported = linesOf(yield* exportOf(headers, `history&symbol=FIL&days=3650&format=ndjson&${at}`))
      const prices = exported.filter(({ metric }) => metric === "price_usd")
      assert.lengthOf(prices, 16)
      assert.deepStrictEqual(prices, days(then))
      const { changes } = json(yield* ask({ path: `/v1/changes?${at}`, headers }))
      assert.deepStrictEqual(linesOf(yield* exportOf(headers, `changes&format=ndjson&${at}`)), changes)
    })
  )

  it.effect("of pairs says of each whether a part of it is simulated", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      const headers = yield* keyOf("pro", "192.0.2.9")
      const rows = linesOf(yield* exportOf(headers, "correlations&format=ndjson"))
      const simulated = rows.map(({ a, b, simulated }) => [a, b, simulated ?? false])
      assert.sameDeepMembers(simulated, [
        ["AKT", "FIL", false],
        ["AKT", "GEOD", true],
        ["FIL", "GEOD", true]
      ])
    })
  )

  it.effect("runs in no spreadsheet, and keeps numbers numbers", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      const text = (yield* exportOf(yield* keyOf("pro", "192.0.2.2"), "supply")).body.toString("utf8")
      for (const cell of text.split(/[,\r\n]+/)) assert.notMatch(cell, /^"?[=+@\t]/)
      assert.include(text, ",'=1+1,")
      assert.include(text, ",'-cmd,")
      assert.include(text, ',"\'\rx",')
      assert.include(text, ',"a,""b""\r\nc",')
      assert.include(text, ",žlutý 🐎,")
      // Files of pages are written by the same rule.
      assert.strictEqual(yield* csvText(["a", "b"], [["=1+1", "-1.5"]]), "a,b\r\n'=1+1,-1.5\r\n")
      assert.include(text, ",-5.5,-5.50,")
      assert.include(text, ",1e+300,-123456789012345678901,")
      assert.include(text, "metric_5,0,,count,")
    })
  )

  it.effect("is one that `plumbline verify response` takes, saved; HEAD and 304 say the same", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      const headers = yield* keyOf("enterprise", "192.0.2.3")
      const path = "/v1/export?dataset=supply&format=ndjson"
      const reply = yield* ask({ path, headers: { ...headers, "accept-encoding": "gzip" } })
      const keys = yield* (yield* Service).call("/.well-known/service-signing-key.json")
      const at = (name: string) => join(folder, name)
      writeFileSync(at("body"), reply.body)
      writeFileSync(at("keys"), keys.body)
      const head = Object.keys(reply.headers).map((name) => `${name}: ${header(reply, name)}`)
      writeFileSync(at("headers"), ["HTTP/1.1 200 OK", ...head, "", ""].join("\r\n"))
      const output: Array<string> = []
      const io = {
        print: (line: string) => void output.push(line),
        env: {},
        get: () => Promise.reject(output)
      }
      const [key] = json(keys)["keys"] as ReadonlyArray<{ kid: string }>
      const args = [
        "response",
        at("body"),
        "--headers",
        at("headers"),
        "--keys",
        at("keys"),
        `--key=${key?.kid}`
      ]
      const verify = () => Effect.promise(() => main([...args, "--url", `${baseUrl}${path}`], io))
      assert.strictEqual(yield* verify(), 0, output.join("\n"))
      writeFileSync(at("body"), reply.body.subarray(0, -1))
      assert.strictEqual(yield* verify(), 1)

      const service = yield* Service
      const bare = yield* service.call({ path, headers, method: "HEAD" })
      assert.strictEqual(bare.raw.length, 0)
      for (const name of ["content-length", "etag", "unencoded-digest", "x-service-export-rows"]) {
        assert.strictEqual(header(bare, name), header(reply, name), name)
      }
      assert.strictEqual(header(reply, "content-length"), String(reply.raw.length))
      assert.isUndefined(statementFault(bare, service.keys.current, reply.body))
      const confirming = { ...headers, "if-none-match": header(reply, "etag") }
      const same = yield* service.call({ path, headers: confirming })
      assert.strictEqual(same.status, 304)
      assert.isUndefined(statementFault(same, service.keys.current, reply.body))
      assert.match(header(reply, "cache-control"), /private/)
      yield* Effect.promise(nothingLeft)
    })
  )

  it.effect("is refused as the table of statuses says", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      const headers = yield* keyOf("pro", "192.0.2.4")
      const listed = "networks grades correlations lead-lag indicators changes digest supply history"
      const names = listed.split(" ")
      const refused = Effect.fnUntraced(function* (query: string, status: number, field?: string) {
        const reply = yield* exportOf(headers, query)
        assert.strictEqual(reply.status, status, query)
        assert.strictEqual(header(reply, "x-service-export-rows"), "", query)
        const problem = json(reply)
        if (field !== undefined) assert.strictEqual(problem["field"], field, query)
        return problem
      })
      assert.sameMembers((yield* refused("nope", 400, "dataset"))["valid_values"] as Array<string>, names)
      const unnamed = json(yield* ask({ path: "/v1/export", headers }))
      assert.deepInclude(unnamed, { status: 400, field: "dataset" })
      assert.strictEqual(unnamed["message"], `dataset must be one of ${names.join(", ")}.`)
      assert.deepStrictEqual((yield* refused("supply&format=xml", 400, "format"))["valid_values"], [
        "csv",
        "ndjson"
      ])
      yield* refused("history&symbol=FILX", 404, "symbol")
      for (const days of ["0", "3651", "-1", "1.5", "x"]) {
        yield* refused(`history&symbol=FIL&days=${days}`, 400, "days")
      }
      yield* refused("networks&symbol=FIL", 400, "symbol")
      yield* refused("supply&days=3", 400, "days")
      yield* refused("supply&as_known_at=2026-09-01T00:00:00Z", 400, "as_known_at")
      yield* refused("changes&as_known_at=2999-01-01T00:00:00Z", 400, "as_known_at")
      yield* refused("digest", 422)
      yield* refused("digest&format=csv", 422)
      yield* refused("grades", 503)
      yield* refused("grades&format=ndjson", 503)
      const keyless = yield* ask({ path: "/v1/export?dataset=networks", headers: {} })
      assert.strictEqual(keyless.status, 402)
      assert.deepInclude(json(keyless)["how_to_unlock"], { capability: "exports", required_tier: "Pro" })
      assert.strictEqual(
        (yield* ask({ path: "/v1/export?dataset=networks", headers: { "x-api-key": "pl_no" } })).status,
        401
      )
      for (const tier of ["free", "agent", "design_partner", "institutional"] as const) {
        const low = yield* exportOf(yield* keyOf(tier, `192.0.3.${tier.length}`), "networks")
        assert.strictEqual(low.status, 402, tier)
        assert.deepInclude(json(low)["how_to_unlock"], { capability: "exports", required_tier: "Pro" })
      }
      yield* Effect.promise(nothingLeft)
    })
  )

  it.effect("that fails half-way is a 503, never a short file", () =>
    Effect.gen(function* () {
      // History by then reaches farther back than the days in memory: these come out of the database, page by page.
      yield* TestClock.setTime(fixtureNow + 10 * 86_400_000)
      const sql = yield* SqlClient.SqlClient
      const headers = yield* keyOf("pro", "192.0.2.5")
      // Two pages of one reading per series; the last of the second cannot be told.
      yield* sql`
        insert into series (symbol, metric, source, plugin, tier, unit)
        select 'STORJ', 'm' || lpad(n::text, 4, '0'), 's', 'p', 'market', 'usd' from generate_series(1, 1500) n`
      yield* sql`
        insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
        select id, ${dayOf(1)}::date, 0, 1, now(), 1, 1, 'https://x.test', ${new Date(fixtureNow)}, false
        from series where symbol = 'STORJ'`
      // Their readings are no longer kept, so that nothing is compared with them.
      yield* sql`insert into fact (name, value) values ('observation_kept_from', '4102444800000')
        on conflict (name) do update set value = excluded.value`
      yield* clearRecentDays
      const whole = yield* exportOf(headers, "history&symbol=STORJ&days=60&format=ndjson")
      assert.strictEqual(linesOf(whole).length, 1500)
      yield* sql`update daily set as_of = 'infinity' where series = (select max(id) from series)`
      for (const format of ["csv", "ndjson"]) {
        const reply = yield* exportOf(headers, `history&symbol=STORJ&days=60&format=${format}`)
        assert.strictEqual(reply.status, 503)
        assert.strictEqual(json(reply)["error"], "view_unavailable")
      }
      // A table that is not there is an error of the database.
      yield* sql`alter table daily rename to away`
      yield* clearRecentDays
      assert.strictEqual((yield* exportOf(headers, "history&symbol=STORJ&days=60")).status, 503)
      assert.strictEqual((yield* exportOf(headers, "changes")).status, 503)
      yield* sql`alter table away rename to daily`
      yield* Effect.promise(nothingLeft)
    })
  )

  /** More than the connection holds by itself, so that the service has to wait for its reader. */
  const large = Effect.fnUntraced(function* (symbol: string, network: string) {
    yield* TestClock.setTime(fixtureNow)
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into series (symbol, metric, source, plugin, tier, unit)
      select ${symbol}, 'm' || n, repeat('s', 2000), 'p', 'market', 'usd' from generate_series(1, 400) n`
    yield* sql`
      insert into daily (series, day, incident, version, as_of, value, n_observations, verify_url, recorded_at, simulated)
      select id, d, 0, 1, now(), 1, 1, 'https://x.test', ${new Date(fixtureNow)}, false
      from series, generate_series(${dayOf(20)}::date, ${dayOf(1)}::date, interval '1 day') d
      where symbol = ${symbol}`
    // Their readings are no longer kept, so that nothing is compared with them.
    yield* sql`insert into fact (name, value) values ('observation_kept_from', '4102444800000')
      on conflict (name) do update set value = excluded.value`
    yield* clearRecentDays
    const headers = yield* keyOf("pro", network)
    const { port } = yield* Service
    const path = `/v1/export?dataset=history&symbol=${symbol}&format=ndjson`
    return { host: "127.0.0.1", port, path, headers }
  })

  it.effect("leaves nothing behind when its reader goes away", () =>
    Effect.gen(function* () {
      const options = yield* large("AR", "192.0.2.6")
      const read = yield* Effect.callback<number>((resume) => {
        const clientRequest = request(options, (response) => {
          response.once("data", (part: Buffer) => {
            response.destroy()
            resume(Effect.succeed(part.length))
          })
        })
        clientRequest.end()
      })
      assert.isBelow(read, 8_000_000)
      yield* Effect.promise(nothingLeft)
    })
  )

  it.effect.skipIf(!linux)("cuts off a reader that stops, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const options = yield* large("RENDER", "192.0.2.7")
      const reader = yield* Effect.callback<IncomingMessage>((resume) => {
        request(options, (response) => resume(Effect.succeed(response))).end()
      })
      reader.on("error", () => {})
      // Asked before the wait: a reader that is cut off before its own buffer is full closes at once.
      const closed = new Promise<void>((resolve) => reader.once("close", resolve))
      assert.isAbove(openFileCount(), 0)
      // The service still fills what is between it and the reader: each part of that begins the wait anew.
      while (openFileCount() > 0) {
        yield* TestClock.adjust(idle)
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      let read = 0
      reader.on("data", (part: Buffer) => {
        read += part.length
      })
      yield* Effect.promise(() => closed)
      assert.isBelow(read, Number(reader.headers["content-length"]))
      yield* Effect.promise(nothingLeft)
    })
  )
})

describe("the spool", () => {
  const spool = Layer.fresh(Spool.layer).pipe(
    Layer.provide(
      Layer.succeed(HttpSettings, {
        baseUrl,
        mode: "live",
        testMode: { keys: "live" },
        trustProxy: 0,
        metrics: true,
        spoolFolder,
        filesFolder: spoolFolder
      })
    )
  )
  const endless = Stream.make("row\n").pipe(Stream.forever)

  it.effect("removes at its start what a killed process left", () =>
    Effect.gen(function* () {
      writeFileSync(join(spoolFolder, "left-over"), "")
      yield* Effect.provide(Spool, spool)
      assert.deepStrictEqual(readdirSync(spoolFolder), [])
    })
  )

  it.effect.skipIf(!linux)("has a file while it is read, and none once that is over", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { bytes, sha256, size } = yield* (yield* Spool)
        .write(Stream.make("one\n", "two\n"))
        .pipe(Scope.provide(scope))
      assert.strictEqual(openFileCount(), 1)
      const read = yield* Stream.runCollect(bytes)
      assert.strictEqual(Buffer.concat(read).toString(), "one\ntwo\n")
      assert.strictEqual(size, 8)
      assert.match(sha256, /^c3f9c8c283a2/)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(nothingLeft)
    }).pipe(Effect.provide(spool))
  )

  it.effect("has none after a failure, a defect, an interruption", () =>
    Effect.gen(function* () {
      const { write } = yield* Spool
      const failing = Stream.concat(Stream.make("a"), Stream.fail("no more"))
      assert.strictEqual(yield* Effect.flip(Effect.scoped(write(failing))), "no more")
      yield* Effect.promise(nothingLeft)
      yield* Effect.exit(Effect.scoped(write(Stream.concat(Stream.make("a"), Stream.die("bug")))))
      yield* Effect.promise(nothingLeft)
      const running = yield* Effect.forkChild(Effect.scoped(write(endless)), { startImmediately: true })
      yield* Fiber.interrupt(running)
      yield* Effect.promise(nothingLeft)
    }).pipe(Effect.provide(spool))
  )

  it.effect("holds no more files than it may: one more waits, and then is told", () =>
    Effect.gen(function* () {
      const { write } = yield* Spool
      const scope = yield* Scope.make()
      for (let n = 0; n < mostFiles; n++) yield* Scope.provide(write(Stream.make("x")), scope)
      const late = yield* Effect.forkChild(Effect.flip(Effect.scoped(write(Stream.make("late")))), {
        startImmediately: true
      })
      yield* TestClock.adjust(spoolTimeout)
      assert.strictEqual((yield* Fiber.join(late))._tag, "SpoolBusy")
      const patient = yield* Effect.forkChild(Effect.scoped(write(Stream.make("patient"))), {
        startImmediately: true
      })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(patient)).size, 7)
    }).pipe(Effect.provide(spool))
  )
})

describe("a table without rows", () => {
  it.effect("is its header", () =>
    Effect.gen(function* () {
      const texts = yield* Stream.runCollect(csv(["a", "b"])(Stream.empty))
      assert.strictEqual(texts.join(""), "a,b\r\n")
    })
  )
})

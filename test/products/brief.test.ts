/** The weekly brief: what it says of which data, and that there is one per week. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { networks } from "../../core/catalog/Catalog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { document as publishedDocument } from "../../core/log/record/files.ts"
import { parseEntry } from "../../core/proof/entry.ts"
import { Brief, documentOf } from "../../core/publications/Brief.ts"
import { compose } from "../../core/publications/edition/compose.ts"
import { markdown } from "../../core/publications/edition/markdown.ts"
import type { Series } from "../../core/publications/edition/published.ts"
import { shorten } from "../../core/publications/edition/shorten.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import type { Figure } from "../../core/wire/log/brief.ts"
import { runId } from "../../runtime/demo/produce.ts"
import { postgres } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const date = "2026-09-14"
const dayOf = (ago: number) => new Date(Date.parse(date) - ago * 86_400_000).toISOString().slice(0, 10)

const figure = (metric: string, value: number, ago: number, over: Partial<Figure> = {}): Figure => ({
  metric,
  value,
  unit: "count",
  source: "feed",
  as_of: `${dayOf(ago)}T12:00:00Z`,
  verify_url: "https://upstream.example/",
  ...over
})

/** A series with a value a week before the edition and one on the day before it. */
const series = (
  symbol: string,
  metric: string,
  [before, now]: readonly [number | undefined, number],
  over: Partial<Series> = {}
): Series => {
  const days = [
    ...(before === undefined ? [] : [{ day: dayOf(8), figure: figure(metric, before, 8) }]),
    { day: dayOf(1), figure: figure(metric, now, 1) }
  ]
  return {
    symbol,
    metric,
    source: "feed",
    plugin: "feed",
    tier: "supply_telemetry",
    unconfirmed: false,
    newest: { day: dayOf(1), figure: figure(metric, now, 1) },
    window: days,
    ...over
  }
}

const composed = (all: ReadonlyArray<Series>, over: Partial<Parameters<typeof compose>[0]> = {}) =>
  compose({
    date,
    series: all,
    answered: new Map(),
    cadence: new Map(),
    isCapacity: ({ metric, tier }) => tier === "supply_telemetry" && metric !== "SUBNET_MAX_UIDS",
    unusual: undefined,
    simulated: false,
    ...over
  })

const reasonOf = (list: ReadonlyArray<{ symbol: string; reason: string }>, symbol: string) =>
  list.find((one) => one.symbol === symbol)?.reason

describe("the brief", () => {
  it("leaves out series of feeds that nothing had confirmed by the cut-off, and names their networks", () => {
    const all = [
      series("FIL", "nodes_online", [100, 150]),
      series("STORJ", "nodes_online", [100, 300], { unconfirmed: true })
    ]
    const { left_out, supply_movers } = composed(all)
    assert.deepStrictEqual(
      supply_movers.up.map(({ symbol }) => symbol),
      ["FIL"]
    )
    assert.deepStrictEqual(left_out, [{ symbol: "STORJ", reason: "unconfirmed" }])
    const brief = shorten(composed(all), "/full")
    assert.deepStrictEqual(brief.left_out, [{ reason: "unconfirmed", n: 1, examples: ["STORJ"] }])
    assert.include(markdown(brief), "Left out of every section:")
    assert.isFalse(Object.hasOwn(composed(all.slice(0, 1)), "left_out"))
  })

  it("compares capacity with demand, and withholds what cannot be", () => {
    const { capacity_and_demand: section } = composed([
      series("AKT", "cpu_cores", [1000, 1100]),
      series("AKT", "cpu_cores_in_use", [500, 400]),
      series("AKT", "memory_bytes", [110, 110]),
      series("AKT", "memory_in_use_bytes", [100, 130]),
      series("SC", "STORAGE_TOTAL_BYTES", [2000, 2000]),
      series("SC", "STORAGE_USED_BYTES", [100, 1600]),
      series("JKL", "STORAGE_PURCHASED_BYTES", [100, 120], { incident: 3 }),
      series("JKL", "STORAGE_USED_BYTES", [100, 100]),
      series("HNT", "devices_total", [100, 100]),
      series("GLM", "nodes_online", [undefined, 100]),
      series("GLM", "nodes_computing", [undefined, 10])
    ])
    assert.deepStrictEqual(
      section.rows.map((row) => [row.symbol, row.divergence_points, row.utilisation_pct]),
      [["AKT", 30, (100 * 400) / 1100]]
    )
    assert.match(reasonOf(section.withheld, "AKT") ?? "", /memory_in_use_bytes exceeds memory_bytes/)
    assert.match(reasonOf(section.withheld, "SC") ?? "", /1500 % in a week/)
    assert.match(reasonOf(section.withheld, "JKL") ?? "", /incident 3/)
    assert.match(reasonOf(section.missing, "HNT") ?? "", /no demand is measured/)
    assert.match(reasonOf(section.missing, "GLM") ?? "", /no two closed days in common a week apart/)
    assert.match(reasonOf(section.missing, "AKT") ?? "", /registered_gpu_count is not measured/)
  })

  it("names feeds that answer with nothing new, and no others", () => {
    const cutOff = Date.parse(`${date}T08:00:00Z`)
    const old = { newest: { day: dayOf(4), figure: figure("nodes_online", 5, 4) }, window: [] }
    const allSeries = [
      series("FIL", "nodes_online", [5, 5], { ...old, plugin: "answering" }),
      series("STORJ", "nodes_online", [5, 5], { ...old, plugin: "down" }),
      series("HNT", "nodes_online", [5, 5], { ...old, plugin: "weekly" }),
      series("GEOD", "nodes_online", [5, 6], { plugin: "answering" })
    ]
    const { stopped_feeds: section } = composed(allSeries, {
      answered: new Map([
        ["answering", cutOff - 60_000],
        ["weekly", cutOff - 60_000]
      ]),
      cadence: new Map([["weekly", 7 * 86_400_000]])
    })
    assert.deepStrictEqual(
      section.stalled.map(({ age_hours, last_answered, plugin, symbol }) => [
        symbol,
        plugin,
        age_hours,
        last_answered
      ]),
      [["FIL", "answering", 92, `${date}T07:59:00Z`]]
    )
    const still = (value: number) => ({
      window: [7, 6, 5, 4, 3, 2, 1].map((ago) => ({
        day: dayOf(ago),
        figure: figure("nodes_online", value, ago)
      }))
    })
    const { stopped_feeds: again } = composed([
      series("FIL", "nodes_online", [5000, 5000], still(5000)),
      series("STORJ", "nodes_online", [5, 5], still(5))
    ])
    assert.deepStrictEqual(
      again.unchanged.map(({ days, symbol }) => [symbol, days]),
      [["FIL", 7]]
    )
  })

  it("tells flows only between readings of the same wallets", () => {
    const holder = { tier: "holders", source: "feed" } as const
    const { exchange_flows: section } = composed([
      series("GRT", "exchange_balance", [100, 150], holder),
      series("GRT", "exchange_wallets", [9, 9], holder),
      series("LPT", "exchange_balance", [100, 50], holder),
      series("LPT", "exchange_wallets", [9, 9], holder),
      series("RLC", "exchange_balance", [100, 500], holder),
      series("RLC", "exchange_wallets", [9, 10], holder)
    ])
    assert.deepStrictEqual(
      section.inflows.map(({ flow_tokens, symbol, wallets }) => [symbol, flow_tokens, wallets]),
      [["GRT", 50, 9]]
    )
    assert.deepStrictEqual(
      section.outflows.map(({ flow_tokens, symbol }) => [symbol, flow_tokens]),
      [["LPT", -50]]
    )
    assert.match(reasonOf(section.missing, "RLC") ?? "", /9 and 10 wallets/)
    assert.match(reasonOf(section.missing, "RENDER") ?? "", /no exchange wallets are labelled on solana/)
    assert.match(reasonOf(section.missing, "AR") ?? "", /no token contract/)
  })

  it("shows holders, supply that can be read on chain, and movers", () => {
    const document = composed([
      series("GRT", "top_holder_balance", [20, 25], { tier: "holders" }),
      series("GRT", "circulating_supply", [100, 100], { tier: "market" }),
      series("LPT", "top_holder_balance", [20, 250], { tier: "holders" }),
      series("LPT", "circulating_supply", [100, 100], { tier: "market" }),
      series("POND", "top_holder_balance", [20, 250], { tier: "holders" }),
      series("POND", "circulating_supply", [100, 100], { tier: "market" }),
      series("POND", "total_supply", [100, 200], { tier: "market" }),
      series("TAO", "total_issuance", [100, 100]),
      series("TAO", "total_supply", [100, 210], { tier: "market" }),
      series("GRT", "total_supply", [100, 100], { tier: "market" }),
      series("AR", "total_supply", [100, 100], { tier: "market" }),
      series("FIL", "nodes_online", [100, 110]),
      series("FIL", "devices_total", [100, 120]),
      series("FIL", "SUBNET_MAX_UIDS", [100, 190]),
      series("STORJ", "nodes_online", [100, 70]),
      series("HNT", "nodes_online", [100, 5]),
      series("GEOD", "nodes_online", [3, 9])
    ])
    const { holder_concentration: holders, supply_movers: movers, supply_verifiability: supply } = document
    assert.deepStrictEqual(
      holders.rows.map(({ share_pct, symbol }) => [symbol, share_pct]),
      [["GRT", 25]]
    )
    assert.match(reasonOf(holders.withheld, "LPT") ?? "", /250 % of the circulating supply/)
    assert.match(reasonOf(holders.withheld, "POND") ?? "", /125 % of the total supply/)
    assert.deepStrictEqual(
      supply.measured.map(({ difference_pct, symbol }) => [symbol, difference_pct]),
      [["TAO", 110]]
    )
    assert.deepStrictEqual(
      supply.readable.map(({ chain, symbol }) => [symbol, chain]),
      [
        ["POND", "ethereum"],
        ["GRT", "ethereum"]
      ]
    )
    assert.deepStrictEqual(supply.reported_only, ["AR"])
    assert.deepStrictEqual(
      movers.up.map(({ supply, symbol }) => [symbol, supply.now.metric, supply.change_pct]),
      [["FIL", "devices_total", 20]]
    )
    assert.deepStrictEqual(
      movers.down.map(({ supply, symbol }) => [symbol, supply.change_pct]),
      [["STORJ", -30]]
    )
    assert.match(reasonOf(movers.withheld, "HNT") ?? "", /-95 %/)
    assert.match(reasonOf(movers.missing, "GEOD") ?? "", /week earlier/)
    const text = markdown(shorten(document, "/v1/log/documents/0"))
    for (const phrase of [
      "# Weekly brief of 2026-09-14",
      "| STORJ |",
      "-30 %",
      "1 network (LPT): the largest account",
      "in one account (it may be a contract, a bridge or an exchange)"
    ]) {
      assert.include(text, phrase)
    }
  })
})

describe("the brief of a large estate", () => {
  const estate = networks.flatMap(({ symbol }, n) => [
    series(symbol, "nodes_online", [1000 + n, 1000 + 2 * n]),
    series(symbol, "fees_7d_usd", [100, 110], { tier: "fees_tvl" }),
    series(symbol, "top_holder_balance", [20, 25 + (n % 50)], { tier: "holders" }),
    series(symbol, "circulating_supply", [100, 100], { tier: "market" }),
    series(symbol, "exchange_balance", [100, 90 + (n % 21)], { tier: "holders" }),
    series(symbol, "exchange_wallets", [9, 9 + (n % 5 === 0 ? 1 : 0)], { tier: "holders" }),
    ...(n % 3 === 0 ? [] : [series(symbol, "total_supply", [100, 100], { tier: "market" })]),
    ...(n % 7 === 0
      ? [
          series(symbol, "devices_total", [5, 5], {
            newest: { day: dayOf(4), figure: figure("devices_total", 5, 4) },
            window: []
          })
        ]
      : [])
  ])
  const full = composed(estate, { answered: new Map([["feed", Date.parse(`${date}T07:59:00Z`)]]) })
  const brief = shorten(full, `/v1/log/documents/${"0".repeat(64)}`)

  it("is short, and says how much the full edition has", () => {
    assert.isAtLeast(JSON.stringify(full).length, 200_000)
    assert.isAtMost(JSON.stringify(brief).length, 20_000)
    assert.isAtMost(markdown(brief).length, 20_000)
    assert.lengthOf(brief.supply_movers.up, 5)
    assert.strictEqual(brief.supply_movers.n_up, full.supply_movers.up.length)
    assert.lengthOf(brief.stopped_feeds.stalled, 5)
    assert.strictEqual(brief.stopped_feeds.n_stalled, full.stopped_feeds.stalled.length)
    assert.match(markdown(brief), new RegExp(`Growth \\(5 of ${full.supply_movers.up.length}\\):`))
  })

  it("groups the gaps by reason, and loses none", () => {
    for (const section of ["exchange_flows", "supply_verifiability", "capacity_and_demand"] as const) {
      const gaps = brief[section].missing
      assert.isAtMost(gaps.length, 6)
      assert.strictEqual(
        gaps.reduce((sum, { n }) => sum + n, 0),
        full[section].missing.length
      )
      for (const { examples } of gaps) assert.isAtMost(examples.length, 3)
    }
    const [most] = brief.supply_verifiability.missing
    assert.match(most?.reason ?? "", /no feed reported a total supply/)
    const many = composed(
      networks.slice(0, 40).map(({ symbol }, n) => series(symbol, "nodes_online", [100, 2000 + 100 * n]))
    )
    const { withheld } = shorten(many, "/v1/log/documents/0").supply_movers
    assert.deepStrictEqual(
      [withheld.length, withheld.at(-1)?.reason, withheld.at(-1)?.n],
      [6, "other reasons, listed at full_url", many.supply_movers.withheld.length - 5]
    )
  })
})

const monday = Date.UTC(2026, 8, 14, 8)

/** A network's devices on every day of the fortnight, by runs whose ids tell their time. */
const fortnight = Effect.gen(function* () {
  const ingest = yield* Ingest
  for (let ago = 12; ago >= 1; ago--) {
    const at = Date.parse(`${dayOf(ago)}T12:00:00Z`)
    yield* TestClock.setTime(at)
    const delivery = Runs.delivery(at, [
      Runs.row(100 + ago, `${dayOf(ago)}T11:00:00Z`),
      // It changes more, but its manifest does not call it a capacity.
      Runs.row(100 + 10 * ago, `${dayOf(ago)}T11:00:00Z`, { metric: "price_change_24h_pct", unit: "pct" }),
      ...(ago > 5 ? [Runs.row(70, `${dayOf(ago)}T11:00:00Z`, { symbol: "STORJ" })] : [])
    ])
    yield* ingest.write({ ...delivery, run: { ...delivery.run, id: runId("testnet", at) } })
  }
})

describe("editions", () => {
  const services = Layer.mergeAll(DailyClose.layer, Brief.layer).pipe(
    Layer.provideMerge(logged(postgres, monday))
  )

  it.effect("are written on Mondays at 08:00, once, and are in the log", () =>
    Effect.gen(function* () {
      const brief = yield* Brief
      const close = yield* DailyClose
      const sql = yield* SqlClient.SqlClient
      yield* fortnight
      assert.isTrue(Option.isNone(yield* brief.edition(undefined)))
      yield* TestClock.setTime(monday - 1)
      yield* close.run
      assert.deepStrictEqual(yield* brief.run, ["2026-09-07"])
      yield* TestClock.setTime(monday)
      // The week is not closed before its Sunday is.
      assert.deepStrictEqual(yield* brief.run, [])
      yield* close.run
      const before = (yield* (yield* Log).signed).size
      const runs = yield* Effect.all([brief.run, brief.run], { concurrency: 2 })
      assert.deepStrictEqual(runs.flat(), [date])
      assert.deepStrictEqual(yield* brief.run, [])
      const head = yield* (yield* Log).signed
      assert.strictEqual(head.size, before + 1)
      const edition = Option.getOrThrow(yield* brief.edition(undefined))
      assert.strictEqual(edition.date, date)
      assert.strictEqual(createHash("sha256").update(edition.body).digest("hex"), edition.sha256)
      const [{ text } = { text: "" }] = yield* sql<{ text: string }>`
        select text from log_entry order by place desc limit 1`
      const entry = parseEntry(text)
      assert.deepInclude(entry, { kind: "brief", subject: date, sha256: edition.sha256 })
      const document = yield* documentOf(edition.body)
      const [mover] = document.supply_movers.down
      assert.deepStrictEqual(
        [mover?.symbol, mover?.supply.now.value, mover?.supply.before?.value, mover?.supply.change_pct],
        ["FIL", 101, 108, -6.48]
      )
      const full = /^\/v1\/log\/documents\/([0-9a-f]{64})$/.exec(document.full_url)?.[1] ?? ""
      const { body } = yield* publishedDocument(full)
      assert.strictEqual(createHash("sha256").update(body).digest("hex"), full)
      assert.deepInclude(JSON.parse(body), { v: "service-brief-full-v1", date, days: document.days })
      assert.deepStrictEqual(
        document.stopped_feeds.stalled.map(({ n_series, newest, symbol }) => [
          symbol,
          n_series,
          newest.as_of
        ]),
        [["STORJ", 1, `${dayOf(6)}T11:00:00Z`]]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("are the same when they are caught up, whatever came in since", () =>
    Effect.gen(function* () {
      const brief = yield* Brief
      const close = yield* DailyClose
      const sql = yield* SqlClient.SqlClient
      yield* fortnight
      yield* TestClock.setTime(monday)
      yield* close.run
      yield* brief.run
      const inTime = Option.getOrThrow(yield* brief.edition(date))
      yield* sql`delete from document`
      const later = monday + 9 * 86_400_000
      yield* TestClock.setTime(later)
      // A restated day and days after: none of it had been published by the Monday.
      const late = Runs.delivery(later, [
        Runs.row(900, `${dayOf(1)}T11:00:00Z`),
        Runs.row(901, `${dayOf(-3)}T11:00:00Z`)
      ])
      yield* (yield* Ingest).write(late)
      yield* close.run
      assert.deepStrictEqual(yield* brief.run, ["2026-09-07", date, "2026-09-21"])
      const again = Option.getOrThrow(yield* brief.edition(date))
      assert.strictEqual(again.body, inTime.body)
      const next = yield* documentOf(Option.getOrThrow(yield* brief.edition(undefined)).body)
      assert.strictEqual(next.date, "2026-09-21")
    }).pipe(Effect.provide(services))
  )
})

describe("/v1/brief", () => {
  it.effect("serves the newest edition or that of a date, as JSON or Markdown", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const brief = yield* Brief
      const none = yield* call("/v1/brief")
      assert.strictEqual(none.status, 404)
      const sql = yield* SqlClient.SqlClient
      const document = shorten(composed([series("FIL", "nodes_online", [100, 110])]), "/v1/log/documents/0")
      for (const subject of ["2026-09-07", date]) {
        const body = JSON.stringify({ ...document, date: subject })
        yield* sql`insert into document ${sql.insert({
          sha256: createHash("sha256").update(body).digest("hex"),
          kind: "brief",
          subject,
          media_type: "application/json",
          body,
          recorded_at: new Date(0)
        })}`
      }
      // Editions are written with an entry of the log.
      yield* (yield* Versions).changed("log")
      assert.strictEqual(Option.getOrThrow(yield* brief.edition(undefined)).date, date)
      const newest = yield* call("/v1/brief")
      assert.strictEqual(newest.status, 200)
      assert.strictEqual((JSON.parse(newest.body.toString()) as { date: string }).date, date)
      const older = yield* call("/v1/brief?date=2026-09-07")
      assert.include(older.body.toString(), '"date":"2026-09-07"')
      const read = yield* call({ path: "/v1/brief", headers: { accept: "text/markdown" } })
      assert.match(String(read.headers["content-type"]), /^text\/markdown/)
      assert.match(read.body.toString(), /^# Weekly brief of 2026-09-14\n/)
      assert.match(String(read.headers["vary"]), /^Accept,/)
      const same = yield* call({
        path: "/v1/brief",
        headers: { accept: "text/markdown", "if-none-match": String(read.headers["etag"]) }
      })
      assert.strictEqual(same.status, 304)
      assert.strictEqual(same.headers["vary"], read.headers["vary"])
      const both = yield* call({
        path: "/v1/brief",
        headers: { accept: "text/markdown;q=0.5, application/json" }
      })
      assert.match(String(both.headers["content-type"]), /^application\/json/)
      assert.deepStrictEqual((yield* call("/v1/brief?date=20260907")).body, older.body)
      assert.strictEqual((yield* call("/v1/brief?date=2026-09-08")).status, 404)
      assert.strictEqual((yield* call("/v1/brief?date=2026-02-30")).status, 400)
      assert.strictEqual((yield* call("/v1/brief?date=yesterday")).status, 400)
    }).pipe(Effect.provide(Service.layer()))
  )
})

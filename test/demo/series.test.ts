/** The whole tape as rows: what a reader would find odd in thirty days of it. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { bySymbol } from "../../core/catalog/Catalog.ts"
import { headlineOf, metricNamed } from "../../core/plugin/Manifest.ts"
import { has } from "../../core/plugin/units.ts"
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { changeOver } from "../../core/readings/change.ts"
import { isStale } from "../../core/readings/read/freshness.ts"
import { changeSentence, changeText } from "../../http/explorer/html/change.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { player } from "../../runtime/demo/players.ts"
import * as Story from "../../runtime/demo/script.ts"
import { cutOffOf, isOut, isStill, restated } from "../../runtime/demo/script.ts"
import { timeline } from "../../runtime/demo/timeline.ts"
import { start } from "../../runtime/tape/instants.ts"
import { tapeAt } from "../../runtime/tape/tape.ts"
import { trendOf } from "../../runtime/tape/trend.ts"

interface TapeRow extends Observation {
  /** When it was read, and what time it was read of. */
  readonly at: number
  readonly of: number
  readonly plugin: string
}

const plugins = (await Effect.runPromise(Plugins.all())).filter(
  ({ manifest }) => manifest.disabled === undefined
)
const manifests = new Map(plugins.map(({ manifest }) => [manifest.id, manifest]))

/** Every row of the tape, in the order of the readings. */
const all: ReadonlyArray<TapeRow> = await Effect.runPromise(
  Effect.gen(function* () {
    const players = yield* Effect.forEach(plugins, (plugin) => player(plugin))
    const tapeRows: Array<TapeRow> = []
    for (const { at, readings } of timeline(players)) {
      for (const { player, payloadTime: asOf } of readings) {
        const { manifest } = player.plugin
        const rows = yield* Fixtures.replay(player.plugin, tapeAt(player.reel, at, asOf))
        if ("error" in rows) return assert.fail(`${manifest.id}: ${rows.message}`)
        for (const row of rows.observations) tapeRows.push({ ...row, at, of: asOf, plugin: manifest.id })
      }
    }
    return tapeRows
  })
)

/** Those of ordinary readings. */
const rows = all.filter(({ at, of }) => at === of)

const nameOf = ({ metric, source, symbol }: Observation) => `${symbol} ${metric} ${source}`

const series: ReadonlyMap<string, ReadonlyArray<TapeRow>> = new Map(
  [...Map.groupBy(rows, nameOf)].map(([name, of]) => [
    name,
    of.toSorted((a, b) => a.as_of.localeCompare(b.as_of) || a.at - b.at)
  ])
)

/** Names of the series, of one course, in which a value and the next one are out of order. */
const wrong = (course: ReturnType<typeof trendOf>, isWrong: (before: number, after: number) => boolean) =>
  [...series].flatMap(([name, of]) => {
    const [first] = of
    const manifest = manifests.get(first?.plugin ?? "")
    if (first === undefined || manifest === undefined) return []
    const metric = metricNamed(manifest.metrics, first.metric)
    if (metric === undefined || trendOf(first.metric, metric, manifest) !== course) return []
    return of.some(({ value }, n) => n > 0 && isWrong(of[n - 1]?.value ?? value, value)) ? [name] : []
  })

/**
 * By market value and fame, those that a feed measures: HONEY, GRASS and IOTX have no telemetry that anyone can read without a key,
 * and POKT, FLUX and SC stand in their place.
 */
const lookedUpFirst =
  "FIL HNT RENDER AKT TAO GRT THETA AR ICP GLM STORJ LPT GEOD WXM DIMO IO ATH POKT FLUX SC".split(" ")

/** What some have fewer of by their nature: providers of Akash, subnets of Bittensor, the orchestrators that Livepeer's protocol allows. */
const few = new Map([
  ["AKT", 50],
  ["TAO", 100],
  ["LPT", 100]
])

/** Rows of some metrics that were read of one symbol at one time. */
const together = (metrics: ReadonlyArray<string>) =>
  Map.groupBy(
    rows.filter(({ metric }) => metrics.includes(metric)),
    ({ at, symbol }) => `${symbol} ${at}`
  )

describe("thirty days of the tape", () => {
  it("let no count from the start fall", () => {
    assert.deepStrictEqual(
      wrong("grows", (before, after) => after < before),
      []
    )
  })

  it("let no parameter and no date of the past move", () => {
    assert.deepStrictEqual(
      wrong("stands", (before, after) => after !== before),
      []
    )
  })

  it("hold heights, highest prices, burns and maximum supplies for what they are", () => {
    const courses = (name: string) =>
      new Set(
        [...manifests.values()].flatMap((manifest) => {
          const metric = metricNamed(manifest.metrics, name)
          return metric === undefined ? [] : [trendOf(name, metric, manifest)]
        })
      )
    const grows = ["block_height", "price_ath_usd", "burnt_supply", "leases_total", "deals_arbitrum"]
    for (const name of grows) assert.deepStrictEqual(courses(name), new Set(["grows"]), name)
    const stand = [
      "max_supply",
      "SUBNET_REGISTERED_AT_BLOCK",
      "SUBNET_MAX_UIDS",
      "gps_interference_first_day"
    ]
    for (const name of stand) assert.deepStrictEqual(courses(name), new Set(["stands"]), name)
    for (const name of ["price_usd", "nodes_online", "price_atl_usd", "price_from_ath_pct"])
      assert.deepStrictEqual(courses(name), new Set(["varies"]), name)
  })

  it("let no supply exceed the next larger one", () => {
    const order = ["circulating_supply", "total_supply", "max_supply"]
    for (const [name, of] of together(order)) {
      const most = order.map((metric) => of.filter((row) => row.metric === metric).map(({ value }) => value))
      const [circulating = [], total = [], max = []] = most
      assert.isAtMost(Math.max(0, ...circulating), Math.min(Infinity, ...total, ...max), name)
      assert.isAtMost(Math.max(0, ...total), Math.min(Infinity, ...max), name)
    }
  })

  it("give one price of a symbol at one time, within a hundredth", () => {
    const priceGroups = together(["price_usd", "dex_price_usd"])
    assert.isAbove(priceGroups.size, 1000)
    for (const [name, of] of priceGroups) {
      const prices = of.map(({ value }) => value)
      assert.isAtMost(Math.max(...prices) / Math.min(...prices), 1.01, name)
    }
    const closes = rows.filter(({ metric }) => metric === "ohlcv_1h_close")
    const spot = new Map(
      rows.filter(({ metric }) => metric === "price_usd").map((row) => [`${row.symbol} ${row.at}`, row.value])
    )
    let compared = 0
    for (const { as_of, symbol, value } of closes) {
      const price = spot.get(`${symbol} ${Date.parse(as_of) + 1}`)
      if (price === undefined) continue
      compared++
      assert.closeTo(value / price, 1, 0.01, `${symbol} ${as_of}`)
    }
    assert.isAbove(compared, 100)
  })

  it("make a market value of price and circulating supply, and a change of two prices", () => {
    for (const [name, of] of together(["price_usd", "circulating_supply", "market_cap_usd"])) {
      const value = (metric: string) =>
        of.find((row) => row.metric === metric && row.source === "coingecko_markets")?.value
      const [price, supply, cap] = ["price_usd", "circulating_supply", "market_cap_usd"].map(value)
      if (price === undefined || supply === undefined || cap === undefined || cap < 1000) continue
      assert.closeTo(cap / (price * supply), 1, 0.001, name)
    }
    const prices = series.get("BTC price_usd coingecko_markets") ?? []
    const changes = series.get("BTC price_change_24h_pct coingecko_markets") ?? []
    for (const { at, value } of changes) {
      const [now, before] = [at, at - 86_400_000].map((time) => prices.find((row) => row.at === time)?.value)
      if (now !== undefined && before !== undefined) assert.closeTo(value, (now / before - 1) * 100, 0.01)
    }
  })

  it("rank by market value, keep a grid near its frequency, and tell Kp in thirds", () => {
    const ranks = rows.filter(({ metric }) => metric === "market_cap_rank")
    const caps = new Map(
      rows
        .filter(({ metric, source }) => metric === "market_cap_usd" && source === "coingecko_markets")
        .map((row) => [`${row.symbol} ${row.at}`, row.value])
    )
    let compared = 0
    for (const [at, of] of Map.groupBy(ranks, (row) => row.at)) {
      const values = of
        .toSorted((a, b) => a.value - b.value)
        .flatMap(({ symbol }) => caps.get(`${symbol} ${at}`) ?? [])
      compared += values.length
      assert.deepStrictEqual(
        values,
        values.toSorted((a, b) => b - a),
        new Date(at).toISOString()
      )
    }
    assert.isAbove(compared, 1000)
    const valuesOf = (metric: string) => rows.flatMap((row) => (row.metric === metric ? [row.value] : []))
    for (const hertz of valuesOf("grid_frequency_hz")) assert.closeTo(hertz, 50, 0.2)
    for (const kp of valuesOf("kp_index")) assert.closeTo(kp * 3, Math.round(kp * 3), 0.02)
    assert.isAbove(new Set(valuesOf("kp_index")).size, 2)
    assert.isAbove(new Set(valuesOf("grid_frequency_hz")).size, 5)
  })

  it("keep the neurons of a subnet within its room, and its active ones within its neurons", () => {
    const parts = [
      ["SUBNET_NEURONS", "SUBNET_MAX_UIDS"],
      ["SUBNET_ACTIVE_NEURONS", "SUBNET_NEURONS"],
      ["SUBNET_VALIDATOR_PERMITS", "SUBNET_MAX_VALIDATORS"]
    ] as const
    const bySubnet = together([...new Set(parts.flat())])
    assert.isAbove(bySubnet.size, 900)
    for (const [name, of] of bySubnet) {
      const value = (metric: string) => of.find((row) => row.metric === metric)?.value
      for (const [part, whole] of parts)
        assert.isAtMost(value(part) ?? 0, value(whole) ?? Number.NaN, `${name} ${part}`)
    }
  })

  it("keep the largest holder within the supply", () => {
    let compared = 0
    for (const [name, of] of together(["top_holder_balance", "total_supply"])) {
      const values = (metric: string) => of.filter((row) => row.metric === metric).map(({ value }) => value)
      const [holders, supplies] = [values("top_holder_balance"), values("total_supply")]
      if (holders.length === 0 || supplies.length === 0) continue
      compared++
      assert.isAtMost(Math.max(...holders), Math.min(...supplies), name)
    }
    assert.isAbove(compared, 500)
  })

  it("give one supply of a token at one time, whoever counts it, within a hundredth", () => {
    const same = [["circulating_supply"], ["total_supply", "token_total_supply"]]
    for (const metrics of same) {
      const groups = [...together(metrics)].filter(([, of]) => of.length > 1)
      assert.isAbove(groups.length, 20, metrics.join())
      for (const [name, of] of groups) {
        const values = of.map(({ value }) => value)
        assert.isAtMost(Math.max(...values) / Math.min(...values), 1.01, `${name} ${metrics.join()}`)
      }
    }
  })

  it("tell nothing of the future", () => {
    for (const row of all)
      assert.isAtMost(Date.parse(row.as_of), row.at, `${nameOf(row)} ${row.as_of} read at ${isoTime(row.at)}`)
  })

  it("count in whole numbers, no fewer than none, and keep shares between 0 and 100", () => {
    const oddOnes = new Set(
      all.flatMap((row) => {
        const { unit, value } = row
        const isOdd =
          (has(unit, "whole") && !Number.isInteger(value)) ||
          (has(unit, "never_negative") && value < 0) ||
          (unit === "percent" && value > 100) ||
          (unit === "flag" && value > 1) ||
          (unit === "rank" && value < 1)
        return isOdd ? [`${nameOf(row)}: ${value} ${unit}`] : []
      })
    )
    assert.deepStrictEqual([...oddOnes], [])
  })

  it("name one unit for each metric, and each unit by one name", () => {
    const unitsOf = Map.groupBy(all, ({ metric }) => metric)
    for (const [metric, of] of unitsOf)
      assert.strictEqual(new Set(of.map(({ unit }) => unit)).size, 1, metric)
    for (const [metric, [first]] of unitsOf) {
      // A change is in `pct`, and a share in `percent`; a height in `block`, and a number of them in `blocks`.
      assert.strictEqual(first?.unit === "pct", /_pct$/.test(metric), metric)
      assert.strictEqual(first?.unit === "percent", /_percent$/.test(metric), metric)
      if (first?.unit === "block") assert.match(metric, /_height$|_AT_BLOCK$/)
    }
  })

  it("show the networks that people look up first whole", () => {
    const ofSymbol = Map.groupBy(series.values(), ([first]) => first?.symbol ?? "")
    const incomplete = lookedUpFirst.flatMap((symbol) => {
      const of = ofSymbol.get(symbol) ?? []
      const named = (metric: string) => of.filter(([first]) => first?.metric === metric)
      const daysOf = (metric: string) =>
        Math.max(0, ...named(metric).map((one) => new Set(one.map(({ as_of }) => as_of.slice(0, 10))).size))
      const headline = headlineOf(
        [...manifests.values()],
        symbol,
        of.flatMap(([first]) => first?.metric ?? [])
      )
      const [main] = headline === undefined ? [] : named(headline)
      const newest = main?.at(-1)
      const network = bySymbol.get(symbol)
      const sources = new Set(of.map(([first]) => first?.source))
      const lacks = [
        ...[headline ?? "a headline", "price_usd", "market_cap_usd", "circulating_supply"].filter(
          (metric) => daysOf(metric) < 25
        ),
        ...(newest !== undefined && newest.value >= (few.get(symbol) ?? 400)
          ? []
          : [`more than ${newest?.value} ${headline}`]),
        ...(network?.website === undefined ? ["a website"] : []),
        ...(sources.size < 3 ? ["three sources"] : [])
      ]
      return lacks.length === 0 ? [] : [`${symbol} lacks ${lacks.join(", ")}`]
    })
    assert.deepStrictEqual(incomplete, [])
    assert.strictEqual(new Set(lookedUpFirst).size, 20)
  })

  it("move prices day by day, and by what a market moves", () => {
    for (const [name, of] of series) {
      if (!/ (price_usd|dex_price_usd|ohlcv_1d_close) /.test(name)) continue
      const days = [...Map.groupBy(of, ({ as_of }) => as_of.slice(0, 10)).values()].map(
        (day) => day.at(-1)?.value ?? 0
      )
      for (let n = 4; n < days.length; n++)
        assert.isAbove(new Set(days.slice(n - 4, n + 1)).size, 1, `${name} stands still`)
      for (const [n, value] of days.entries())
        if (n > 0) assert.closeTo(value / (days[n - 1] ?? value), 1, 0.3, name)
    }
  })

  it("tell nothing first after the close of its day but what the story has so", () => {
    const recorded = new Set<string>()
    const late = new Set<string>()
    for (const row of all) {
      const name = `${nameOf(row)} ${row.as_of}`
      const day = row.as_of.slice(0, 10)
      if (!recorded.has(name) && day >= "2026-08-06" && row.at > cutOffOf(day))
        late.add(`${row.plugin} ${day}`)
      recorded.add(name)
    }
    // Upstreams that tell a day when it is over were not read in the gap; an epoch is told days after its end.
    const others = [...late].filter((name) => !name.endsWith("2026-08-12") && !name.startsWith("render "))
    assert.deepStrictEqual(others, [`${Story.late.plugin} 2026-08-17`])
  })

  it("hold a day without readings, a second telling after the close, and feeds that go dark", () => {
    assert.isFalse(all.some(({ at }) => isStill(at)))
    const again = all.filter(({ at, of }) => of !== at && of === restated.payloadTime)
    assert.isNotEmpty(again)
    for (const row of again) {
      const before = rows.find((other) => nameOf(other) === nameOf(row) && other.as_of === row.as_of)
      assert.isDefined(before)
      assert.isAbove(row.at, cutOffOf(row.as_of.slice(0, 10)))
    }
    assert.isTrue(
      again.some((row) =>
        rows.every(
          (other) => other.as_of !== row.as_of || nameOf(other) !== nameOf(row) || other.value !== row.value
        )
      )
    )
    const noon = (date: string) => Date.parse(`${date}T12:00:00Z`)
    assert.deepStrictEqual(
      ["2026-08-19", "2026-08-20", "2026-08-22", "2026-08-23"].map((date) => isOut("sentinel", noon(date))),
      [false, true, true, false]
    )
    assert.deepStrictEqual(
      ["2026-08-31", "2026-09-01", "2026-09-05"].map((date) => isOut("jackal", noon(date))),
      [false, true, true]
    )
  })

  it("leave at most two hundredths of the rows stale when the demo starts", () => {
    const newest = [...series.values()].flatMap((of) => of.at(-1) ?? [])
    const stale = newest.filter(({ as_of, plugin }) =>
      isStale(start - Date.parse(as_of), Duration.toMillis(manifests.get(plugin)?.every ?? 0))
    )
    const kinds = new Set(stale.map(({ metric, plugin }) => `${plugin} ${metric}`))
    assert.isAtMost(
      stale.length / newest.length,
      0.02,
      `${stale.length} of ${newest.length}: ${[...kinds].join(", ")}`
    )
  })

  it("show no change above 500 percent without a reason, and none in percent where it says nothing", () => {
    const changed = [...series.values()].flatMap((of) => {
      const days = [...Map.groupBy(of, ({ as_of }) => as_of.slice(0, 10)).values()]
        .flatMap((readings) => readings.at(-1) ?? [])
        .filter(({ as_of }) => as_of < isoTime(start).slice(0, 10))
        .map(({ as_of, unit, value, value_text }) => ({
          date: as_of.slice(0, 10),
          value,
          ...(value_text === undefined ? {} : { value_text }),
          as_of,
          unit
        }))
      const [first] = days
      const change = first === undefined ? undefined : changeOver(first.unit, days)
      if (first === undefined || change === undefined) return []
      const { absolute, from, relative, to, why } = change
      const dated = {
        unit: first.unit,
        change: { from, to, absolute, relative, ...(why === undefined ? {} : { why }) }
      }
      return [{ ...dated, text: changeText(dated), sentence: changeSentence(dated), why }]
    })
    assert.isAbove(changed.length, 9000)
    assert.isAbove(new Set(changed.map(({ unit }) => unit)).size, 15)
    for (const { change, sentence, text, unit, why } of changed) {
      const percent = /^[+−](\d+)(?:\.\d)? %$/.exec(text)?.[1]
      if (Number(percent ?? 0) > 500) assert.include(sentence, why ?? "a reason")
      if (change.relative === null) assert.isDefined(why, sentence)
      if (unit === "pct" || unit === "percent") assert.match(text, / points?$/)
      assert.match(sentence, / closed days\./)
    }
  })
})

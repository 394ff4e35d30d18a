/**
 * Unusual values: faults planted into the demo's series and into harder made-up ones, how many the rules find, and how often they are
 * wrong. One fault in 200 days of a series, of eight kinds, at sizes down to 20 % (5 % between two sources). Seed 1 chose the constants;
 * these are others. Recorded prices of an exchange count as a third set where `RECORDED` names the folder that has them. Alone:
 * `npx node test/bench/anomalies.ts`.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { asyncBufferFromUrl, parquetReadObjects } from "hyparquet"
import { bySymbol } from "../../core/catalog/Catalog.ts"
import type { JudgedSeries } from "../../core/readings/anomalies/series.ts"
import { ArchiveIndex } from "../../core/wire/log/archive.ts"
import { dateAt, madeSeries } from "../readings/anomalies/made.ts"
import {
  faultKinds,
  type Outcome,
  outcomeOf,
  precisionOf,
  recallOf,
  together
} from "../readings/anomalies/planted.ts"
import { getJson, startDemo } from "./http.demo.ts"
import { type Row, rounded, within } from "./row.ts"

const seeds = [11, 12, 13]

/** Series in which one has a fault, for one fault in 200 days. */
const every = { demo: 10, made: 4, recorded: 1 } as const

const leafRows = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      day: Schema.Date,
      symbol: Schema.NullOr(Schema.String),
      metric: Schema.NullOr(Schema.String),
      source: Schema.NullOr(Schema.String),
      unit: Schema.NullOr(Schema.String),
      value: Schema.NullOr(Schema.Finite),
      excluded_by: Schema.NullOr(Schema.Unknown)
    })
  )
)

const namesOf = Schema.decodeUnknownSync(ArchiveIndex)

/** The closed days of every series, as the archive publishes them. */
export const archivedSeries = async (port: number): Promise<ReadonlyArray<JudgedSeries>> => {
  const { files } = namesOf(await getJson(port, "/v1/archive/"))
  const names = files.map(({ name }) => name).filter((name) => name.startsWith("daily/"))
  const series = new Map<string, JudgedSeries & { readonly days: Array<JudgedSeries["days"][number]> }>()
  for (const name of names.sort()) {
    const file = await asyncBufferFromUrl({ url: `http://127.0.0.1:${port}/v1/archive/${name}` })
    const columns = ["day", "symbol", "metric", "source", "unit", "value", "excluded_by"]
    for (const row of leafRows(await parquetReadObjects({ file, columns }))) {
      const { excluded_by, metric, source, symbol, unit, value } = row
      if (excluded_by !== null || symbol === null || value === null) continue
      if (metric === null || source === null || unit === null) continue
      const key = `${symbol} ${metric} ${source}`
      const entry = series.get(key) ?? {
        symbol,
        metric,
        source,
        unit,
        category: bySymbol.get(symbol)?.category,
        neverFalls: false,
        mayBeZero: false,
        mayJump: false,
        days: []
      }
      entry.days.push({ date: row.day.toISOString().slice(0, 10), value })
      series.set(key, entry)
    }
  }
  return [...series.values()]
}

const candles = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Array(Schema.Union([Schema.Finite, Schema.String]))))
)

/** Prices, volumes and trades of recorded hours, each hour in the place of a day. */
const recordedSeries = (file: string): ReadonlyArray<JudgedSeries> => {
  const hours = candles(readFileSync(file, "utf8"))
  const columns = { open: 1, high: 2, low: 3, close: 4, volume: 5, quote_volume: 7, trades: 8 }
  return Object.entries(columns).map(([metric, column]) => ({
    symbol: "BTC",
    metric,
    source: "recorded",
    unit: "usd",
    category: undefined,
    neverFalls: false,
    mayBeZero: false,
    mayJump: false,
    days: hours.map((hour, at) => ({ date: dateAt(at), value: Number(hour[column]) }))
  }))
}

const rowsOf = (name: string, outcome: Outcome): ReadonlyArray<Row> => [
  within(`${name}: recall of ${outcome.planted} faults`, "of 1", recallOf(outcome), [">=", 0.8]),
  within(
    `${name}: precision, one fault in ${Math.round(outcome.judged / outcome.planted)} days`,
    "of 1",
    precisionOf(outcome),
    [">=", 0.5]
  ),
  ...faultKinds.flatMap((kind): ReadonlyArray<Row> => {
    const of = outcome.faults.get(kind)
    if (of === undefined) return []
    const recall = of.found / of.planted
    return [
      {
        what: `${name}: ${kind}, found of ${of.planted}`,
        value: rounded(recall),
        unit: "of 1",
        ratio: rounded(recall),
        aim: "beside"
      }
    ]
  }),
  ...[...outcome.wrong].map(([rule, n]): Row => {
    const share = (1000 * n) / outcome.judged
    return {
      what: `${name}: ${rule}, wrong`,
      value: rounded(share),
      unit: "in 1,000 days",
      ratio: rounded(share),
      aim: "beside"
    }
  })
]

const overSeeds = (series: (seed: number) => ReadonlyArray<JudgedSeries>, one: number): Outcome =>
  together(seeds.map((seed) => outcomeOf(series(seed), { every: one, seed })))

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const { port, stop } = await startDemo()
  const demo = await archivedSeries(port).finally(stop)
  const recorded = join(process.env["RECORDED"] ?? "", "ohlcv-hourly/binance-btcusdt-1h-rebuilt.json")
  return [
    ...rowsOf(
      "demo",
      overSeeds(() => demo, every.demo)
    ),
    ...rowsOf(
      "made up",
      overSeeds((seed) => madeSeries(seed, 60, 60), every.made)
    ),
    ...(process.env["RECORDED"] !== undefined && existsSync(recorded)
      ? rowsOf(
          "recorded hours",
          overSeeds(() => recordedSeries(recorded), every.recorded)
        )
      : [])
  ]
}

if (import.meta.main) console.table(await run())

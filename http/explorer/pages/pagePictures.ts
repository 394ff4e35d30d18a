/**
 * Pictures for previews of the pages that are of many networks: the first page, the list, a category, the world, a day, an edition, and
 * what is earned. A picture is handed on, so none has a figure whose source does not let it be.
 */
import { Effect } from "effect"
import { newestClosedDay } from "../../../core/log/closedDays.ts"
import { type DayFacts, factsOfDay } from "../../../core/log/record/changesOfDay.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { documentOf, editionOf } from "../../../core/publications/Brief.ts"
import { type Bulk, bulk } from "../../../core/readings/read/bulk.ts"
import { categoryFigures, rankedFigures } from "../../../core/readings/read/category.ts"
import { coverageOf } from "../../../core/readings/read/coverage.ts"
import { earnedFigures } from "../../../core/readings/read/earned.ts"
import { overview } from "../../../core/readings/read/overview.ts"
import { isDay } from "../../../core/readings/read/parameters.ts"
import { placesOf } from "../../../core/readings/read/places.ts"
import { world } from "../../../core/readings/read/world.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import type { Bar } from "../charts/barChart.ts"
import { factsPicture } from "../charts/factsPicture.ts"
import { barsPicture, type Picture } from "../charts/picture.ts"
import { changeText } from "../html/change.ts"
import { dayLines } from "../html/dayLines.ts"
import {
  categoryTitle,
  formatChange,
  formatDay,
  formatNumber,
  metricTitle,
  valueText
} from "../html/format.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { pageTime } from "../html/shell.ts"
import { earnedTitle, rungSentence, sidesOf } from "./earned.ts"
import { chartOfMap, isMapHandedOn, mappedOf } from "./map.ts"
import { drawn, hostOf } from "./pictures.ts"
import { largestOfSymbols, sectorsOf } from "./today.ts"

/** Drawn with the address of its page; of the demo it says so. */
const ofPage = Effect.fnUntraced(function* (path: string, picture: Omit<Picture, "foot" | "value">) {
  const { baseUrl, mode } = yield* HttpSettings
  const simulated = mode === "replay" ? "Simulated. " : ""
  const foot = `${simulated}Every figure with its source and its proof at ${hostOf(baseUrl)}${path}`
  return yield* drawn({ ...picture, value: "", foot })
})

/** Of the moves of a day, those that may be handed on. */
const handedMoves = (facts: DayFacts, { may }: Bulk) => facts.moves.filter(({ source }) => may(source))

const barsOfMoves = (title: string, moves: DayFacts["moves"]): string | undefined =>
  barsPicture(
    title,
    largestOfSymbols(moves).map(
      ({ change, symbol, unit }): Bar => ({
        name: nameOfSymbol(symbol),
        value: change.relative,
        text: changeText({ change, unit })
      })
    )
  )

/** What moved most of what may be handed on, else what was corrected: both are lines of the day. */
const firstLine = (facts: DayFacts, moves: DayFacts["moves"]): string => {
  const [first, second] = dayLines({ ...facts, moves })
  return (moves.length === 0 && facts.moves.length > 0 ? second?.text : first?.text) ?? ""
}

/** The map of the newest closed day, or what moved on it. */
export const todayPicture = Effect.gen(function* () {
  const date = yield* orProblem(newestClosedDay)
  const facts = yield* orProblem(factsOfDay(date))
  if (facts === undefined)
    return yield* ofPage("", {
      heading: "The physical internet today",
      below: "No day is closed yet.",
      chart: undefined
    })
  const places = yield* orProblem(placesOf(date))
  const map = places && mappedOf(places, undefined)
  const hasMap = map !== undefined && map.values.length > 0 && (yield* isMapHandedOn(map))
  const moves = handedMoves(facts, yield* bulk)
  return yield* ofPage("", {
    heading: `The physical internet, ${formatDay(date)}`,
    below: firstLine(facts, moves),
    chart: hasMap ? chartOfMap(map) : barsOfMoves("What moved most", moves)
  })
})

/** How many networks are measured, by category: counts of this service. */
export const networksPicture = Effect.gen(function* () {
  const entries = yield* overview()
  const { ownTelemetry } = coverageOf(entries.map(({ row }) => row))
  return yield* ofPage("/networks", {
    heading: `${formatNumber(ownTelemetry)} infrastructure networks`,
    below: "Measured by their own telemetry, in each category",
    chart: barsPicture(
      "Networks by category",
      sectorsOf(entries)
        .filter(({ measured }) => measured > 0)
        .map(
          ({ category, listed, measured }): Bar => ({
            name: categoryTitle(category),
            value: measured,
            text: `${formatNumber(measured)} of ${formatNumber(listed)}`
          })
        )
    )
  })
})

/** The ranking of a category by a metric, or by that which most of its networks have. */
export const categoryPicture = Effect.fn("explorer.categoryPicture")(function* (
  named: string,
  metric: string | undefined
) {
  const name = Category.literals.find((one) => one === named)
  if (name === undefined) return yield* new NotFound({ message: "There is no category of this name." })
  const figures = rankedFigures(yield* categoryFigures(name))
  const figure = metric === undefined ? figures[0] : figures.find((one) => one.metric === metric)
  const { may } = yield* bulk
  const path = `/category/${name}`
  if (figure === undefined)
    return yield* ofPage(path, { heading: categoryTitle(name), below: "Without a ranking", chart: undefined })
  const title = metricTitle(figure.metric)
  const rows = figure.counted.filter(({ row }) => may(row.source))
  const isWhole = rows.length === figure.counted.length
  return yield* ofPage(path, {
    heading: categoryTitle(name),
    below: `${title}, ${isWhole ? "" : "as far as it may be published again, "}${formatDay(new Date(yield* pageTime).toISOString())}`,
    chart: barsPicture(
      title,
      rows.map(
        ({ row: { symbol, unit, value } }): Bar => ({
          name: nameOfSymbol(symbol),
          value,
          text: valueText(value, unit)
        })
      )
    )
  })
})

/** The gauges of the physical world. */
export const worldPicture = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  const { gauges, sectors } = yield* world({ baseUrl })
  const { may } = yield* bulk
  const live = sectors.filter(({ live_24h }) => live_24h).length
  const facts = Object.entries(gauges).flatMap(([name, gauge]) =>
    gauge === undefined || !may(gauge.source)
      ? []
      : [{ name: metricTitle(name), text: valueText(gauge.value, gauge.unit) }]
  )
  return yield* ofPage("/world", {
    heading: "The physical world, measured",
    below: `${formatNumber(live)} of ${formatNumber(sectors.length)} sectors live, ${formatDay(new Date(yield* pageTime).toISOString())}`,
    chart: factsPicture(facts)
  })
})

/** What moved most on a closed day. */
export const changesPicture = Effect.fn("explorer.changesPicture")(function* (date: string) {
  const facts = isDay(date) ? yield* orProblem(factsOfDay(date)) : undefined
  if (facts === undefined)
    return yield* new NotFound({ message: "No day of this date is closed. /log has the days." })
  const lines = dayLines({ ...facts, moves: [] }).slice(-2)
  return yield* ofPage(`/changes/${date}`, {
    heading: `What changed on ${formatDay(date)}`,
    below: lines.map(({ text }) => text).join(" "),
    chart: barsOfMoves("Largest changes", handedMoves(facts, yield* bulk))
  })
})

/** Whose capacity moved most in the week of an edition. */
export const briefPicture = Effect.fn("explorer.briefPicture")(function* (date: string) {
  const edition = isDay(date)
    ? yield* editionOf(date).pipe(
        Effect.catchTag("BriefUnknown", () => Effect.succeed(undefined)),
        orProblem
      )
    : undefined
  if (edition === undefined) return yield* new NotFound({ message: "There is no brief of this date." })
  const { days, supply_movers } = yield* Effect.orDie(documentOf(edition.body))
  const { may } = yield* bulk
  const [first = date, last = date] = days
  return yield* ofPage(`/brief/${date}`, {
    heading: `The weekly brief, ${formatDay(date)}`,
    below: `Change of capacity from ${formatDay(first)} to ${formatDay(last)}`,
    chart: barsPicture(
      "Change of capacity in seven days",
      [...supply_movers.up.slice(0, 4), ...supply_movers.down.slice(0, 4).toReversed()].flatMap(
        ({ supply: { change_pct, now }, symbol }): ReadonlyArray<Bar> =>
          change_pct === null || !may(now.source)
            ? []
            : [{ name: nameOfSymbol(symbol), value: change_pct, text: formatChange(change_pct) }]
      )
    )
  })
})

/** What networks earned on a day, in dollars, the most first. */
export const earnedPicture = Effect.gen(function* () {
  const rows = sidesOf(yield* orProblem(earnedFigures()), [])
  const { may } = yield* bulk
  const bars = rows
    .flatMap(({ earned, symbol }): ReadonlyArray<Bar> => {
      if (earned?.parts.span !== "24h" || !may(earned.row.source)) return []
      const value = earned.parts.unit === "usd" ? earned.row.value : earned.usd?.value
      return value === undefined ? [] : [{ name: nameOfSymbol(symbol), value, text: valueText(value, "usd") }]
    })
    .toSorted((a, b) => b.value - a.value)
  return yield* ofPage("/measure/earned", {
    heading: earnedTitle,
    below: bars.length === 0 ? rungSentence(rows) : "Earned in a day, the most first",
    chart: barsPicture(earnedTitle, bars)
  })
})

/**
 * The first two weeks of the demo's series and of simulated launches, played through the guards as ingest judges them: a factor is
 * planted for a day on each of the first ten days, with one run per day and with four, and each series is played as it is.
 * Alone: `npx node test/bench/firstWeek.ts`.
 */

import { Effect } from "effect"
import { type Metric, metricNamed } from "../../core/plugin/Manifest.ts"
import { type Figure, isFlow, isScaled } from "../../core/readings/ingest/compare/scale.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { type Launch, launches } from "../readings/launches.ts"
import { factors, plant, plantedDays, play } from "../readings/played.ts"
import { archivedSeries } from "./anomalies.ts"
import { startDemo } from "./http.demo.ts"

const hour = 3_600_000
const days = 14
const start = Date.UTC(2026, 8, 1)
const launched = 1000

/** A series as it is played: the figure, the class it counts in, and a value for each day. */
interface Played {
  readonly of: string
  readonly figure: Figure
  readonly values: ReadonlyArray<number>
}

const classOf = ({ metric, name }: Figure, first: number): string =>
  metric.mayJump !== undefined
    ? "demo: may jump"
    : isFlow(name)
      ? "demo: flows"
      : metric.unit === "count"
        ? first < 100
          ? "demo: counts below 100"
          : "demo: counts"
        : "demo: others"

const demoSeries = async (): Promise<ReadonlyArray<Played>> => {
  const plugins = await Effect.runPromise(Plugins.all())
  const declared = (name: string): Metric | undefined =>
    plugins.flatMap(({ manifest }) => metricNamed(manifest.metrics, name) ?? [])[0]
  const { port, stop } = await startDemo()
  const all = await archivedSeries(port).finally(stop)
  return all.flatMap(({ days: of, metric: name }): ReadonlyArray<Played> => {
    const metric = declared(name)
    if (metric === undefined || !isScaled(metric) || of.length < days) return []
    const values = of.slice(0, days).map(({ value }) => value)
    const figure = { name, metric }
    return [{ of: classOf(figure, values[0] ?? 0), figure, values }]
  })
}

const launchSeries = (launch: Launch): ReadonlyArray<Played> =>
  Array.from({ length: launched }, (_, seed) => ({
    of: `launch: ${launch.name}`,
    figure: { name: launch.metric, metric: { unit: launch.unit, min: 0, meaning: "A figure of a launch." } },
    values: launch.days(seed + 1, days)
  }))

const readingsOf = (values: ReadonlyArray<number>, perDay: number) =>
  values.flatMap((value, day) =>
    Array.from({ length: perDay }, (_, run) => ({
      value,
      asOf: start + (day * 24 + (run * 24) / perDay) * hour
    }))
  )

const isDefined = (unit: string, value: number, factor: number): boolean =>
  value > 0 &&
  (unit !== "count" || (Math.abs(Math.round(value * factor) - value) >= 10 && Math.round(value * factor) > 0))

interface Tally {
  series: number
  planted: number
  caught: number
  heldAtOnce: number
  back: number
  falseWeek: number
  falseLater: number
}

const tally = (all: ReadonlyArray<Played>, perDay: number): ReadonlyMap<string, Tally> => {
  const tallies = new Map<string, Tally>()
  for (const { figure, of, values } of all) {
    const counts = tallies.get(of) ?? {
      series: 0,
      planted: 0,
      caught: 0,
      heldAtOnce: 0,
      back: 0,
      falseWeek: 0,
      falseLater: 0
    }
    tallies.set(of, counts)
    const readings = readingsOf(values, perDay)
    counts.series++
    const honest = play(figure, readings)
    if (honest.slice(0, 7 * perDay).some(({ held: isHeld }) => isHeld)) counts.falseWeek++
    if (honest.slice(7 * perDay).some(({ held: isHeld }) => isHeld)) counts.falseLater++
    for (const day of plantedDays)
      for (const factor of factors) {
        const from = day * perDay
        if (!isDefined(figure.metric.unit, readings[from]?.value ?? 0, factor)) continue
        const { caught, heldAtOnce, marked, until } = plant(figure, readings, factor, from, from + perDay)
        counts.planted++
        if (caught) counts.caught++
        if (heldAtOnce) counts.heldAtOnce++
        if (marked && until <= (perDay === 1 ? 1 : 3)) counts.back++
      }
  }
  return tallies
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? "" : `${(Math.round((10_000 * part) / whole) / 100).toFixed(2)} %`

if (import.meta.main) {
  const all = [...(await demoSeries()), ...launches.flatMap(launchSeries)]
  for (const perDay of [1, 4]) {
    console.log(perDay === 1 ? "One run per day" : "Four runs per day")
    console.table(
      [...tally(all, perDay)].map(([name, of]) => ({
        class: name,
        series: of.series,
        planted: of.planted,
        "held or marked": percent(of.caught, of.planted),
        "held at once": percent(of.heldAtOnce, of.planted),
        "true value back": percent(of.back, of.planted),
        "held falsely in week 1": percent(of.falseWeek, of.series),
        "in week 2": percent(of.falseLater, of.series)
      }))
    )
  }
}

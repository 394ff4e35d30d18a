/** Faults planted into series that have none, and what the rules find of them. */

import { has, noRatioOf } from "../../../core/plugin/units.ts"
import { constants } from "../../../core/readings/anomalies/constants.ts"
import type { Finding } from "../../../core/readings/anomalies/finding.ts"
import { judgeMetric } from "../../../core/readings/anomalies/judgeMetric.ts"
import type { JudgedSeries } from "../../../core/readings/anomalies/series.ts"
import type { AnomalyRule } from "../../../core/wire/data/anomalies.ts"
import { factorBetween, oneOf, randomOf } from "./random.ts"

export const faultKinds = ["unit", "spike", "shift", "stuck", "zero", "sign", "reset", "apart"] as const
export type FaultKind = (typeof faultKinds)[number]

/** What was done to a series. */
interface Fault {
  readonly kind: FaultKind
  readonly series: JudgedSeries
  /** The days on which a finding finds it: of a lasting fault the first alone. */
  readonly from: number
  readonly to: number
}

/** What was planted, and what came of it. */
export interface Outcome {
  readonly faults: ReadonlyMap<FaultKind, { readonly planted: number; readonly found: number }>
  readonly planted: number
  readonly found: number
  /** Findings on other days, by their rule. */
  readonly wrong: ReadonlyMap<AnomalyRule, number>
  readonly wrongTotal: number
  /** Days that were judged. */
  readonly judged: number
}

/** Places before the first that can be judged. */
const untilJudged = constants.fewest + 1

type Values = Array<number>

/** One day, or all from it on. */
const lasting = (values: Values, from: number, factor: number, to: number): void => {
  for (let at = from; at <= to && at < values.length; at++) values[at] = (values[at] ?? 0) * factor
}

const either = (random: () => number, factor: number): number => (random() < 0.5 ? factor : 1 / factor)

/** Changes the values from a place on; the last place of the fault. Sizes are drawn down to mild ones. */
const plantings: Readonly<Record<FaultKind, (values: Values, from: number, random: () => number) => number>> =
  {
    unit: (values, from, random) => {
      lasting(
        values,
        from,
        either(random, oneOf(random, [100, 1000, 1024, 1e6, 1e18]) ?? 1000),
        values.length
      )
      return from
    },
    spike: (values, from, random) => {
      lasting(values, from, either(random, factorBetween(random, 1.2, 10)), from)
      return from
    },
    shift: (values, from, random) => {
      lasting(values, from, either(random, factorBetween(random, 1.2, 10)), values.length)
      return from
    },
    stuck: (values, from, random) => {
      const to = Math.min(from + 3 + Math.floor(7 * random()), values.length - 1)
      values.fill(values[from] ?? 0, from, to + 1)
      return to
    },
    zero: (values, from) => {
      values[from] = 0
      return from
    },
    sign: (values, from) => {
      lasting(values, from, -1, from)
      return from
    },
    reset: (values, from, random) => {
      const lost = (values[from] ?? 0) * (1 - 0.95 * random())
      for (let at = from; at < values.length; at++) values[at] = (values[at] ?? 0) - lost
      return from
    },
    apart: (values, from, random) => {
      lasting(values, from, either(random, factorBetween(random, 1.05, 2)), values.length)
      return from
    }
  }

const onlyRises = (values: ReadonlyArray<number>): boolean =>
  values.every((value, at) => at === 0 || value > (values[at - 1] ?? value))

const neverRepeats = (values: ReadonlyArray<number>): boolean =>
  values.every((value, at) => at === 0 || value !== values[at - 1])

/** The faults that can happen to a series. */
const possible = (
  { days, source, symbol, unit, metric, mayBeZero }: JudgedSeries,
  sourcesOf: (key: string) => number
): ReadonlyArray<FaultKind> => {
  const values = days.map(({ value }) => value)
  if (has(unit, "no_distance") || unit === "rank" || source === "") return []
  const isPositive = values.every((value) => value > 0)
  const isRatio = isPositive && noRatioOf(unit) === undefined
  return [
    ...(isRatio ? (["unit", "spike", "shift"] as const) : []),
    ...(neverRepeats(values) ? (["stuck"] as const) : []),
    ...(isPositive && !mayBeZero ? (["zero", "sign"] as const) : []),
    ...(isPositive && onlyRises(values) ? (["reset"] as const) : []),
    ...(isRatio && sourcesOf(`${symbol} ${metric}`) > 1 ? (["apart"] as const) : [])
  ]
}

/** Plants a fault in every so manieth series; whole numbers stay whole. */
const plant = (all: ReadonlyArray<JudgedSeries>, seed: number, every: number) => {
  const random = randomOf(seed)
  const counts = Map.groupBy(all, ({ metric, symbol }) => `${symbol} ${metric}`)
  const faults: Array<Fault> = []
  const series = all.map((one) => {
    const kinds = possible(one, (key) => counts.get(key)?.length ?? 0)
    // Of the rarer kinds there are enough to count.
    const kind = kinds.includes("apart") && random() < 0.5 ? "apart" : oneOf(random, kinds)
    if (random() >= 1 / every || kind === undefined || one.days.length <= untilJudged) return one
    const values = one.days.map(({ value }) => value)
    const whole = values.every(Number.isInteger)
    const from = untilJudged + Math.floor(random() * (values.length - untilJudged))
    const to = plantings[kind](values, from, random)
    const days = one.days.map((day, at) => {
      const value = values[at] ?? day.value
      return { date: day.date, value: whole ? Math.round(value) : value }
    })
    if (days.every(({ value }, at) => value === one.days[at]?.value)) return one
    const faulty = { ...one, days }
    faults.push({ kind, series: faulty, from, to })
    return faulty
  })
  return { series, faults }
}

/** The findings of a series by the place of their day. */
const findingsOf = (
  series: JudgedSeries,
  judge: (series: JudgedSeries) => Finding | undefined
): ReadonlyMap<number, AnomalyRule> => {
  const rules = new Map<number, AnomalyRule>()
  for (let at = untilJudged; at < series.days.length; at++) {
    const finding = judge({ ...series, days: series.days.slice(0, at + 1) })
    if (finding !== undefined) rules.set(at, finding.rule)
  }
  return rules
}

/** Plants faults and judges every day of every series. `every` 10 with 20 judged days is one fault in 200 days of a series. */
export const outcomeOf = (
  honest: ReadonlyArray<JudgedSeries>,
  { every, seed }: { readonly every: number; readonly seed: number }
): Outcome => {
  const { faults, series } = plant(honest, seed, every)
  const faultOf = new Map(faults.map((fault) => [fault.series, fault]))
  const counts = new Map<FaultKind, { planted: number; found: number }>()
  const wrong = new Map<AnomalyRule, number>()
  let judged = 0
  for (const of of Map.groupBy(series, ({ metric }) => metric).values()) {
    const judge = judgeMetric(of)
    for (const one of of) {
      const findings = findingsOf(one, judge)
      const fault = faultOf.get(one)
      const isOf = (at: number) => fault !== undefined && at >= fault.from && at <= fault.to
      judged += Math.max(0, one.days.length - untilJudged)
      for (const [at, rule] of findings) if (!isOf(at)) wrong.set(rule, (wrong.get(rule) ?? 0) + 1)
      if (fault === undefined) continue
      const count = counts.get(fault.kind) ?? { planted: 0, found: 0 }
      counts.set(fault.kind, {
        planted: count.planted + 1,
        found: count.found + ([...findings.keys()].some(isOf) ? 1 : 0)
      })
    }
  }
  return withTotals(counts, wrong, judged)
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0)

const withTotals = (faults: Outcome["faults"], wrong: Outcome["wrong"], judged: number): Outcome => ({
  faults,
  planted: sum([...faults.values()].map(({ planted }) => planted)),
  found: sum([...faults.values()].map((count) => count.found)),
  wrong,
  wrongTotal: sum(wrong.values()),
  judged
})

/** The sums of several outcomes. */
export const together = (outcomes: ReadonlyArray<Outcome>): Outcome => {
  const kinds = new Set(outcomes.flatMap(({ faults }) => [...faults.keys()]))
  const rules = new Set(outcomes.flatMap(({ wrong }) => [...wrong.keys()]))
  return withTotals(
    new Map(
      [...kinds].map((kind) => [
        kind,
        {
          planted: sum(outcomes.map(({ faults }) => faults.get(kind)?.planted ?? 0)),
          found: sum(outcomes.map(({ faults }) => faults.get(kind)?.found ?? 0))
        }
      ])
    ),
    new Map([...rules].map((rule) => [rule, sum(outcomes.map(({ wrong }) => wrong.get(rule) ?? 0))])),
    sum(outcomes.map(({ judged }) => judged))
  )
}

export const recallOf = (outcome: Outcome): number => outcome.found / outcome.planted

/** Of all that was said, the share that was about a planted fault. */
export const precisionOf = (outcome: Outcome): number => outcome.found / (outcome.found + outcome.wrongTotal)

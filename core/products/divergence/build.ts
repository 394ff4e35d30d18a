/** `/v1/divergence`: networks whose capacity and demand moved apart within a week of closed days. */
import { Effect } from "effect"
import { day } from "../../data/read/freshness.ts"
import { compare } from "../../plugin/Value.ts"
import { compared, genericCapacity, genericDemand } from "../../publications/edition/compared.ts"
import { viewed } from "../build.ts"
import { type ClosedDay, daysOf } from "../shared/closedDays.ts"
import { depinRule, heuristicRule, liveRule, networks, quotient, readings } from "../shared/inputs.ts"
import definition, { type DivergenceRow, type DivergenceView } from "./definition.ts"

/** A change beyond these percentages counts as an upstream error until someone checks it. */
const plausible = { fall: -90, rise: 900 }
/** From so many percentage points on, two sides count as moved apart. */
const apart = 10
const week = 7 * day

/** The week to `to`: its value, and the one of the day a week before; undefined if either is missing. */
const weekOf = (days: ReadonlyArray<ClosedDay>, to: string) => {
  const wanted = Date.parse(to) - week
  const last = days.find(({ date }) => date === to)
  const first = days.find(({ date }) => Date.parse(date) === wanted)
  const change_pct =
    first === undefined || last === undefined
      ? null
      : quotient(100 * (last.value - first.value), Math.abs(first.value))
  return first === undefined || last === undefined || change_pct === null
    ? undefined
    : { from: first.cite, to: last.cite, from_date: first.date, to_date: last.date, change_pct }
}

const stateOf = (points: number): DivergenceRow["state"] =>
  points >= apart ? "capacity_ahead" : points <= -apart ? "demand_ahead" : "together"

export const divergence = Effect.gen(function* () {
  const { generated_utc, measured } = yield* readings
  const days = yield* daysOf
  const rows: Array<DivergenceRow> = []
  const withheld: Array<{ readonly symbol: string; readonly reason: string }> = []
  const missing: Array<{ readonly symbol: string; readonly reason: string }> = []
  let n_unmeasured = 0
  for (const { symbol } of networks) {
    const network = measured(symbol)
    const first = (metrics: ReadonlyArray<string>) =>
      metrics.find((metric) => network.of(metric) !== undefined)
    const capacity = first(genericCapacity)
    const pairs = compared.get(symbol) ?? [
      { what: "capacity and fees", capacity, demand: first(genericDemand), part: false }
    ]
    if (pairs.every((pair) => pair.capacity === undefined || network.of(pair.capacity) === undefined)) {
      n_unmeasured++
      continue
    }
    for (const pair of pairs) {
      const { demand, part, what } = pair
      if (pair.capacity === undefined || demand === undefined) {
        missing.push({ symbol, reason: `${what}: no demand is measured` })
        continue
      }
      const [supplied, asked] = [days(network, pair.capacity), days(network, demand)]
      const common = new Set(asked.map(({ date }) => date))
      const to = supplied.findLast(({ date }) => common.has(date))?.date
      const [one, other] = to === undefined ? [] : [weekOf(supplied, to), weekOf(asked, to)]
      if (one === undefined || other === undefined) {
        missing.push({
          symbol,
          reason: `${what}: ${pair.capacity} and ${demand} have no two closed days in common a week apart`
        })
        continue
      }
      const share = part ? quotient(100 * other.to.value, one.to.value) : null
      const doubt = [one, other].find(
        ({ change_pct }) => change_pct < plausible.fall || change_pct > plausible.rise
      )
      if (doubt !== undefined || (share !== null && share > 100)) {
        const reason =
          doubt === undefined
            ? `${demand} exceeds ${pair.capacity}, of which it is a part`
            : `${doubt.to.metric}: such a change within a week is implausible until checked with the upstream`
        withheld.push({ symbol, reason: `${what}: ${reason}` })
        continue
      }
      const divergence_points = one.change_pct - other.change_pct
      rows.push({
        symbol,
        what,
        capacity: one,
        demand: other,
        divergence_points,
        state: stateOf(divergence_points),
        ...(share === null ? {} : { utilisation_pct: share })
      })
    }
  }
  return {
    generated_utc,
    n_networks: new Set(rows.map(({ symbol }) => symbol)).size,
    n_diverging: rows.filter(({ state }) => state !== "together").length,
    rows: rows.toSorted(
      (a, b) =>
        Math.abs(b.divergence_points) - Math.abs(a.divergence_points) ||
        compare(a.symbol, b.symbol) ||
        compare(a.what, b.what)
    ),
    withheld,
    missing,
    n_unmeasured,
    methodology: {
      formula: "divergence_points = capacity.change_pct - demand.change_pct, over the same seven days",
      fields: [
        ...new Set([
          ...genericCapacity,
          ...genericDemand,
          ...[...compared.values()].flat().flatMap((pair) => [pair.capacity, pair.demand])
        ])
      ],
      rules: [
        "Both sides are read on the newest closed day that both series have, and on the day exactly a week before; no other day stands in for either.",
        `state: which side moved ahead by at least ${apart} percentage points.`,
        `A change below ${plausible.fall} or above ${plausible.rise} percent is withheld, and so is a part that exceeds its whole.`,
        "Networks whose upstream publishes both sides are compared by them; others by their first node count and their fees.",
        depinRule,
        liveRule,
        heuristicRule
      ]
    }
  } satisfies DivergenceView
})

export default { view: viewed(definition, () => divergence) }

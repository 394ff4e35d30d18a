/** `/v1/divergence`: networks whose capacity and demand moved apart within a week of closed days. */
import { Effect } from "effect"
import { compared, genericCapacity, genericDemand } from "../../publications/compared.ts"
import { divergenceOf, plausible, type Week } from "../../publications/divergence.ts"
import { broadBaseWords } from "../../readings/change.ts"
import { viewed } from "../build.ts"
import { type ClosedDay, daysOf } from "../shared/closedDays.ts"
import { depinRule, heuristicRule, leftOut, liveRule, networks, readings } from "../shared/inputs.ts"
import definition, { type DivergenceRow, type DivergenceView } from "./definition.ts"

/** From so many percentage points on, two sides count as moved apart. */
const apart = 10

const sideOf = ({ change_pct, from, to }: Week<ClosedDay>): DivergenceRow["capacity"] => ({
  from: from.cite,
  to: to.cite,
  from_date: from.date,
  to_date: to.date,
  change_pct
})

/** Both bounds count as apart. */
export const stateOf = (points: number): DivergenceRow["state"] =>
  points >= apart ? "capacity_ahead" : points <= -apart ? "demand_ahead" : "together"

const fields = [
  ...new Set([
    ...genericCapacity,
    ...genericDemand,
    ...[...compared.values()].flat().flatMap((pair) => [pair.capacity, pair.demand])
  ])
]

export const divergence = Effect.gen(function* () {
  const current = yield* readings
  const { generated_utc, measured } = current
  const days = yield* daysOf
  const symbols = networks.map(({ symbol }) => symbol)
  const {
    missing,
    n_unmeasured,
    rows: pairings,
    withheld
  } = divergenceOf(symbols, (symbol, metric) => {
    const network = measured(symbol)
    return network.of(metric) === undefined ? undefined : days(network, metric)
  })
  const rows = pairings.map(({ capacity, demand, divergence_points, ...pairing }) => ({
    ...pairing,
    capacity: sideOf(capacity),
    demand: sideOf(demand),
    divergence_points,
    state: stateOf(divergence_points)
  }))
  return {
    generated_utc,
    ...leftOut(current, fields),
    n_networks: new Set(rows.map(({ symbol }) => symbol)).size,
    n_diverging: rows.filter(({ state }) => state !== "together").length,
    rows,
    withheld,
    missing,
    n_unmeasured,
    methodology: {
      formula: "divergence_points = capacity.change_pct - demand.change_pct, over the same seven days",
      fields,
      rules: [
        "Both sides are read on the newest closed day that both series have, and on the day exactly a week before; no other day stands in for either.",
        `state: which side moved ahead by at least ${apart} percentage points.`,
        `A change below ${plausible.fall} or above ${plausible.rise} percent is withheld, and so is a series with readings of this week that an incident excludes, and a part that exceeds its whole.`,
        `The value a week before is ${broadBaseWords}.`,
        "Networks whose upstream publishes both sides are compared by them; others by their first node count and their fees.",
        depinRule,
        liveRule,
        heuristicRule
      ]
    }
  } satisfies DivergenceView
})

export default { view: viewed(definition, () => divergence) }

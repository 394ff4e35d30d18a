/** `/v1/digest`: the daily digest, built from the other views. */
import { Effect } from "effect"
import { referenceSymbols } from "../../catalog/Catalog.ts"
import { broadBaseWords, isBroadBase } from "../../readings/change.ts"
import { viewed } from "../build.ts"
import { dailyChanges } from "../changes/build.ts"
import type { ChangeRow } from "../changes/definition.ts"
import { devVelocity } from "../dev_velocity/build.ts"
import { dilutionRisk } from "../dilution_risk_map/build.ts"
import { sectorHealth } from "../sector_health_index/build.ts"
import { depinRule, leftOut, readings } from "../shared/inputs.ts"
import definition, { type Digest } from "./definition.ts"

/** A day that is open still moves, and from a small base any step is large. */
const isMover = (row: ChangeRow): boolean => row.open !== true && isBroadBase(row, row.from_value)

export const digest = Effect.gen(function* () {
  const current = yield* readings
  const { generated_utc, measured, symbols: all } = current
  const symbols = all.filter((symbol) => !referenceSymbols.has(symbol))
  const { changes } = yield* dailyChanges
  const { class_counts } = yield* dilutionRisk
  const { categories } = yield* sectorHealth
  const { n_active, n_dormant } = yield* devVelocity
  return {
    generated_utc,
    ...leftOut(current, () => true),
    n_networks: symbols.length,
    n_series: symbols.reduce((sum, symbol) => sum + measured(symbol).rows.length, 0),
    movers: changes.filter(isMover).slice(0, 10),
    dilution_classes: class_counts,
    sector_health: categories.map(({ category, health_index }) => ({ category, health_index })),
    development: { n_active, n_dormant },
    methodology: {
      formula:
        "the first ten rows of /v1/changes with two closed days and a broad base, and the counts of dilution-risk, sector-health and dev-velocity",
      fields: ["those of the four views"],
      rules: [
        `Movers are changes from a base of ${broadBaseWords}: from less, one more is many percent.`,
        "All figures come from one snapshot; each view documents its own method.",
        depinRule
      ]
    }
  } satisfies Digest
})

export default { view: viewed(definition, () => digest) }

/** `sector_health_index`: a composite of four measured components per category. */
import { Effect } from "effect"
import { hour } from "../../plugin/time.ts"
import { soldAndViewed } from "../build.ts"
import { dormantAfter } from "../dev_velocity/build.ts"
import { ofValues } from "../shared/coverage.ts"
import {
  categories,
  depinRule,
  heuristicRule,
  inputOf,
  leftOut,
  liveRule,
  mean,
  networks,
  readings
} from "../shared/inputs.ts"
import definition, { type SectorHealth } from "./definition.ts"

export const weights = {
  telemetry_coverage: 0.35,
  freshness: 0.25,
  development: 0.25,
  market_breadth: 0.15
} as const
type Component = keyof typeof weights

const names: ReadonlyArray<Component> = ["telemetry_coverage", "freshness", "development", "market_breadth"]

export const sectorHealth = Effect.map(readings, (current): SectorHealth => {
  const { at, generated_utc, measured } = current
  return {
    generated_utc,
    ...leftOut(current, () => true),
    component_weights: weights,
    categories: categories.map((category) => {
      const members = networks
        .filter((network) => network.category === category)
        .map(({ symbol }) => measured(symbol))
      const telemetry = members.map(({ confirmed }) =>
        confirmed.some(({ tier }) => tier === "supply_telemetry")
      )
      const ages = members.flatMap(({ confirmed }) => confirmed.map(({ asOf }) => at - asOf))
      const pushes = members.flatMap((network) => network.of("dev_days_since_push") ?? [])
      const changes = members.flatMap((network) => network.behind("price_change_30d_pct") ?? [])
      const sold = members.flatMap((network) => network.of("price_change_30d_pct") ?? [])
      const shareOf = (flags: ReadonlyArray<boolean>) => ({
        value: mean(flags.map(Number)),
        n: flags.length
      })
      const values: Readonly<Record<Component, { readonly value: number | null; readonly n: number }>> = {
        telemetry_coverage: shareOf(telemetry),
        freshness: shareOf(ages.map((age) => age < 26 * hour)),
        development: shareOf(pushes.map(({ row }) => row.value < dormantAfter)),
        market_breadth: shareOf(changes.map(({ row }) => row.value > 0))
      }
      const absent = names.filter((name) => values[name].value === null)
      return {
        category,
        health_index:
          absent.length > 0
            ? null
            : 100 * names.reduce((sum, name) => sum + weights[name] * (values[name].value ?? 0), 0),
        components: names.map((name) => ({ name, weight: weights[name], ...values[name] })),
        n_networks: members.length,
        missing_fields: absent,
        inputs: [...pushes, ...sold].map((row) => ({ symbol: row.row.symbol, ...inputOf(row) }))
      }
    }),
    methodology: {
      formula: `health_index = 100 × (${names.map((name) => `${weights[name]} × ${name}`).join(" + ")})`,
      fields: ["dev_days_since_push", "price_change_30d_pct"],
      rules: [
        "telemetry_coverage: share of the category's networks with a live series of their own telemetry.",
        "freshness: share of the category's live series whose value is younger than 26 hours.",
        `development: share of the networks with a measured dev_days_since_push for which it is below ${dormantAfter}.`,
        "market_breadth: share of the networks with a measured price_change_30d_pct for which it is above 0.",
        "The index is null if a component has no inputs.",
        depinRule,
        liveRule,
        heuristicRule
      ]
    }
  }
})

export default soldAndViewed(definition, sectorHealth, {
  covers: ofValues(() => true),
  holds: ({ categories }) =>
    categories.some(({ components }) => components.some(({ n, value }) => n > 0 && value !== 0))
})

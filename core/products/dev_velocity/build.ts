/** `dev_velocity`: activity in each network's repositories. */
import { Effect } from "effect"
import type { CurrentRow } from "../../readings/read/Current.ts"
import { soldAndViewed } from "../build.ts"
import { ofValues } from "../shared/coverage.ts"
import { depinRule, leftOut, liveRule, type Measured, networks, readings, take } from "../shared/inputs.ts"
import definition, { type DevVelocity, type DevVelocityRow } from "./definition.ts"

/** Days without a push after which a network counts as dormant. */
export const dormantAfter = 90

const fields = [
  "dev_stars",
  "dev_forks",
  "dev_open_issues",
  "dev_days_since_push",
  "dev_archived",
  "dev_repositories",
  "dev_watchers"
] as const

/** Only one of these is measured: an organisation has repositories, a single repository has watchers. */
const either = new Set<string>(["dev_repositories", "dev_watchers"])

export const devVelocityOf = (network: Measured): DevVelocityRow | undefined => {
  const { any, inputs, missing_fields, value } = take(network, fields)
  if (!any) return undefined
  const days = value("dev_days_since_push")
  const oneOf = value("dev_repositories") !== null || value("dev_watchers") !== null
  return {
    symbol: network.symbol,
    stars: value("dev_stars"),
    forks: value("dev_forks"),
    open_issues: value("dev_open_issues"),
    days_since_push: days,
    repositories: value("dev_repositories"),
    watchers: value("dev_watchers"),
    status: days === null ? null : days < dormantAfter && value("dev_archived") !== 1 ? "active" : "dormant",
    missing_fields: missing_fields.filter((field) => !(oneOf && either.has(field))),
    inputs
  }
}

const isOfDevelopment = ({ row }: CurrentRow): boolean => row.metric.startsWith("dev_")

export const devVelocity = Effect.map(readings, (current): DevVelocity => {
  const { generated_utc, measured } = current
  const rows = networks.flatMap(({ symbol }) => devVelocityOf(measured(symbol)) ?? [])
  return {
    generated_utc,
    ...leftOut(current, isOfDevelopment),
    dormant_after_days: dormantAfter,
    n_active: rows.filter(({ status }) => status === "active").length,
    n_dormant: rows.filter(({ status }) => status === "dormant").length,
    networks: rows,
    methodology: {
      formula: `status = active if days_since_push < ${dormantAfter} and not every repository is archived, else dormant`,
      fields,
      rules: [
        "Covers the repositories of the catalog's GitHub organisation, without forks, or the single repository it names.",
        depinRule,
        liveRule
      ]
    }
  }
})

export default soldAndViewed(definition, devVelocity, {
  covers: ofValues(isOfDevelopment),
  holds: ({ networks }) => networks.length > 0
})

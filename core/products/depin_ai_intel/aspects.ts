/**
 * What a network's own series say of its growth, utilisation, concentration, revenue, development and trading. Every
 * statement names the metric, the figures and their days, and cites them; figures of closed days come with their proof.
 */
import { Effect } from "effect"
import { compared, genericCapacity } from "../../publications/compared.ts"
import { changeOver } from "../../readings/change.ts"
import { oneAccount } from "../../readings/read/wholes.ts"
import type { Input } from "../../wire/products/payload.ts"
import { geoOf } from "../geo_concentration/build.ts"
import type { Kind } from "../shared/analyst.ts"
import { type ClosedDay, type DaysOf, daysOf } from "../shared/closedDays.ts"
import { inputOf, type Measured, quotient } from "../shared/inputs.ts"
import type { Aspect, Citation } from "./definition.ts"

/** What the series of one aspect say. */
export interface AspectStatement {
  readonly aspect: Aspect
  readonly kind: Kind
  readonly text: string
  readonly cites: readonly [Citation, ...ReadonlyArray<Citation>]
  /** The current values among those cited. */
  readonly inputs: ReadonlyArray<Input>
}

/** The series of a network's growth, in order of preference; then any first-party series, and then these. */
const grows: ReadonlyArray<string> = [
  ...genericCapacity,
  "registered_gpu_count",
  "STORAGE_TOTAL_BYTES",
  "SUBNET_ACTIVE_NEURONS",
  "SUBNET_NEURONS"
]
const growsElse: ReadonlyArray<string> = ["holders_count", "market_cap_usd", "price_usd"]

/** Series of what a network takes in, each a sum of the same length every day. */
const earns: ReadonlyArray<string> = [
  "fees_24h_usd",
  "revenue_24h_usd",
  "earnings_24h_usd",
  "fees_7d_usd",
  "fees_30d_usd"
]

/** All, and the part of it that is in use, for networks that `compared` does not name. */
const parts = [
  ["registered_gpu_count", "gpu_in_use"],
  ["STORAGE_TOTAL_BYTES", "STORAGE_USED_BYTES"],
  ["SUBNET_MAX_UIDS", "SUBNET_NEURONS"]
] as const

/** From here on a distribution counts as concentrated: the US merger guidelines of 2023. */
const concentratedFrom = 1800

/** The metrics that the aspects are made of, for the methodology. */
export const aspectFields: ReadonlyArray<string> = [
  ...new Set([
    ...grows,
    ...growsElse,
    ...earns,
    ...parts.flat(),
    "nodes_country_<country>",
    "top_holder_balance",
    "circulating_supply",
    "dev_stars",
    "dev_forks",
    "dev_open_issues",
    "dev_days_since_push",
    "volume_24h_usd"
  ])
]

export const aspectRules: ReadonlyArray<string> = [
  "Statements with an `aspect` are written by rules, from the network's own series, whoever wrote the others. They do not count towards the balance.",
  `growth: the first measured of ${grows.join(", ")}, else the first-party series that comes first by name, else ${growsElse.join(", ")}; from its first to its last closed day of the last 30. thesis if it grew, otherwise risk.`,
  `revenue: the same for the first of ${earns.join(", ")}.`,
  "utilisation: a measured part of a measured whole; thesis from 50 percent, otherwise risk. Withheld if the part exceeds the whole.",
  `concentration: nodes by country, risk from a Herfindahl-Hirschman index of ${concentratedFrom}, otherwise moat; without countries the largest holder's share of the circulating supply, risk from 20 percent.`,
  "development: stars, forks and open issues of its repositories; thesis if the last push is less than 90 days old, otherwise risk.",
  "trading: volume of 24 hours against market capitalisation; thesis from one thousandth.",
  "missing_aspects lists those for which the network has no series."
]

export const aspects: ReadonlyArray<Aspect> = [
  "growth",
  "utilisation",
  "concentration",
  "revenue",
  "development",
  "trading"
]

const formatNumber = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 2 })
const signed = (value: number): string => `${value > 0 ? "+" : ""}${formatNumber(value)}`

const citation = ({ as_of, metric, value, verify_url }: Input): Citation => ({
  metric,
  value,
  as_of,
  verify_url
})

/** A statement about current values. */
const now = (
  aspect: Aspect,
  kind: Kind,
  text: string,
  [first, ...others]: ReadonlyArray<Input>
): ReadonlyArray<AspectStatement> =>
  first === undefined
    ? []
    : [{ aspect, kind, text, cites: [citation(first), ...others.map(citation)], inputs: [first, ...others] }]

/** From the first to the last closed day; undefined with fewer than two. */
const trendOf = (metric: string, days: ReadonlyArray<ClosedDay>) => {
  const change = changeOver(days[0]?.unit ?? "", days)
  if (change === undefined) return undefined
  const { from: first, relative, to: last } = change
  const [from, to] = [
    `${formatNumber(first.value)} (${first.date})`,
    `${formatNumber(last.value)} (${last.date})`
  ]
  const grew = last.value > first.value
  const moved =
    last.value === first.value
      ? `stands at ${to}, as on ${first.date}`
      : `${grew ? "grew" : "fell"} from ${from} to ${to}${relative === null ? "" : `, ${signed(relative)} percent`}`
  return {
    grew,
    text: `${metric} ${moved}, over ${days.length} closed days.`,
    cites: [first.cite, last.cite] as const
  }
}

/** The trend of the first of these metrics that has one. */
const trend = (
  aspect: Aspect,
  network: Measured,
  metrics: ReadonlyArray<string>,
  days: DaysOf
): ReadonlyArray<AspectStatement> => {
  for (const metric of metrics) {
    const trend = trendOf(metric, days(network, metric).days)
    const current = network.of(metric)
    if (trend === undefined || current === undefined) continue
    const { cites, grew, text } = trend
    return [{ aspect, kind: grew ? "thesis" : "risk", text, cites, inputs: [inputOf(current)] }]
  }
  return []
}

const growth = (network: Measured, days: DaysOf) => {
  const own = network.rows.flatMap(({ row, tier }) =>
    tier === "supply_telemetry" && !row.metric.startsWith("nodes_country_") ? [row.metric] : []
  )
  return trend("growth", network, [...new Set([...grows, ...own, ...growsElse])], days)
}

const utilisation = (network: Measured): ReadonlyArray<AspectStatement> => {
  const named = (compared.get(network.symbol) ?? []).filter(({ part }) => part)
  for (const [whole, part] of [
    ...named.map(({ capacity, demand }) => [capacity, demand] as const),
    ...parts
  ]) {
    const [all, used] = [network.of(whole), network.of(part)]
    const share = quotient(used?.row.value ?? null, all?.row.value ?? null)
    if (all === undefined || used === undefined || share === null || share < 0 || share > 1) continue
    const text = `${part} is ${formatNumber(used.row.value)} of ${formatNumber(all.row.value)} ${whole}: ${formatNumber(100 * share)} percent.`
    return now("utilisation", share >= 0.5 ? "thesis" : "risk", text, [inputOf(used), inputOf(all)])
  }
  return []
}

const concentration = (network: Measured): ReadonlyArray<AspectStatement> => {
  const geo = geoOf(network)
  if (geo !== undefined && geo.hhi !== null && geo.top_share !== null && geo.top_country !== null) {
    const placed = geo.countries.filter(({ nodes }) => nodes > 0)
    const nodes = placed.reduce((sum, country) => sum + country.nodes, 0)
    const where = `${geo.n_countries} ${geo.n_countries === 1 ? "country" : "countries"}`
    const text = `${geo.top_country} has ${formatNumber(100 * geo.top_share)} percent of its ${formatNumber(nodes)} placed nodes in ${where}; the Herfindahl-Hirschman index is ${formatNumber(geo.hhi)}.`
    const kind = geo.hhi >= concentratedFrom ? "risk" : "moat"
    return now(
      "concentration",
      kind,
      text,
      placed.map(({ input }) => input)
    )
  }
  const [top, supply] = [network.of("top_holder_balance"), network.of("circulating_supply")]
  const share = quotient(top?.row.value ?? null, supply?.row.value ?? null)
  if (top === undefined || supply === undefined || share === null || share < 0 || share > 1) return []
  const text = `${formatNumber(top.row.value)} tokens are in ${oneAccount}, ${formatNumber(100 * share)} percent of the ${formatNumber(supply.row.value)} in circulation.`
  return now("concentration", share >= 0.2 ? "risk" : "moat", text, [inputOf(top), inputOf(supply)])
}

const development = (network: Measured, days: DaysOf): ReadonlyArray<AspectStatement> => {
  const [stars, push] = [network.of("dev_stars"), network.of("dev_days_since_push")]
  if (stars === undefined || push === undefined) return []
  const others = (["dev_forks", "dev_open_issues"] as const).flatMap((metric) => network.of(metric) ?? [])
  const counts = [stars, ...others].map(
    ({ row }) => `${formatNumber(row.value)} ${row.metric.slice("dev_".length).replaceAll("_", " ")}`
  )
  const [statement] = now(
    "development",
    push.row.value < 90 ? "thesis" : "risk",
    `Its repositories have ${counts.join(", ")}; the last push was ${formatNumber(push.row.value)} days ago.`,
    [stars, push, ...others].map(inputOf)
  )
  if (statement === undefined) return []
  const since = trendOf("dev_stars", days(network, "dev_stars").days)
  return [
    since === undefined
      ? statement
      : { ...statement, text: `${statement.text} ${since.text}`, cites: [...statement.cites, ...since.cites] }
  ]
}

const trading = (network: Measured): ReadonlyArray<AspectStatement> => {
  const [volume, cap] = [network.of("volume_24h_usd"), network.of("market_cap_usd")]
  const share = quotient(volume?.row.value ?? null, cap?.row.value ?? null)
  // Less than a thousandth is a risk, which a rule states.
  if (volume === undefined || cap === undefined || share === null || share < 0.001) return []
  const text = `${formatNumber(volume.row.value)} US dollars were traded in 24 hours, ${formatNumber(100 * share)} percent of the market capitalisation of ${formatNumber(cap.row.value)}.`
  return now("trading", "thesis", text, [inputOf(volume), inputOf(cap)])
}

/** What each network's series say, one statement an aspect. */
export const aspectsOf = Effect.map(
  daysOf,
  (days) =>
    (network: Measured): ReadonlyArray<AspectStatement> => [
      ...growth(network, days),
      ...utilisation(network),
      ...concentration(network),
      ...trend("revenue", network, earns, days),
      ...development(network, days),
      ...trading(network)
    ]
)

/** `node_quality_score`: node counts weighted by the share of active nodes. */
import { Effect } from "effect"
import { soldAndViewed } from "../build.ts"
import { ofValues } from "../shared/coverage.ts"
import {
  depinRule,
  heuristicRule,
  inputOf,
  leftOut,
  liveRule,
  type Measured,
  networks,
  quotient,
  readings
} from "../shared/inputs.ts"
import definition, { type NodeQuality, type NodeQualityRow } from "./definition.ts"

/** Metrics that count all nodes, each with the one that counts active nodes, in order of preference. */
const pairs = [
  ["TOTAL_NODES", "nodes_online"],
  ["nodes_registered", "nodes_online"],
  ["devices_total", "nodes_online"],
  ["nodes_online", "nodes_up"],
  ["relays_total", "relays_online"],
  ["TOTAL_NODES", "nodes_at_tip"],
  ["TOTAL_NODES", "nodes_described"],
  ["SUBNET_NEURONS", "SUBNET_ACTIVE_NEURONS"]
] as const

/** Every metric of the pairs. */
export const nodeCounts: ReadonlyArray<string> = [...new Set(pairs.flat())]

/** The row of one network; undefined if it has no node count. */
export const nodeQualityOf = (network: Measured): NodeQualityRow | undefined => {
  const both = pairs.find(
    ([raw, active]) => network.of(raw) !== undefined && network.of(active) !== undefined
  )
  const pair =
    both ?? pairs.find(([raw, active]) => network.of(raw) !== undefined || network.of(active) !== undefined)
  if (pair === undefined) return undefined
  const [raw_metric, active_metric] = pair
  const [raw, active] = [network.of(raw_metric), network.of(active_metric)]
  const ratio = quotient(active?.row.value ?? null, raw?.row.value ?? null)
  const outside = ratio !== null && (ratio < 0 || ratio > 1)
  const active_ratio = outside ? null : ratio
  const note = outside
    ? "The active count exceeds the total, so the two counts do not match and the ratio is withheld."
    : raw?.row.value === 0
      ? "The node count is 0, so the ratio is undefined."
      : undefined
  return {
    symbol: network.symbol,
    raw_metric,
    active_metric,
    raw_nodes: raw?.row.value ?? null,
    active_nodes: active?.row.value ?? null,
    active_ratio,
    quality_adjusted_nodes: active_ratio === null || raw === undefined ? null : raw.row.value * active_ratio,
    ...(note === undefined ? {} : { note }),
    missing_fields: [
      ...(raw === undefined ? [raw_metric] : []),
      ...(active === undefined ? [active_metric] : [])
    ],
    inputs: [raw, active].flatMap((row) => (row === undefined ? [] : [inputOf(row)]))
  }
}

export const nodeQuality = Effect.map(readings, (current): NodeQuality => {
  const { generated_utc, measured } = current
  return {
    generated_utc,
    ...leftOut(current, nodeCounts),
    networks: networks.flatMap(({ symbol }) => nodeQualityOf(measured(symbol)) ?? []),
    methodology: {
      formula: "active_ratio = active_nodes / raw_nodes; quality_adjusted_nodes = raw_nodes × active_ratio",
      fields: nodeCounts,
      rules: [
        `Pairs of (all, active), the first with both measured: ${pairs.map((pair) => `(${pair.join(", ")})`).join(", ")}.`,
        "A ratio above 1, or of 0 nodes, is withheld with a note.",
        depinRule,
        liveRule,
        heuristicRule
      ]
    }
  }
})

export default soldAndViewed(definition, nodeQuality, {
  covers: ofValues(nodeCounts),
  holds: ({ networks }) => networks.length > 0
})

/** `node_quality_score`: node counts weighed by how many of the nodes are active. */

import { Effect } from "effect"
import type { NodeQuality, NodeQualityRow } from "../wire/products/nodeQuality.ts"
import { heuristicRule, inputOf, liveRule, type Measured, networks, quotient, readings } from "./inputs.ts"

/** Metrics that count all nodes of a network, each with the one that counts the active among them. In this order. */
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

/** The row of one network; undefined where no node is counted in any way. */
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
    ? "More nodes are active than there are: the two counts do not belong together now, so the ratio is withheld."
    : raw?.row.value === 0
      ? "No node is counted: a share of none is not defined."
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

export const nodeQuality = Effect.map(
  readings,
  ({ generated_utc, measured }): NodeQuality => ({
    generated_utc,
    networks: networks.flatMap(({ symbol }) => nodeQualityOf(measured(symbol)) ?? []),
    methodology: {
      formula: "active_ratio = active_nodes / raw_nodes; quality_adjusted_nodes = raw_nodes × active_ratio",
      fields: [...new Set(pairs.flat())],
      rules: [
        `Pairs of (all, active), the first with both measured: ${pairs.map((pair) => `(${pair.join(", ")})`).join(", ")}.`,
        "A ratio above 1 or of 0 nodes is withheld, with a note.",
        liveRule,
        heuristicRule
      ]
    }
  })
)

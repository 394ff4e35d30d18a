/** Declaring a metric: its unit and meaning, and what is other than usual. */
import type { Flow, FlowBySymbol } from "../flows.ts"
import type { FlowMetric, Metric, PlainMetric } from "../Manifest.ts"
import type { Unit } from "../Value.ts"

type More = Omit<Metric, "unit" | "meaning" | "flow">

/** A metric that cannot be below 0, unless `min` says otherwise. */
export const metric = (unit: Unit, meaning: string, more: More = {}): PlainMetric => ({
  unit,
  min: 0,
  meaning,
  ...more
})

/** The network's headline metric, at most one of each network: see `Role` in `core/plugin/kinds.ts`. */
export const headline = (unit: Unit, meaning: string, more: More = {}): PlainMetric =>
  metric(unit, meaning, { role: "headline", ...more })

/** What the network can supply: nodes, storage, compute, coverage, sensors, bandwidth. */
export const capacity = (unit: Unit, meaning: string, more: More = {}): PlainMetric =>
  metric(unit, meaning, { role: "capacity", ...more })

/** A part of another metric, or one class of many. */
export const breakdown = (unit: Unit, meaning: string, more: More = {}): PlainMetric =>
  metric(unit, meaning, { role: "breakdown", ...more })

/** A setting of the protocol. */
export const parameter = (unit: Unit, meaning: string, more: More = {}): PlainMetric =>
  metric(unit, meaning, { role: "parameter", ...more })

/** A metric that may fall to 0 from one reading to the next, without anything being wrong. */
export const mayDropToZero = (unit: Unit, meaning: string, more: More = {}): PlainMetric =>
  metric(unit, meaning, { collapse: 1, ...more })

/** A metric with no lower bound: a change, or a difference. */
export const signed = (unit: Unit, meaning: string, more: More = {}): PlainMetric => ({
  unit,
  meaning,
  ...more
})

/** What users paid the network or its suppliers received, named as `flows.ts` says, with how the figure comes about. */
export const flow = (
  unit: "tokens" | "usd",
  meaning: string,
  of: Flow | FlowBySymbol,
  more: More = {}
): FlowMetric => ({ unit, min: 0, meaning, flow: of, ...more })

/** The closed lists of words that networks and series are sorted by. */
import { Schema } from "effect"
import sectorsJson from "./sectors.json" with { type: "json" }

/**
 * What a network offers. `reference` is for general chains, oracles and exchanges: they are measured as baselines, but
 * they are not DePIN networks, so totals, shares, indices and analyses leave them out.
 */
export const Category = Schema.Literals([
  "ai",
  "bandwidth",
  "compute",
  "data",
  "energy",
  "environment",
  "health",
  "infrastructure",
  "mapping",
  "messaging",
  "mobility",
  "positioning",
  "reference",
  "robotics",
  "satellite",
  "sensor",
  "storage",
  "weather",
  "wireless"
])

export type Category = typeof Category.Type

/** Sectors of the physical world: one domain each. A new one is a line of `sectors.json`. */
export const Sector = Schema.Literals(Object.keys(sectorsJson) as ReadonlyArray<keyof typeof sectorsJson>)
export type Sector = typeof Sector.Type

/** What each sector is about. */
export const sectorMeanings: ReadonlyArray<readonly [sector: Sector, meaning: string]> = Sector.literals.map(
  (sector) => [sector, sectorsJson[sector].means]
)

/** The kind of a series, served as `tier` in `/v1/history`; only `supply_telemetry` makes a network first-party. */
export const Tier = Schema.Literals([
  "supply_telemetry",
  "market",
  "fees_tvl",
  "holders",
  "developer",
  "physical"
])
export type Tier = typeof Tier.Type

/**
 * What a metric is to a reader, whatever its tier and unit.
 *
 * - `headline`: the one metric that stands for its network, and the first in every list. Mostly a capacity: nodes,
 *   providers or devices online.
 * - `capacity`: what the network can supply: nodes, storage, compute, coverage, sensors, bandwidth. Only a headline or a
 *   capacity of supply telemetry can be a mover of the brief.
 * - `breakdown`: a part of another metric, or one class of many: by country, model, tier or region. Lists show it last.
 * - `parameter`: a setting of the protocol, such as the room in a set. It changes by decision and not by use.
 * - `measure`: every other metric: use, money, prices, stakes, block heights, counts of what ever happened.
 */
export const Role = Schema.Literals(["headline", "capacity", "breakdown", "parameter", "measure"])
export type Role = typeof Role.Type

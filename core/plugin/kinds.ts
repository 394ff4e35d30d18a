/** The closed lists of words that networks and series are sorted by. */
import { Schema } from "effect"

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
  "robotics",
  "satellite",
  "sensor",
  "storage",
  "weather",
  "wireless"
])

/** Sectors of the physical world: one collector domain each. */
export const Sector = Schema.Literals([
  "MARITIME_AIS",
  "GPS_INTERFERENCE",
  "AIRSPACE_STATUS",
  "PHYSICAL_AIRCRAFT",
  "PHYSICAL_SATELLITE"
])
export type Sector = typeof Sector.Type

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

/** `/v1/world`. */
import { Schema } from "effect"
import { Sector, sectorMeanings } from "../../plugin/kinds.ts"
import { rights } from "./rights.ts"
import { described, MissingReason } from "./valueRow.ts"

const part = {
  value: described.value,
  as_of: described.as_of,
  source: described.source,
  verify_url: described.verify_url,
  method: Schema.String.annotate({ description: "How the value is computed" })
}

export const GaugePart = Schema.Struct({ ...part, simulated: described.simulated, ...rights }).annotate({
  identifier: "GaugePart",
  description: "A component of a gauge"
})
export interface GaugePart extends Schema.Schema.Type<typeof GaugePart> {}

export const Gauge = Schema.Struct({
  value: described.value,
  as_of: described.as_of,
  unit: described.unit,
  symbol: Schema.String.annotate({ description: "Symbol of the row behind the gauge" }),
  source: described.source,
  verify_url: described.verify_url,
  method: part.method,
  first_day: Schema.optionalKey(
    Schema.String.annotate({ format: "date", description: "First day that the count covers" })
  ),
  receiver_networks: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Feeds behind the listed parts" })
  ),
  parts: Schema.optionalKey(
    Schema.Record(Schema.String, GaugePart).annotate({
      description: "Components by symbol, if any"
    })
  ),
  missing_parts: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "Symbols of the parts without a row within the last 6 hours; present only where the value is the union of the others, which its source names"
    })
  ),
  simulated: described.simulated,
  ...rights
}).annotate({ identifier: "Gauge", description: "The latest row read within the last 6 hours" })
export interface Gauge extends Schema.Schema.Type<typeof Gauge> {}

const gauge = (description: string) => Schema.optionalKey(Gauge).annotateKey({ description })

export const Gauges = Schema.StructWithRest(
  Schema.Struct({
    ais_vessels_tracked: gauge("Vessels received over AIS"),
    tfr_active: gauge("Airspace restrictions in force"),
    mil_aircraft_airborne: gauge("Military aircraft airborne"),
    gps_interference_days: gauge("Days with measured satellite navigation interference")
  }),
  [Schema.Record(Schema.String, Gauge)]
).annotate({
  identifier: "Gauges",
  description:
    "Gauges by name; more appear as collectors are added. A gauge with no row in the last 6 hours is absent, never 0"
})
export type Gauges = typeof Gauges.Type

const count = (description: string) => Schema.Natural.annotate({ description })

export const WorldResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  measured_utc: Schema.NullOr(Schema.String).annotate({
    format: "date-time",
    description: "When a physical-world upstream was last read: ISO 8601 in UTC; null before the first read"
  }),
  estate: Schema.Struct({
    sectors_live_24h: count("Sectors with a row read in the last 24 hours"),
    rows_ingested_24h: count("Rows read in the last 24 hours"),
    distinct_series_24h: count("Distinct (sector, symbol) pairs read in the last 24 hours"),
    rows_total: count("Rows read since the service began")
  }).annotate({ description: "Coverage of the physical world" }),
  sectors: Schema.Array(
    Schema.Struct({
      sector: Sector.annotate({
        description: `Name of the sector: ${sectorMeanings.map(([sector, means]) => `\`${sector}\`, ${means}`).join("; ")}`
      }),
      live_24h: Schema.Boolean.annotate({ description: "True if a row was read in the last 24 hours" }),
      series_24h: count("Distinct symbols read in the last 24 hours")
    })
  ).annotate({ description: "All sectors of the physical world, live or not" }),
  source: Schema.String.annotate({ description: "Where the counts come from" }),
  definitions: Schema.Struct({
    sector: Schema.String.annotate({ description: "Definition of a sector" }),
    series: Schema.String.annotate({ description: "Definition of a series" }),
    gauge: Schema.String.annotate({ description: "Definition of a gauge" })
  }).annotate({ description: "Definitions of the terms in this answer" }),
  gauges: Gauges,
  missing_gauges: Schema.optionalKey(
    Schema.Record(Schema.String, MissingReason).annotate({
      description: "Gauges that are measured and not shown, each with why; absent if there is none"
    })
  ),
  next_steps: Schema.String.annotate({ description: "Suggested next requests" }),
  not_investment_advice: Schema.String.annotate({ description: "Disclaimer" }),
  terms_url: Schema.String.annotate({ format: "uri", description: "Terms of use" })
}).annotate({ identifier: "WorldResponse", description: "The physical world: coverage and gauges" })
export interface WorldResponse extends Schema.Schema.Type<typeof WorldResponse> {}

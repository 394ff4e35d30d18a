import { Schema } from "effect"
import { headline, mayDropToZero, metric, Plugin } from "#plugin"
import { count, positive } from "#plugin/fields"

// Stations, measurements, measurements of the last minute: told apart by their place alone, so that all three must be there.
const Stats = Schema.TupleWithRest(Schema.Tuple([positive, positive, count]), [Schema.Unknown]).check(
  Schema.makeFilter((counts) => counts.length >= 3 || "Expected three counts")
)

export default Plugin.define({
  id: "opensensemap",
  title: "openSenseMap stations",
  covers: { networks: ["OPENSENSEMAP"] },
  source: "opensensemap_stats",
  tier: "supply_telemetry",
  hosts: ["api.opensensemap.org"],
  every: "1 hour",
  grade: "A",
  evidence: [
    {
      source:
        "the operator's source, sensebox/openSenseMap-API statisticsController.js, and https://docs.opensensemap.org",
      read: "2026-11-22",
      members: []
    }
  ],
  metrics: {
    devices_total: headline("count", "Stations that are registered, whether they still send or not."),
    measurements_total: metric("count", "Measurements that are kept."),
    measurements_1m: mayDropToZero("count", "Measurements of the last minute before the count.")
  },
  collect: (observe) =>
    Plugin.one(
      observe,
      "https://api.opensensemap.org/stats",
      Stats,
      ([devices_total, measurements_total, measurements_1m]) => ({
        devices_total,
        measurements_total,
        measurements_1m
      })
    )
})

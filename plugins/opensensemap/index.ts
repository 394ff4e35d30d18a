import { Schema } from "effect"
import { headline, mayDropToZero, metric, Plugin, partOf } from "#plugin"
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
      source: "sensebox/openSenseMap-API@5f5bca84 packages/api/lib/controllers/statisticsController.js:27",
      read: "2026-11-25",
      members: ["getStatistics", "Box.count", "Measurement.count", "createdAt"]
    }
  ],
  relations: [partOf("measurements_1m", "measurements_total")],
  terms: {
    read: "2026-11-25",
    licence: "unknown",
    bodies: "unknown",
    values: "unknown",
    attribution: "Data: openSenseMap, opensensemap.org"
  },
  metrics: {
    devices_total: headline("count", "Stations that are registered, whether they still send or not."),
    measurements_total: metric("count", "Measurements that are kept."),
    measurements_1m: mayDropToZero(
      "count",
      "Measurements whose own time lies in the last minute before the count, which is at most five minutes old."
    )
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

import { headline, mayDropToZero, metric, partOf, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

export default declare({
  id: "opensensemap",
  title: "openSenseMap stations",
  covers: { networks: ["OPENSENSEMAP"] },
  source: "opensensemap_stats",
  tier: "supply_telemetry",
  hosts: ["api.opensensemap.org"],
  every: "1 hour",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "sensebox/openSenseMap-API@5f5bca84 packages/api/lib/controllers/statisticsController.js:27":
      "getStatistics, Box.count, Measurement.count, createdAt"
  }),
  relations: [partOf("measurements_1m", "measurements_total")],
  terms: termsOn("2026-11-25", "Data: openSenseMap, opensensemap.org"),
  metrics: {
    devices_total: headline("count", "Stations that are registered, whether they still send or not."),
    measurements_total: metric("count", "Measurements that are kept."),
    measurements_1m: mayDropToZero(
      "count",
      "Measurements whose own time lies in the last minute before the count, which is at most five minutes old."
    )
  },
  answers: [
    {
      ask: "https://api.opensensemap.org/stats",
      // They are told apart by their place alone, so that all three must be there.
      needs: ["0", "1", "2"],
      positive: ["0", "1"],
      figures: { devices_total: "0", measurements_total: "1", measurements_1m: "2" }
    }
  ]
})

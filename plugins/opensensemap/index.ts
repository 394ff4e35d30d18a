import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count } from "../../core/plugin/shapes/fields.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

// Stations, measurements, measurements of the last minute: told apart by their place alone.
const Stats = Schema.TupleWithRest(Schema.Tuple([count, count, count]), [Schema.Unknown])

export default Plugin.define({
  id: "opensensemap",
  title: "openSenseMap stations",
  covers: { networks: ["OPENSENSEMAP"] },
  tier: "supply_telemetry",
  source: "opensensemap_stats",
  hosts: ["api.opensensemap.org"],
  every: "1 hour",
  grade: "A",
  owner: "plumbline",
  metrics: {
    devices_total: metric("count", "Stations that are registered, whether they still send or not."),
    measurements_total: metric("count", "Measurements that are kept."),
    measurements_1m: mayDropToZero(
      "count",
      "Measurements that arrived in one minute, the last before the count."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json("https://api.opensensemap.org/stats", Stats)
      const [devices_total, measurements_total, measurements_1m] = answer.body
      if (devices_total === 0) return yield* Upstream.implausible(answer, "[0]", "no station is registered")
      return observe(answer, { devices_total, measurements_total, measurements_1m })
    })
})

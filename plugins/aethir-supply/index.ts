import { Effect } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import { figureOn } from "../../core/plugin/shapes/page.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

export default Plugin.define({
  id: "aethir-supply",
  title: "Aethir GPU containers",
  covers: { networks: ["ATH"] },
  tier: "supply_telemetry",
  source: "aethir_dashboard_supply",
  hosts: ["dashboard.aethir.com"],
  disabled: "read out of a web page, and the operator does not say what it counts as a node",
  every: "1 day",
  grade: "C",
  owner: "plumbline",
  metrics: {
    devices_total: metric(
      "count",
      "GPU containers that the operator's dashboard states; its data name them nodes."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* figureOn("https://dashboard.aethir.com/protocol/supply-metric", "nodes")
      return Number(answer.body ?? Number.NaN) === 0
        ? yield* Upstream.implausible(answer, `"nodes"`, "no container at all")
        : observe(answer, { devices_total: answer.body })
    })
})

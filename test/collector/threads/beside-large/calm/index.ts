import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../../core/plugin/Upstream.ts"

export default Plugin.define({
  id: "calm",
  title: "Calm",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: ["api.sample.test"],
  every: "100 millis",
  metrics: { nodes: { unit: "count", meaning: "Nodes." } },
  grade: "A",
  owner: "plumbline",
  collect: (observe) =>
    Effect.map(Upstream.text("https://api.sample.test/v1"), (answer) =>
      observe(answer, { nodes: answer.body })
    )
})

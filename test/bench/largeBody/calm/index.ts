import { Effect } from "effect"
import * as Plugin from "../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../core/plugin/Upstream.ts"

/** Reads a few bytes, often. */
export default Plugin.define({
  id: "calm",
  title: "Calm",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "calm",
  hosts: ["calm.sample.test"],
  every: "250 millis",
  metrics: { nodes: { unit: "count", meaning: "Nodes." } },
  grade: "A",
  owner: "bench",
  collect: (observe) =>
    Effect.map(Upstream.text("https://calm.sample.test/"), (answer) =>
      observe(answer, { nodes: answer.body })
    )
})

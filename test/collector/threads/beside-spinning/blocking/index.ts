import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../../core/plugin/Upstream.ts"

/** Reads an answer and then never gives the thread back. */
export default Plugin.define({
  id: "blocking",
  title: "Blocking",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: ["api.sample.test"],
  every: "100 millis",
  metrics: { nodes: { unit: "count", meaning: "Nodes." } },
  grade: "A",
  owner: "plumbline",
  collect: (observe) =>
    Effect.map(Upstream.text("https://api.sample.test/spin"), (answer) => {
      for (;;) if (answer.body === "never") return observe(answer, { nodes: 1 })
    })
})

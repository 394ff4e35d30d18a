import { Effect, Schema } from "effect"
import * as Plugin from "../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../core/plugin/Upstream.ts"

const Answer = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ id: Schema.String, online: Schema.Boolean }))
})

/** Reads and decodes a list of 30 MB. */
export default Plugin.define({
  id: "large",
  title: "Large",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "large",
  hosts: ["large.sample.test"],
  every: "5 seconds",
  metrics: { nodes: { unit: "count", meaning: "Nodes." } },
  grade: "A",
  owner: "bench",
  collect: (observe) =>
    Effect.map(Upstream.json("https://large.sample.test/", Answer), (answer) =>
      observe(answer, { nodes: answer.body.nodes.filter(({ online }) => online).length })
    )
})

import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { countOf, sum, text } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Nodes = Schema.Array(Schema.Struct({ status: text }))
const Aggregate = Schema.Struct({
  data: Schema.Struct({
    corechannel: Schema.Struct({ nodes: Upstream.maybe(Nodes), resource_nodes: Upstream.maybe(Nodes) })
  })
})

export default Plugin.define({
  id: "aleph",
  title: "Aleph Cloud nodes",
  covers: { networks: ["ALEPH"] },
  tier: "supply_telemetry",
  source: "aleph_corechannel",
  hosts: ["api2.aleph.im"],
  every: "1 hour",
  grade: "B",
  owner: "plumbline",
  metrics: {
    core_nodes: metric("count", "Core channel nodes with enough stake, status active."),
    resource_nodes: metric("count", "Compute resource nodes linked to a core channel node."),
    TOTAL_NODES: metric("count", "Core channel and compute resource nodes of every status.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://api2.aleph.im/api/v0/aggregates/0xa1B3bb7d2332383D96b7796B908fB7f7F3c2Be10.json?keys=corechannel",
        Aggregate
      )
      const { nodes, resource_nodes } = answer.body.data.corechannel
      if (nodes?.length === 0 || resource_nodes?.length === 0) {
        return yield* Upstream.implausible(answer, `["data"]["corechannel"]`, "a list without a node")
      }
      return observe(answer, {
        core_nodes: countOf(nodes?.map(({ status }) => status) ?? [], "active", ["active", "waiting"]),
        resource_nodes: countOf(resource_nodes?.map(({ status }) => status) ?? [], "linked", [
          "linked",
          "unlinked",
          "waiting"
        ]),
        TOTAL_NODES: sum([nodes?.length, resource_nodes?.length])
      })
    })
})

import { Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { countOf, sum, text } from "#plugin/fields"

const url =
  "https://api2.aleph.im/api/v0/aggregates/0xa1B3bb7d2332383D96b7796B908fB7f7F3c2Be10.json?keys=corechannel"

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
  source: "aleph_corechannel",
  hosts: ["api2.aleph.im"],
  every: "1 hour",
  grade: "B",
  metrics: {
    core_nodes: metric("count", "Core channel nodes with enough stake, status active."),
    resource_nodes: metric("count", "Compute resource nodes linked to a core channel node."),
    TOTAL_NODES: metric("count", "Core channel and compute resource nodes of every status.")
  },
  collect: (observe) =>
    Plugin.one(observe, url, Aggregate, ({ data }, answer) => {
      const { nodes, resource_nodes } = data.corechannel
      if (nodes?.length === 0 || resource_nodes?.length === 0) {
        return Upstream.implausible(answer, `["data"]["corechannel"]`, "a list without a node")
      }
      const having = (list: typeof nodes, wanted: string, known: ReadonlyArray<string>) =>
        countOf(list?.map(({ status }) => status) ?? [], wanted, known)
      return {
        core_nodes: having(nodes, "active", ["active", "waiting"]),
        resource_nodes: having(resource_nodes, "linked", ["linked", "unlinked", "waiting"]),
        TOTAL_NODES: sum([nodes?.length, resource_nodes?.length])
      }
    })
})

import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count } from "../../core/plugin/shapes/fields.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const read = (list: string) =>
  Upstream.json(
    `https://validator.nymtech.net/api/v1/nym-nodes/${list}?page=0&per_page=1`,
    Schema.Struct({ pagination: Upstream.maybe(Schema.Struct({ total: count })) })
  ).pipe(
    Effect.filterOrFail(
      ({ body }) => body.pagination?.total !== 0,
      (answer) => Upstream.implausible(answer, `["pagination"]["total"]`, "the list is empty")
    )
  )

export default Plugin.define({
  id: "nym",
  title: "Nym nodes",
  covers: { networks: ["NYM"] },
  tier: "supply_telemetry",
  source: "nym_validator_api",
  hosts: ["validator.nymtech.net"],
  every: "1 hour",
  calls: 2,
  grade: "B",
  owner: "plumbline",
  metrics: {
    TOTAL_NODES: metric("count", "Bonded nodes."),
    nodes_described: metric("count", "Bonded nodes that describe themselves to the API, so answered it.")
  },
  collect: (observe) =>
    Plugin.anyOf("NYM", [
      Effect.map(read("bonded"), (answer) => observe(answer, { TOTAL_NODES: answer.body.pagination?.total })),
      Effect.map(read("described"), (answer) =>
        observe(answer, { nodes_described: answer.body.pagination?.total })
      )
    ])
})

import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { byCountry, countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { countOf, sum, text } from "../../core/plugin/shapes/fields.ts"
import { mayDropToZero, metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const api = "https://ic-api.internetcomputer.org/api/v3"
const limit = 5000
const known = ["UP", "DOWN", "UNASSIGNED", "DISABLED", "DEGRADED"]

const Nodes = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ status: text, node_provider_id: text, region: text }))
})

const Subnets = Schema.Struct({ subnets: Schema.Array(Schema.Unknown) })

export default Plugin.define({
  id: "internet-computer",
  title: "Internet Computer nodes",
  covers: { networks: ["ICP"] },
  tier: "supply_telemetry",
  source: "ic_api",
  hosts: ["ic-api.internetcomputer.org"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  owner: "plumbline",
  metrics: {
    TOTAL_NODES: metric("count", "Nodes in the registry."),
    nodes_online: metric("count", "Nodes that are up, in a subnet or spare."),
    nodes_up: metric("count", "Nodes that are up in a subnet."),
    nodes_unassigned: mayDropToZero("count", "Healthy spare nodes, in no subnet."),
    node_providers: metric("count", "Node providers with a node."),
    subnets_total: metric("count", "Subnets."),
    ...countryMetrics("Nodes in the registry")
  },
  collect: (observe) =>
    Plugin.anyOf("ICP", [
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${api}/nodes?limit=${limit}`, Nodes)
        const { nodes } = answer.body
        if (nodes.length === 0) return yield* Upstream.implausible(answer, `["nodes"]`, "no node listed")
        if (nodes.length >= limit) {
          return yield* Upstream.implausible(answer, `["nodes"]`, `the list is cut at ${limit}`)
        }
        const providers = nodes.map((node) => node.node_provider_id)
        const statuses = nodes.map(({ status }) => status)
        const up = countOf(statuses, "UP", known)
        const unassigned = countOf(statuses, "UNASSIGNED", known)
        return observe(answer, {
          TOTAL_NODES: nodes.length,
          nodes_up: up,
          nodes_unassigned: unassigned,
          nodes_online: sum([up, unassigned]),
          node_providers: providers.every((id) => typeof id === "string")
            ? new Set(providers).size
            : undefined,
          // "Europe,CH,Zurich": continent, country, place.
          ...byCountry(nodes.map(({ region }) => [region?.split(",")[1], 1]))
        })
      }),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${api}/subnets`, Subnets)
        const { subnets } = answer.body
        return subnets.length === 0
          ? yield* Upstream.implausible(answer, `["subnets"]`, "no subnet listed")
          : observe(answer, { subnets_total: subnets.length })
      })
    ])
})

import { Schema } from "effect"
import { breakdown, capacity, headline, mayDropToZero, Plugin, Upstream } from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { countOf, distinct, nonEmpty, sum, text } from "#plugin/fields"

const api = "https://ic-api.internetcomputer.org/api/v3"
const limit = 5000
const known = ["UP", "DOWN", "UNASSIGNED", "DISABLED", "DEGRADED"]

const id = Schema.NonEmptyString
const Node = Schema.Struct({ node_id: id, status: text, node_provider_id: text, region: text })
const Nodes = Schema.Struct({ nodes: nonEmpty(Node) })
const Subnets = Schema.Struct({ subnets: nonEmpty(Schema.Struct({ subnet_id: id })) })

export default Plugin.define({
  id: "internet-computer",
  title: "Internet Computer nodes",
  covers: { networks: ["ICP"] },
  source: "ic_api",
  tier: "supply_telemetry",
  hosts: ["ic-api.internetcomputer.org"],
  every: "15 minutes",
  calls: 2,
  grade: "A",
  evidence: [{ source: "aviate-labs/node-monitor data/t0.json (recorded)", read: "2026-11-20", members: [] }],
  metrics: {
    TOTAL_NODES: capacity("count", "Nodes in the registry."),
    nodes_online: headline("count", "Nodes that are up, in a subnet or spare."),
    nodes_up: breakdown("count", "Nodes that are up in a subnet."),
    nodes_unassigned: mayDropToZero("count", "Healthy spare nodes, in no subnet.", { role: "breakdown" }),
    node_providers: capacity("count", "Node providers with a node."),
    subnets_total: capacity("count", "Subnets."),
    ...countryMetrics("Nodes in the registry")
  },
  collect: (observe) =>
    Plugin.anyOf("ICP", [
      Plugin.one(observe, `${api}/nodes?limit=${limit}`, Nodes, ({ nodes: listed }, answer) => {
        if (listed.length >= limit) {
          return Upstream.implausible(answer, `["nodes"]`, `the list is cut at ${limit}`)
        }
        const nodes = distinct(listed, ({ node_id }) => node_id)
        const providers = nodes.map((node) => node.node_provider_id)
        const statuses = nodes.map(({ status }) => status)
        const up = countOf(statuses, "UP", known)
        const unassigned = countOf(statuses, "UNASSIGNED", known)
        return {
          TOTAL_NODES: nodes.length,
          nodes_up: up,
          nodes_unassigned: unassigned,
          nodes_online: sum([up, unassigned]),
          node_providers: providers.every((id) => typeof id === "string")
            ? new Set(providers).size
            : undefined,
          // "Europe,CH,Zurich": continent, country, place.
          ...byCountry(nodes.map(({ region }) => [region?.split(",")[1], 1]))
        }
      }),
      Plugin.one(observe, `${api}/subnets`, Subnets, ({ subnets }) => ({
        subnets_total: distinct(subnets, ({ subnet_id }) => subnet_id).length
      }))
    ])
})

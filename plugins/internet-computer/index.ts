import { Schema } from "effect"
import {
  atMost,
  breakdown,
  capacity,
  headline,
  mayDropToZero,
  Plugin,
  partOf,
  readOn,
  sumOf,
  termsOn,
  Upstream
} from "#plugin"
import { byCountry, countryMetrics } from "#plugin/countries"
import { countOf, distinct, nonEmpty, sum, text } from "#plugin/fields"

const api = "https://ic-api.internetcomputer.org/api/v3"
const limit = 5000

const id = Schema.NonEmptyString
const Node = Schema.Struct({
  node_id: id,
  status: text,
  node_type: text,
  subnet_id: text,
  node_provider_id: text,
  region: text
})
const Nodes = Schema.Struct({ nodes: nonEmpty(Node) })
const Subnets = Schema.Struct({ subnets: nonEmpty(Schema.Struct({ subnet_id: id })) })

/** What a node that is up does; undefined where its words do not say. */
type Duty = "subnet" | "spare" | "boundary"

/**
 * The health of a node is its status, and its duty the type. Until 2023 there was no type, and the status of a spare node was
 * UNASSIGNED instead of UP.
 */
const dutyOf = ({ node_type, status, subnet_id }: typeof Node.Type): Duty | undefined => {
  if (status === "UNASSIGNED" || node_type === "UNASSIGNED") return "spare"
  if (node_type === "API_BOUNDARY") return "boundary"
  const isAssigned = node_type === "REPLICA" || (node_type ?? undefined) === undefined
  return isAssigned && typeof subnet_id === "string" ? "subnet" : undefined
}

const vocabulary = ["UP", "UNASSIGNED", "DOWN", "DISABLED", "DEGRADED"]

export default Plugin.define({
  id: "internet-computer",
  title: "Internet Computer nodes",
  covers: { networks: ["ICP"] },
  source: "ic_api",
  tier: "supply_telemetry",
  hosts: ["ic-api.internetcomputer.org"],
  every: "15 minutes",
  calls: 2,
  grade: "B",
  evidence: readOn("2026-11-25", {
    "dragginzgame/ic-query@0252578 crates/ic-query/src/ic/live/node_status.rs:60":
      "nodes, node_id, node_provider_id, node_type, region, status, subnet_id",
    "dragginzgame/ic-query@0252578 crates/ic-query/src/ic/node_status/validation.rs:109":
      "UNASSIGNED, API_BOUNDARY, REPLICA",
    "aviate-labs/node-monitor@a09ccf6 data/t0.json": "node_id, node_provider_id, region, status, subnet_id",
    "dfinity/ic@85d00ccc08719e35bce5c79ae7962bcee6438a17 scalability/common/generate_report.py":
      "subnets, subnet_id"
  }),
  relations: [
    sumOf("nodes_online", ["nodes_up", "nodes_unassigned", "nodes_boundary"]),
    partOf("nodes_online", "TOTAL_NODES"),
    sumOf("TOTAL_NODES", ["nodes_country_*"], { words: ["US"] }),
    atMost("node_providers", "TOTAL_NODES")
  ],
  terms: termsOn("2026-11-25", "Data: DFINITY Foundation, https://dashboard.internetcomputer.org"),
  metrics: {
    TOTAL_NODES: capacity("count", "Nodes of the registry, without those of cloud engines."),
    nodes_online: headline("count", "Nodes that are up: in a subnet, spare, or at the boundary."),
    nodes_up: breakdown("count", "Nodes that are up in a subnet."),
    nodes_unassigned: mayDropToZero("count", "Nodes that are up and spare, in no subnet.", {
      role: "breakdown"
    }),
    nodes_boundary: mayDropToZero("count", "Nodes that are up and serve as API boundary nodes.", {
      role: "breakdown"
    }),
    node_providers: capacity("count", "Node providers with a node."),
    subnets_total: capacity("count", "Subnets."),
    ...countryMetrics("Nodes of the registry, without those of cloud engines")
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
        const healthy = sum(["UP", "UNASSIGNED"].map((status) => countOf(statuses, status, vocabulary)))
        const ofHealthy = nodes.filter(({ status }) => status === "UP" || status === "UNASSIGNED").map(dutyOf)
        const having = (duty: Duty) =>
          healthy === undefined || ofHealthy.includes(undefined)
            ? undefined
            : ofHealthy.filter((own) => own === duty).length
        return {
          TOTAL_NODES: nodes.length,
          nodes_up: having("subnet"),
          nodes_unassigned: having("spare"),
          nodes_boundary: having("boundary"),
          nodes_online: healthy,
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

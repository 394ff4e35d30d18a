import { Schema } from "effect"
import {
  capacity,
  flow,
  fromBaseUnits,
  headline,
  type Numeric,
  neverFalls,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Unreadable,
  Upstream
} from "#plugin"
import { countOf, moment, object, positiveAmount, sum, tally, text } from "#plugin/fields"
import { firstOf } from "#plugin/gateways"

/** Nodes of the network that the operator runs: each keeps every aggregate. */
const hosts = ["api2.aleph.im", "api3.aleph.im", "api1.aleph.im"]
const aggregate =
  "/api/v0/aggregates/0xa1B3bb7d2332383D96b7796B908fB7f7F3c2Be10.json?keys=corechannel&with_info=true"
const read = "2026-11-25"

const Node = Schema.Struct({ hash: text, status: text, inactive_since: Schema.optional(Schema.Unknown) })
type Node = typeof Node.Type
const Nodes = Schema.Array(Node)
const Aggregate = Schema.Struct({
  data: Schema.Struct({
    corechannel: Schema.Struct({ nodes: Upstream.maybe(Nodes), resource_nodes: Upstream.maybe(Nodes) })
  }),
  // When the network last wrote the aggregate: if its writer stops, the lists stay as they are.
  info: object({ corechannel: object({ last_updated: moment }) })
})

const costs = "/api/v0/costs?include_details=0"
const Costs = Schema.Struct({ summary: Schema.Struct({ total_consumed_credits: positiveAmount }) })

/** Reads a path from the first of these nodes that is there. */
const ask = <S extends Schema.ConstraintDecoder<unknown>>(path: string, schema: S) =>
  firstOf(
    hosts.map((host) => `https://${host}${path}`),
    (url) => Upstream.json(url, schema)
  )

/** Each node once, by its hash; nothing where one has none, for it may be another of the list. */
const distinct = (nodes: ReadonlyArray<Node> | null | undefined): ReadonlyArray<Node> | undefined =>
  nodes?.every(({ hash }) => typeof hash === "string" && hash !== "")
    ? [...new Map(nodes.map((node) => [node.hash, node])).values()]
    : undefined

/**
 * Those of a list that have this status and are up. The network writes the block since which a node's score has been none,
 * or null; where no node of the list has the member, nobody knows.
 */
const online = (
  nodes: ReadonlyArray<Node> | undefined,
  linkedAs: string,
  counted: number | undefined
): Numeric | undefined => {
  if (nodes === undefined || counted === undefined) return undefined
  if (!nodes.some((node) => "inactive_since" in node)) return undefined
  const since = nodes.map(({ inactive_since }) => tally(inactive_since))
  const odd = since.find((block) => block instanceof Unreadable)
  if (odd !== undefined) return odd
  return nodes.filter(({ status }, index) => status === linkedAs && since[index] === undefined).length
}

export default Plugin.define({
  id: "aleph",
  title: "Aleph Cloud nodes",
  covers: { networks: ["ALEPH"] },
  source: "aleph_corechannel",
  tier: "supply_telemetry",
  hosts,
  every: "1 hour",
  calls: 6,
  grade: "A",
  evidence: readOn(read, {
    "aleph-im/aleph-nodestatus@24d69de src/aleph_nodestatus/messages.py:339":
      "corechannel, nodes, resource_nodes",
    "aleph-im/aleph-nodestatus@24d69de src/aleph_nodestatus/status.py:240":
      "hash, status, score, inactive_since",
    "aleph-im/pyaleph@b09db708 src/aleph/web/controllers/aggregates.py:65":
      "address, data, info, created, last_updated",
    "aleph-im/pyaleph@b09db708 src/aleph/schemas/api/costs.py:42": "summary, total_consumed_credits",
    "aleph-im/pyaleph@b09db708 src/aleph/db/accessors/balances.py:1198": "credit_expense",
    "aleph-im/pyaleph@b09db708 deployment/migrations/versions/0042_f2a3b4c5d6e7_credit_precision_multiplier.py:8":
      "credits"
  }),
  relations: [
    partOf("core_nodes_online", "core_nodes"),
    partOf("resource_nodes_online", "resource_nodes"),
    partOf(["core_nodes", "resource_nodes"], "TOTAL_NODES"),
    neverFalls("earned_total_usd")
  ],
  terms: termsOn(read, "Data: Aleph Cloud, aleph.cloud"),
  metrics: {
    core_nodes: capacity(
      "count",
      "Core channel nodes with enough stake, status active, whether they answer or not."
    ),
    core_nodes_online: capacity("count", "Those of them whose newest score is at least 0.01."),
    resource_nodes: capacity(
      "count",
      "Compute resource nodes linked to a core channel node, whether they answer or not."
    ),
    resource_nodes_online: headline("count", "Those of them whose newest score is at least 0.01."),
    TOTAL_NODES: capacity(
      "count",
      "Core channel and compute resource nodes of every status, those that are down included."
    ),
    earned_total_usd: flow("usd", "Credits that users spent on computing and storage since the start.", {
      rung: "stated",
      at: `summary.total_consumed_credits of ${costs}, at a node of the network that its operator runs`,
      formula: "summary.total_consumed_credits / 10^6",
      without:
        "What users hold or stream in ALEPH to pay for resources, and credits that are bought and not spent. Some credits are given away, and count when they are spent.",
      code: "aleph-im/pyaleph@b09db708 src/aleph/db/accessors/balances.py:1198"
    })
  },
  collect: (observe) =>
    Plugin.anyOf("ALEPH", [
      Plugin.from(
        observe,
        ask(aggregate, Aggregate),
        { as_of: ({ info }) => info?.corechannel?.last_updated },
        ({ data }, answer) => {
          const { nodes, resource_nodes } = data.corechannel
          if (nodes?.length === 0 || resource_nodes?.length === 0) {
            return Upstream.implausible(answer, `["data"]["corechannel"]`, "a list without a node")
          }
          const [cores, resources] = [distinct(nodes), distinct(resource_nodes)]
          const having = (list: typeof cores, counted: string, vocabulary: ReadonlyArray<string>) =>
            countOf(list?.map(({ status }) => status) ?? [], counted, vocabulary)
          const core_nodes = having(cores, "active", ["active", "waiting"])
          const linked = having(resources, "linked", ["linked", "waiting"])
          return {
            core_nodes,
            core_nodes_online: online(cores, "active", core_nodes),
            resource_nodes: linked,
            resource_nodes_online: online(resources, "linked", linked),
            TOTAL_NODES: sum([cores?.length, resources?.length])
          }
        }
      ),
      Plugin.from(observe, ask(costs, Costs), ({ summary }) => ({
        // 1,000,000 credits are a dollar.
        earned_total_usd: fromBaseUnits(summary.total_consumed_credits, 6)
      }))
    ])
})

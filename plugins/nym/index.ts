import { Effect, Schema } from "effect"
import {
  breakdown,
  capacity,
  compareNumbers,
  headline,
  isNumber,
  isSame,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { count, distinct, object, positive } from "#plugin/fields"

const api = "https://validator.nymtech.net/api"

const Bonded = Schema.Struct({ pagination: object({ total: positive }) })

/** Nodes of a page. The upstream leaves the pages for later: the first answer holds them all, whatever was asked. */
const size = 200

const Described = Schema.Struct({
  pagination: Schema.Struct({ total: count }),
  data: Schema.Array(
    Schema.Struct({
      node_id: Schema.Natural,
      description: Schema.Struct({ declared_role: Schema.Struct({ entry: Schema.Boolean }) })
    })
  )
})

const described = Effect.gen(function* () {
  const page = (number: number) => `${api}/v2/nym-nodes/described?page=${number}&per_page=${size}`
  let read = 0
  const answers = yield* Upstream.pages(
    page(0),
    Described,
    ({ body }, pages) => {
      read += body.data.length
      const { total } = body.pagination
      return body.data.length === 0 || !isNumber(total) || compareNumbers(read, total) >= 0
        ? undefined
        : page(pages)
    },
    20
  )
  const listed = answers.flatMap(({ body }) => body.data)
  const nodes = distinct(listed, ({ node_id }) => node_id)
  const [answer] = answers
  if (answer === undefined) return yield* Effect.die("a list without a page")
  const { total } = answer.body.pagination
  return nodes.length === 0 || !isSame(listed.length, total)
    ? yield* Upstream.implausible(answer, `["data"]`, `${listed.length} nodes of ${total} listed`)
    : { answer, nodes }
})

export default Plugin.define({
  id: "nym",
  title: "Nym nodes",
  covers: { networks: ["NYM"] },
  source: "nym_validator_api",
  tier: "supply_telemetry",
  hosts: ["validator.nymtech.net"],
  every: "1 hour",
  calls: 21,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "nymtech/nym@daed9cd nym-api/src/nym_nodes/handlers/v1.rs:199": "pagination, total",
    "nymtech/nym@daed9cd nym-api/src/nym_nodes/handlers/v2.rs:35": "pagination, total, data",
    "nymtech/nym@daed9cd nym-api/nym-api-requests/src/models/described/v2.rs:41":
      "node_id, description, declared_role, entry"
  }),
  relations: [
    partOf("gateways", "nodes_described"),
    // Two caches of the API, each refreshed by itself.
    partOf("nodes_described", "TOTAL_NODES", { tolerance: 0.05 })
  ],
  terms: termsOn("2026-11-25", "Data: Nym, https://nym.com"),
  metrics: {
    TOTAL_NODES: headline("count", "Nodes bonded in the mixnet contract."),
    nodes_described: capacity(
      "count",
      "Bonded nodes that answered when the API last asked for their description."
    ),
    gateways: breakdown("count", "Nodes among them that declare the role of an entry gateway.")
  },
  collect: (observe) =>
    Plugin.anyOf("NYM", [
      Plugin.one(observe, `${api}/v1/nym-nodes/bonded?page=0&per_page=1`, Bonded, ({ pagination }) => ({
        TOTAL_NODES: pagination?.total
      })),
      Effect.map(described, ({ answer, nodes }) =>
        observe(answer, {
          nodes_described: nodes.length,
          gateways: nodes.filter(({ description }) => description.declared_role.entry).length
        })
      )
    ])
})

import { Effect, Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { count } from "#plugin/fields"

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

/** Nodes of a page, which the upstream may cut to fewer. */
const size = 200

const Described = Schema.Struct({
  pagination: Schema.Struct({ total: count }),
  data: Schema.Array(
    Schema.Struct({ description: Schema.Struct({ declared_role: Schema.Struct({ entry: Schema.Boolean }) }) })
  )
})

const described = Effect.gen(function* () {
  const page = (number: number) =>
    `https://validator.nymtech.net/api/v1/nym-nodes/described?page=${number}&per_page=${size}`
  let read = 0
  const answers = yield* Upstream.pages(
    page(0),
    Described,
    ({ body }, pages) => {
      read += body.data.length
      return body.data.length === 0 || read >= (body.pagination.total ?? 0) ? undefined : page(pages)
    },
    20
  )
  const nodes = answers.flatMap(({ body }) => body.data)
  const [answer] = answers
  if (answer === undefined) return yield* Effect.die("a list without a page")
  const { total } = answer.body.pagination
  return nodes.length === 0 || nodes.length !== total
    ? yield* Upstream.implausible(answer, `["data"]`, `${nodes.length} nodes of ${total} listed`)
    : { answer, nodes }
})

export default Plugin.define({
  id: "nym",
  title: "Nym nodes",
  covers: { networks: ["NYM"] },
  source: "nym_validator_api",
  hosts: ["validator.nymtech.net"],
  every: "1 hour",
  calls: 22,
  grade: "B",
  metrics: {
    TOTAL_NODES: metric("count", "Bonded nodes."),
    nodes_described: metric("count", "Bonded nodes that describe themselves to the API, so answered it."),
    gateways: metric("count", "Nodes that declare the role of an entry gateway.")
  },
  collect: (observe) =>
    Plugin.anyOf("NYM", [
      Effect.map(read("bonded"), (answer) => observe(answer, { TOTAL_NODES: answer.body.pagination?.total })),
      Effect.map(read("described"), (answer) =>
        observe(answer, { nodes_described: answer.body.pagination?.total })
      ),
      Effect.map(described, ({ answer, nodes }) =>
        observe(answer, {
          gateways: nodes.filter(({ description }) => description.declared_role.entry).length
        })
      )
    ])
})

/** One call for many values and what is said of them. */
import { Effect, Schema } from "effect"
import { Callers } from "../../core/credits/Callers.ts"
import { toNumber } from "../../core/credits/Money.ts"
import { mcpQueryPrice } from "../../core/credits/pricing.ts"
import { asksAll, query as read } from "../../core/log/record/query.ts"
import { Category } from "../../core/plugin/kinds.ts"
import { namesOf } from "../../core/readings/read/selection.ts"
import { Aggregate, QueryResponse } from "../../core/wire/data/query.ts"
import { accessOf, define, reads } from "../Tool.ts"
import { charactersOf, cursor, limit, names, shrinkToFit, text } from "../truncate.ts"

const members = {
  metrics: Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({
    description: "up to 10, with commas"
  }),
  symbols: names("symbols, with commas; omit for all"),
  aggregates: Schema.optionalKey(Schema.Array(Aggregate).annotate({ description: "default latest" })),
  days: Schema.optionalKey(Schema.Int.annotate({ description: "window, default 30" })),
  fields: names("members to keep"),
  sort: text("a member; -member descends"),
  limit: limit(500, 20, "rows"),
  cursor
}

export const query = define({
  name: "query",
  title: "Query values",
  description:
    "Metrics of networks in one answer: latest value, change over a window, growth with proofs of both ends, rank. 12 " +
    "networks by name or a day's sample are free; all, and rank, by subscription.",
  annotations: reads,
  sold: true,
  key: "widens",
  input: Schema.Struct({ ...members, category: Schema.optionalKey(Category) }),
  // Its values are in find_networks: the list of all tools has a size.
  shown: Schema.Struct({ ...members, category: text("one of find_networks") }),
  output: QueryResponse,
  depth: 1,
  run: Effect.fnUntraced(function* ({ fields, limit: requested, metrics, symbols, ...input }, call) {
    const request = {
      ...input,
      metrics: (yield* namesOf("metrics", metrics)) ?? [],
      ...(symbols === undefined ? {} : { symbols: (yield* namesOf("symbols", symbols)) ?? [] }),
      ...(fields === undefined ? {} : { fields: (yield* namesOf("fields", fields)) ?? [] })
    }
    if (asksAll(request) && call.bought !== true) {
      const callers = yield* Callers
      yield* callers.gate(yield* callers.identify(call.key), {
        capability: "cross_network",
        alone: `${toNumber(mcpQueryPrice)} USD, with pay: true (x402)`
      })
    }
    const access = yield* accessOf(call)
    return yield* shrinkToFit(requested ?? 20, charactersOf(requested), (limit) =>
      read({ ...request, limit }, access)
    )
  })
})

/** Whole datasets, a page at a time: each is what one REST address answers. */
import { Effect, Schema } from "effect"
import { Callers, gate } from "../../core/credits/Callers.ts"
import { type Capability, HowToUnlock, howToUnlock } from "../../core/credits/tiers.ts"
import type { Access } from "../../core/data/access.ts"
import { BadParameter } from "../../core/data/errors.ts"
import { wholeNumber } from "../../core/data/parameters.ts"
import { market } from "../../core/data/views/market.ts"
import { networks } from "../../core/data/views/networks.ts"
import { provenance } from "../../core/data/views/provenance.ts"
import { revenue } from "../../core/data/views/revenue.ts"
import { revisions } from "../../core/data/views/revisions.ts"
import { supplyList } from "../../core/data/views/supply.ts"
import { world } from "../../core/data/views/world.ts"
import { attestations } from "../../core/log/views/attestations.ts"
import { cursor, fewReasons, limit, nextCursor } from "../bounds.ts"
import { define, reads } from "../Tool.ts"

interface Page {
  readonly access: Access
  readonly limit: number
  readonly cursor?: string
  readonly baseUrl: string
}

/** What a row list lacks against the objects of the others: where the next page begins. */
const rows = <A extends { readonly symbol: string }>(items: ReadonlyArray<A>, limit: number): object => {
  const last = items.at(-1)
  return {
    rows: items,
    ...(items.length === limit && last !== undefined ? { next_cursor: last.symbol } : {})
  }
}

const open = {
  networks: {
    rest: "/v1/networks",
    content: "The catalog: how far each network is measured",
    read: networks
  },
  supply: {
    rest: "/v1/supply",
    content: "First-party telemetry, a value row a metric; limit counts networks",
    read: supplyList
  },
  market: {
    rest: "/v1/market",
    content: "Price and capitalisation; null is not measured",
    read: (page: Page) => Effect.map(market(page), (items) => rows(items, page.limit))
  },
  revenue: {
    rest: "/v1/revenue",
    content: "Fees and value locked; a measured 0 is 0, null is not measured",
    read: (page: Page) => Effect.map(revenue(page), (items) => rows(items, page.limit))
  },
  provenance: {
    rest: "/v1/provenance",
    content: "Where every series comes from, and whether it is stale",
    read: provenance
  },
  world: { rest: "/v1/world", content: "Vessels, airspace, satellites, GPS interference", read: world },
  revisions: {
    rest: "/v1/revisions",
    content: "Every published value that was changed, with the value before",
    read: revisions
  },
  attestations: {
    rest: "/v1/attestations",
    content: "Published batches: roots, places in the log, anchors",
    read: attestations
  }
}

const gated: Readonly<Record<string, { readonly rest: string; readonly capability: Capability }>> = {
  compare: { rest: "/v1/compare", capability: "cross_network" },
  changes: { rest: "/v1/changes", capability: "cross_network" },
  correlations: { rest: "/v1/correlations", capability: "cross_network" },
  digest: { rest: "/v1/digest", capability: "cross_network" },
  export: { rest: "/v1/export", capability: "exports" }
}

const isOpen = (name: string): name is keyof typeof open => Object.hasOwn(open, name)

const Dataset = Schema.Struct({
  dataset: Schema.String,
  rest: Schema.String.annotate({ description: "The REST address with the same content" }),
  content: Schema.optionalKey(Schema.String),
  fetchable: Schema.Boolean.annotate({ description: "fetch_dataset gives it" }),
  how_to_unlock: Schema.optionalKey(HowToUnlock)
})

export const listDatasets = define({
  name: "list_datasets",
  title: "Datasets",
  description:
    "Datasets that fetch_dataset gives, free, and those that need a subscription and how to get it.",
  annotations: reads,
  input: Schema.Struct({}),
  output: Schema.Struct({ datasets: Schema.Array(Dataset) }),
  run: (_, { edition }) =>
    Effect.succeed({
      datasets: [
        ...Object.entries(open).map(([dataset, { content, rest }]) => ({
          dataset,
          rest,
          content,
          fetchable: true
        })),
        ...Object.entries(gated).map(([dataset, { capability, rest }]) => ({
          dataset,
          rest,
          fetchable: false,
          ...(edition === "full" ? { how_to_unlock: howToUnlock(capability) } : {})
        }))
      ]
    })
})

export const fetchDataset = define({
  name: "fetch_dataset",
  title: "Fetch a dataset",
  description:
    "A page of a dataset of list_datasets, each value with its provenance. Lists of networks are a daily sample without a " +
    "subscription: `access` in the answer says so.",
  annotations: reads,
  key: "widens",
  input: Schema.Struct({
    dataset: Schema.String.annotate({ description: Object.keys(open).join(", ") }),
    limit: limit(100, 20, "items"),
    cursor
  }),
  output: Schema.Struct({
    dataset: Schema.String,
    rest: Schema.String,
    answer: Schema.Unknown,
    next_cursor: nextCursor
  }),
  depth: 1,
  run: Effect.fnUntraced(function* (input, call) {
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 100, fallback: 20 })
    const { dataset } = input
    const caller = yield* (yield* Callers).identify(call.key)
    const locked = Object.hasOwn(gated, dataset) ? gated[dataset] : undefined
    if (locked !== undefined) {
      yield* gate(caller, locked.capability)
      return yield* new BadParameter({
        field: "dataset",
        message: `dataset: ${dataset} is not given page by page; GET ${locked.rest} with X-API-Key.`
      })
    }
    if (!isOpen(dataset)) {
      return yield* new BadParameter({
        field: "dataset",
        message: `dataset: there is no ${JSON.stringify(dataset.slice(0, 40))}.`,
        valid_values: Object.keys(open)
      })
    }
    const { read, rest } = open[dataset]
    const answer: object = yield* read({
      limit,
      ...(input.cursor === undefined ? {} : { cursor: input.cursor }),
      access: caller.access,
      baseUrl: call.baseUrl
    })
    return {
      dataset,
      rest,
      answer: fewReasons(answer),
      ...("next_cursor" in answer ? { next_cursor: String(answer.next_cursor) } : {})
    }
  })
})

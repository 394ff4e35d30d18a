/** Datasets in pages; each has the content of one REST endpoint. */
import { Effect, Schema } from "effect"
import { Callers } from "../../core/credits/Callers.ts"
import { tiers } from "../../core/credits/tiers.ts"
import { events, eventsText, mostId } from "../../core/events/read/events.ts"
import { attestations } from "../../core/log/record/attestations.ts"
import { difference } from "../../core/log/record/difference.ts"
import { incidents } from "../../core/log/record/incidents.ts"
import { Category } from "../../core/plugin/kinds.ts"
import type { ReadableView } from "../../core/products/build.ts"
import { views } from "../../core/products/builds.ts"
import { type Viewable, viewName, viewRest } from "../../core/products/definition.ts"
import { documentOf, editionOf } from "../../core/publications/Brief.ts"
import { columnsOf } from "../../core/readings/csv.ts"
import type { Access } from "../../core/readings/read/Access.ts"
import { earned } from "../../core/readings/read/earned.ts"
import { marketPage } from "../../core/readings/read/market.ts"
import { measureAnswer, measureList } from "../../core/readings/read/measureAnswer.ts"
import { networks } from "../../core/readings/read/networks.ts"
import { knownSymbol, type Page, wholeNumber } from "../../core/readings/read/parameters.ts"
import { provenance } from "../../core/readings/read/provenance.ts"
import { revenuePage } from "../../core/readings/read/revenue.ts"
import { revisions } from "../../core/readings/read/revisions.ts"
import { forSale } from "../../core/readings/read/rights.ts"
import { cutRow, type Filter, fieldsOf, type Names } from "../../core/readings/read/selection.ts"
import { supplyList } from "../../core/readings/read/supply.ts"
import { world } from "../../core/readings/read/world.ts"
import { HowToUnlock } from "../../core/wire/credits/tiers.ts"
import { MarketRow } from "../../core/wire/data/market.ts"
import { NetworkRow } from "../../core/wire/data/networks.ts"
import { ProvenanceRecord } from "../../core/wire/data/provenance.ts"
import { RevenueRow } from "../../core/wire/data/revenue.ts"
import { ValueRow } from "../../core/wire/data/valueRow.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { pagesOf } from "../paginate.ts"
import { record } from "../schema.ts"
import { define, reads } from "../Tool.ts"
import {
  charactersOf,
  cursor,
  fewReasons,
  limit,
  pageOf,
  placeOf,
  shrinkToFit,
  names as someNames,
  text
} from "../truncate.ts"

interface DatasetParams extends Filter {
  readonly access: Access
  readonly limit: number
  /** Characters of the answer. */
  readonly most: number
  readonly cursor?: string
  readonly fields?: Names
  readonly sort?: string
  readonly symbol?: string
  readonly metric?: string
  readonly from?: string
  readonly to?: string
  readonly baseUrl: string
}

/** A dataset that core returns in pages. */
const paged =
  <A extends object, E, R>(read: (params: DatasetParams) => Effect.Effect<A, E, R>) =>
  (params: DatasetParams) =>
    shrinkToFit(params.limit, params.most, (limit) =>
      Effect.map(read({ ...params, limit }), (answer) => ({
        answer: fewReasons(answer),
        ...("next_cursor" in answer ? { next_cursor: String(answer.next_cursor) } : {})
      }))
    )

/** A document that core returns whole. */
const inPages = <A extends object, E, R>(
  whole: Effect.Effect<A, E, R>,
  { cursor, limit, most }: DatasetParams
) =>
  Effect.flatMap(placeOf(cursor), (from) =>
    Effect.flatMap(whole, (document) =>
      shrinkToFit(limit, most, (rows) => Effect.succeed(pageOf(document, rows, from)))
    )
  )

/** A document that has no rows: its members, as many as fit into an answer. */
const inParts = Effect.fnUntraced(function* <A extends object, E, R>(
  whole: Effect.Effect<A, E, R>,
  { cursor, most }: DatasetParams
) {
  const parts = pagesOf(fewReasons(yield* whole), most)
  const place = yield* placeOf(cursor)
  const left = parts.length - place - 1
  return {
    answer: record(parts[place]),
    ...(left > 0 ? { left_out: `${left} of ${parts.length} parts.`, next_cursor: String(place + 1) } : {})
  }
})

/** The answer with the rows of a member cut. */
const cutIn = <A extends object>(
  answer: A,
  member: string,
  columns: ReadonlyArray<string> | undefined
): A => {
  const rows: unknown = Reflect.get(answer, member)
  return columns === undefined || !Array.isArray(rows)
    ? answer
    : { ...answer, [member]: rows.map((row) => cutRow(row, columns)) }
}

/** A list from which a caller can select: what `fields` keeps of the rows in `member`. */
const selected =
  <A extends object, E, R>(
    row: { readonly fields: object },
    member: string,
    read: (params: DatasetParams) => Effect.Effect<A, E, R>
  ) =>
  (params: DatasetParams) =>
    Effect.flatMap(fieldsOf(params.fields, columnsOf(row)), (columns) =>
      paged((page) => Effect.map(read(page), (answer) => cutIn(answer, member, columns)))(params)
    )

/** A page of a plain list as an object. */
const rowsOf = <A, E, R>(page: Effect.Effect<Page<A>, E, R>) =>
  Effect.map(page, ({ items, next }) => ({
    rows: items,
    ...(next === undefined ? {} : { next_cursor: next })
  }))

/** What every list takes, as the schema of the tool says. */
const selection = ["symbols", "metrics", "category", "fields", "sort"]

const brief = Effect.gen(function* () {
  const { body } = yield* editionOf(undefined)
  return yield* Effect.orDie(documentOf(body))
})

/** The feed, whose cursor is the id of the last event. */
const happened = Effect.fnUntraced(function* ({ access, cursor, limit, most, symbol }: DatasetParams) {
  const after =
    cursor === undefined
      ? undefined
      : yield* wholeNumber("cursor", cursor, { min: 0, max: mostId, fallback: 0 })
  return yield* shrinkToFit(limit, most, (limit) =>
    Effect.map(events({ access, after, limit, symbol }), (page) => ({
      answer: JSON.parse(eventsText(page)),
      ...(page.head.more ? { next_cursor: String(page.head.next_after) } : {})
    }))
  )
})

const ofMeasure = (name: string, access: Access) =>
  access.breadth === "all" ? forSale(measureAnswer(name, access)) : measureAnswer(name, access)

const open = {
  networks: {
    rest: "/v1/networks",
    content: "The catalog: how far each network is measured",
    selects: true,
    read: selected(NetworkRow, "networks", networks)
  },
  supply: {
    rest: "/v1/supply",
    content: "First-party telemetry, one value row per metric; limit counts networks",
    selects: true,
    read: selected(ValueRow, "supply", (options: Parameters<typeof supplyList>[0]) =>
      options.access.breadth === "all" ? forSale(supplyList(options)) : supplyList(options)
    )
  },
  market: {
    rest: "/v1/market",
    content: "Price and market capitalisation; null means not measured",
    selects: true,
    read: selected(MarketRow, "rows", (params) => rowsOf(marketPage(params)))
  },
  revenue: {
    rest: "/v1/revenue",
    content: "Fees and value locked; a 0 that nobody counted has by_definition, null means not measured",
    selects: true,
    read: selected(RevenueRow, "rows", (params) => rowsOf(revenuePage(params)))
  },
  earned: {
    rest: "/v1/earned",
    content: "What users paid each network and its suppliers received, each with its evidence (rung)",
    takes: "symbols",
    read: paged((options: DatasetParams) => {
      const read = earned({ ...options, limit: options.limit })
      return options.access.breadth === "all" ? forSale(read) : read
    })
  },
  provenance: {
    rest: "/v1/provenance",
    content: "Where every series comes from, and whether it is stale",
    selects: true,
    read: selected(ProvenanceRecord, "provenance", provenance)
  },
  measures: {
    rest: "/v1/measures",
    content: "What compares networks; with the name of a measure as metric, its members",
    takes: "metric",
    read: (params: DatasetParams) =>
      params.metric === undefined
        ? inPages(Effect.succeed(measureList), params)
        : inPages(ofMeasure(params.metric, params.access), params)
  },
  world: {
    rest: "/v1/world",
    content: "Vessels, airspace, satellites, GPS interference",
    read: (params: DatasetParams) => inParts(world(params), params)
  },
  revisions: {
    rest: "/v1/revisions",
    content: "Every published value that was changed, with the previous value",
    takes: "symbol",
    read: paged(revisions)
  },
  diff: {
    rest: "/v1/diff",
    content: "What changed between two moments: values added, revised or withdrawn, and why",
    takes: "symbol, metric, from, to",
    // One network: all of them require a tier.
    read: paged(({ symbol = "", ...params }) =>
      Effect.flatMap(knownSymbol("symbol", symbol), (network) => difference({ ...params, network }))
    )
  },
  incidents: {
    rest: "/v1/incidents",
    content: "Quality incidents: readings that are stored but not served, and why",
    takes: "symbol",
    read: paged(incidents)
  },
  events: {
    rest: "/v1/events",
    content: "What happened in the last three days, oldest first, each event signed by itself",
    takes: "symbol",
    read: happened
  },
  attestations: {
    rest: "/v1/attestations",
    content: "Published batches: roots, positions in the log, anchors",
    read: paged(attestations)
  },
  brief: {
    rest: "/v1/brief",
    content: "The newest weekly brief: capacity against demand, feeds that stopped, flows, movers",
    read: (params: DatasetParams) => inPages(brief, params)
  }
}

const isOpen = (name: string): name is keyof typeof open => Object.hasOwn(open, name)

type Reading = ReturnType<(typeof views)[number]["read"]>
type AnyView = ReadableView<Viewable, object, Effect.Error<Reading>, Effect.Services<Reading>>

const viewsByName: ReadonlyMap<string, AnyView> = new Map<string, AnyView>(
  views.map((view) => [viewName(view.definition.view), view])
)

const names = [...Object.keys(open), ...viewsByName.keys()]

/** The parameters that a dataset takes; undefined if there is no such dataset. */
const takenBy = (name: string): ReadonlyArray<string> | undefined => {
  if (isOpen(name)) {
    const dataset = open[name]
    return "takes" in dataset ? dataset.takes.split(", ") : "selects" in dataset ? selection : []
  }
  const view = viewsByName.get(name)?.definition.view
  return view === undefined ? undefined : view.takes === undefined ? [] : [view.takes]
}

const Dataset = Schema.Struct({
  dataset: Schema.String,
  rest: Schema.String,
  content: Schema.String,
  fetchable: Schema.Boolean,
  takes: Schema.optionalKey(Schema.String),
  required_tier: Schema.optionalKey(HowToUnlock.fields.required_tier),
  product_key: Schema.optionalKey(Schema.String)
})

/** What opens a dataset, in short: fetch_dataset says it in full. */
const unlockedBy = ({ product, required_tier }: typeof HowToUnlock.Type) => ({
  required_tier,
  ...(product === undefined ? {} : { product_key: product.product_key })
})

export const listDatasets = define({
  name: "list_datasets",
  title: "Datasets",
  description:
    "The datasets of fetch_dataset, each with the content of a REST endpoint. The others than `fetchable` ones require a " +
    "subscription, or are bought once as product_key.",
  annotations: reads,
  key: "widens",
  input: Schema.Struct({}),
  output: Schema.Struct({ datasets: Schema.Array(Dataset) }),
  run: Effect.fnUntraced(function* (_, { edition, key }) {
    const callers = yield* Callers
    const caller = yield* callers.identify(key)
    return {
      datasets: [
        ...Object.entries(open).map(([dataset, { content, rest, ...of }]) => ({
          dataset,
          rest,
          content,
          fetchable: true,
          ...("takes" in of ? { takes: of.takes } : {})
        })),
        ...[...viewsByName.values()].map(({ definition: { view } }) => {
          const { capability, takes } = view
          const rest = viewRest(view)
          const fetchable = tiers[caller.tier].can.includes(capability)
          return {
            dataset: viewName(view),
            rest,
            content: view.title,
            fetchable,
            ...(takes === undefined ? {} : { takes }),
            ...(fetchable || edition === "public"
              ? {}
              : unlockedBy(callers.howToUnlock({ capability, rest }, caller)))
          }
        })
      ]
    }
  })
})

const members = {
  dataset: Schema.String,
  metric: text("for compare, diff, measures"),
  symbol: text("for health-profile and diff; filters revisions, incidents and events"),
  from: text("for diff: ISO 8601"),
  to: text("for diff, default now"),
  as_known_at: text("for views: as known at (ISO 8601)"),
  symbols: someNames("for lists, with commas"),
  metrics: someNames("for lists, with commas"),
  fields: someNames("for lists: members"),
  sort: text("for lists: a member; -member descends"),
  limit: limit(100, 10, "maximum items; fewer if they are long"),
  cursor
}

export const fetchDataset = define({
  name: "fetch_dataset",
  title: "Fetch a dataset",
  description:
    "A page of a dataset from list_datasets, as JSON text: {dataset, rest, answer, left_out, next_cursor}. Without a " +
    "subscription, lists of networks are a daily sample (see `access`) and views are not available.",
  annotations: reads,
  key: "widens",
  values: { dataset: names },
  input: Schema.Struct({ ...members, category: Schema.optionalKey(Category) }),
  // Its values are in find_networks: the list of all tools has a size.
  shown: Schema.Struct({ ...members, category: text("for lists: one of find_networks") }),
  run: Effect.fnUntraced(function* ({ as_known_at, dataset, from, metric, symbol, to, ...input }, call) {
    const { category, fields, metrics, sort, symbols } = input
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 100, fallback: 10 })
    const takes = takenBy(dataset)
    if (takes === undefined) {
      return yield* new BadParameter({
        field: "dataset",
        message: `Unknown dataset ${JSON.stringify(dataset.slice(0, 40))}. Valid: ${names.join(", ")}.`,
        valid_values: names
      })
    }
    const chosen = { symbols, metrics, category, fields, sort }
    for (const [field, argument] of Object.entries({ metric, symbol, from, to, ...chosen })) {
      if (argument !== undefined && !takes.includes(field)) {
        return yield* new BadParameter({ field, message: `${field} is not valid for dataset ${dataset}.` })
      }
    }
    if (as_known_at !== undefined && isOpen(dataset)) {
      const message = `as_known_at is not valid for dataset ${dataset}; get_metric_history takes it.`
      return yield* new BadParameter({ field: "as_known_at", message })
    }
    const callers = yield* Callers
    const caller = yield* callers.identify(call.key)
    const params = {
      ...input,
      ...(symbol === undefined ? {} : { symbol }),
      ...(metric === undefined ? {} : { metric }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      limit,
      most: charactersOf(input.limit),
      access: caller.access,
      baseUrl: call.baseUrl
    }
    if (isOpen(dataset)) {
      const { read, rest } = open[dataset]
      const page: object = yield* read(params)
      return { dataset, rest, ...page }
    }
    const { definition, read } = yield* Effect.fromNullishOr(viewsByName.get(dataset)).pipe(Effect.orDie)
    const { view } = definition
    const rest = viewRest(view)
    yield* callers.gate(caller, { capability: view.capability, rest })
    const page =
      view.pages === true
        ? paged(({ cursor, limit }) => read({ cursor, limit, as_known_at }))(params)
        : inPages(read({ metric, symbol, as_known_at }), params)
    return { dataset, rest, ...(yield* page) }
  })
})

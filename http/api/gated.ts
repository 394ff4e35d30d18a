/**
 * Views, engines and exports that require a subscription tier. Below that tier each returns a 402 that names the tier;
 * credits never unlock them.
 */
import { Array as Arr, Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { View, Viewable } from "../../core/products/definition.ts"
import { type ViewDefinition, viewDefinitions } from "../../core/products/index.ts"
import { type Capability, tiersWith, tierUnlocks } from "../../core/wire/credits/tiers.ts"
import {
  KeyUnknown,
  NoTable,
  ScopeMissing,
  TierTooLow,
  ViewUnavailable
} from "../../core/wire/problems/accounts.ts"
import { BadParameter, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { takesKnownAt } from "../../core/wire/products/pointInTime.ts"
import { ByTier, DependsOn } from "./Contract.ts"
import { symbol, text, wholeNumber } from "./parameters.ts"

/**
 * Views are made of nearly everything, with ages as of now: they are made at most once a second for each tier. As known at
 * an earlier time they stay as they are, while the readings are kept.
 */
const dated: DependsOn = ({ query: { as_known_at } }) =>
  as_known_at === undefined
    ? ["symbols", "reads", "runs", "incidents", "log", "anchors", "feeds", "second"]
    : ["retention"]

/** Tiered views accept a key. Without one they return 402, as for a lower tier, rather than 401. */
const withKey = [{ apiKey: [] }]

/** The name of an endpoint: `nodeQuality` for `/v1/node-quality`. */
export type EndpointName<Path> = Path extends `/v1/${infer Name}` ? CamelCase<Name> : never
type CamelCase<Text> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text

export const endpointName = <const Path extends string>(path: Path) =>
  path
    .slice("/v1/".length)
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as EndpointName<Path>

/** The title of the lowest tier with a capability. */
const leastTier = (capability: Capability): string => {
  const [tier = "enterprise"] = tiersWith(capability)
  return tierUnlocks[tier].title
}

const parameters = {
  metric: text("a metric of /v1/data-dictionary"),
  limit: wholeNumber(1, 500, "maximum rows per page, default 100"),
  cursor: text("`next_cursor` of the previous page (a row number)"),
  as_known_at: text(takesKnownAt)
}

/** The parameters that a view takes. All are optional, so that one type holds for every view. */
const queryOf = ({ onlyNow, view }: Viewable) =>
  Struct.pick(parameters, [
    ...(view.takes === "metric" ? (["metric"] as const) : []),
    ...(view.pages === true ? (["limit", "cursor"] as const) : []),
    ...(onlyNow === undefined ? (["as_known_at"] as const) : [])
  ])

const annotated = ({ view }: Viewable) =>
  OpenApi.annotations({
    summary: view.title,
    description: `Requires the ${leastTier(view.capability)} tier or higher.`,
    override: { security: withKey }
  })

const errors = [ScopeMissing, TierTooLow, ViewUnavailable, BadParameter] as const

const plain = <const D extends ViewDefinition>(definition: D) => {
  const path: D["view"]["path"] = definition.view.path
  return HttpApiEndpoint.get(endpointName(path), path, {
    query: queryOf(definition),
    success: definition.schema as D["schema"],
    error: errors
  })
    .annotate(DependsOn, dated)
    .annotate(ByTier, true)
    .annotateMerge(annotated(definition))
}

const ofSymbol = <const D extends ViewDefinition>(definition: D) => {
  const path: D["view"]["path"] = definition.view.path
  return HttpApiEndpoint.get(endpointName(path), `${path}/:symbol`, {
    params: { symbol },
    query: queryOf(definition),
    success: definition.schema as D["schema"],
    error: [...errors, UnknownSymbol]
  })
    .annotate(DependsOn, dated)
    .annotate(ByTier, true)
    .annotateMerge(annotated(definition))
}

/** One type for each definition, and not one for all of them. */
type EndpointOf<D extends ViewDefinition> = D extends { readonly view: { readonly takes: "symbol" } }
  ? ReturnType<typeof ofSymbol<D>>
  : ReturnType<typeof plain<D>>

const endpointOf = (definition: ViewDefinition) => {
  const { takes }: View = definition.view
  return (takes === "symbol" ? ofSymbol(definition) : plain(definition)) as EndpointOf<ViewDefinition>
}

export const Gated = HttpApiGroup.make("gated")
  .add(...Arr.map(viewDefinitions, endpointOf))
  .annotateMerge(
    OpenApi.annotations({
      title: "Views and engines",
      description: "Unlocked by a subscription, never by credits."
    })
  )

export const datasets = [
  "networks",
  "grades",
  "correlations",
  "lead-lag",
  "indicators",
  "changes",
  "digest",
  "supply",
  "history"
] as const

const file = (contentType: string, description: string) =>
  Schema.String.annotate({ description }).pipe(HttpApiSchema.asText({ contentType }))

export const Export = HttpApiGroup.make("export")
  .add(
    HttpApiEndpoint.get("export", "/v1/export", {
      query: {
        dataset: Schema.Literals(datasets).annotate({ description: "the dataset to export" }),
        format: Schema.optionalKey(
          Schema.Literals(["csv", "ndjson"]).annotate({ description: "file format, default csv" })
        ),
        symbol: text("with dataset=history: a symbol of /v1/networks; without it, every network"),
        days: wholeNumber(1, 3650, "with dataset=history: number of days, today among them"),
        as_known_at: text(`with history and the views: ${takesKnownAt}`)
      },
      success: [
        file(
          "text/csv; charset=utf-8",
          "RFC 4180 with a header line; null is an empty cell, a measured 0 is 0"
        ),
        file(
          "application/x-ndjson",
          "With format=ndjson: one JSON object per line, as in the GET; rows about a pair also name both sources"
        )
      ],
      error: [KeyUnknown, ScopeMissing, TierTooLow, ViewUnavailable, NoTable, BadParameter, UnknownSymbol]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "A dataset as a file",
        description:
          "Requires a tier with exports (Pro or Enterprise) and contains only data that the tier can GET. " +
          "`X-Service-Export-Rows` is the number of rows and `X-Service-Export-Source` the GET they come from. In CSV, a " +
          "text that a spreadsheet would run as a formula (it starts with =, +, -, @, a tab or a line break and is not a " +
          "number) is prefixed with an apostrophe.",
        override: { security: withKey }
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Export", description: "Datasets as files." }))

/** What a plugin declares of itself: what its rows may say, where they come from, and what must hold between them. */

import type { Duration } from "effect"
import {
  type Flow,
  type FlowBySymbol,
  type FlowName,
  flowOf,
  isFlowName,
  type MisnamedFlow
} from "./flows.ts"
import type { Role, Sector, Tier } from "./kinds.ts"
import type { Method } from "./methods.ts"
import type { Relation } from "./relations.ts"
import { day } from "./time.ts"
import type { Request } from "./Upstream.ts"
import { greatestIn, type Tolerance, toleranceIn } from "./units.ts"
import type { Observation, Unit } from "./Value.ts"

/**
 * One metric that a plugin emits; or, with `of`, a family of them, whose name in the manifest ends in `*`: the star
 * is replaced by one of these words.
 */
export interface Metric {
  readonly unit: Unit
  /** One sentence for the data dictionary: what is counted, and how where that matters. */
  readonly meaning: string
  /** What the metric is to a reader. Default `measure`. A family cannot be a headline: it has many members. */
  readonly role?: Role
  /**
   * Bounds of a possible value, inclusive. A reading below `min` becomes an incident; one above the greatest value, which is `max` or,
   * without it, that of the unit (`units.json`), is refused by the run.
   */
  readonly min?: number
  readonly max?: number
  /** A fall of more than this share of the last accepted value is an incident. Default 0.9; 1 switches it off. */
  readonly collapse?: number
  /**
   * Why the figure may rise by any factor from one day to the next, as the fees of a young market do. It switches off the guard
   * upwards of `core/readings/ingest/compare/guards.ts`.
   */
  readonly mayJump?: string
  /** How far what two operators read of it within some hours may lie apart. Default: by its unit (`units.json`). */
  readonly agrees?: Tolerance
  readonly of?: ReadonlyArray<string>
  /** Of what a network earned or paid out: how the figure comes about; by network where that differs. */
  readonly flow?: Flow | FlowBySymbol
}

/** A metric of anything else than that. */
export type PlainMetric = Metric & { readonly flow?: never }

/** A metric of what a network earned or paid out. */
export type FlowMetric = Metric & { readonly flow: Flow | FlowBySymbol }

/**
 * A metric as its name demands it: what a network earned or paid out says how it comes about and has one of the names of `flows.ts`, and
 * no other metric says that.
 */
export type MetricUnder<Name extends string> = string extends Name
  ? Metric
  : Name extends FlowName
    ? FlowMetric
    : Name extends MisnamedFlow
      ? never
      : PlainMetric

/** The metric that a manifest declares under a name, by itself or in a family. */
export const metricNamed = (metrics: Manifest["metrics"], name: string): Metric | undefined => {
  const own = Object.hasOwn(metrics, name) ? metrics[name] : undefined
  if (own !== undefined && own.of === undefined) return own
  return Object.entries(metrics).find(
    ([family, { of }]) =>
      of !== undefined && name.startsWith(family.slice(0, -1)) && of.includes(name.slice(family.length - 1))
  )?.[1]
}

/**
 * How far what two operators read of a series may lie apart and still agree: as its metric declares it, else by the unit of its
 * values: percentages and ranks by one point, flags and dates not at all, figures of the physical world by 5 %, all others by 1 %.
 */
export const toleranceOf = (unit: string, metric: Metric | undefined): Tolerance =>
  metric?.agrees ?? toleranceIn(unit)

/**
 * Why no value of a metric can be so large, above 0 or below: it is more than the metric's own `max`, else than the greatest of its
 * unit. Undefined where one can.
 */
export const excessOf = ({ max, unit }: Pick<Metric, "max" | "unit">, value: number): string | undefined => {
  const { because, greatest } = greatestIn(unit)
  if (value > (max ?? greatest)) {
    const reason = max === undefined ? ` of the unit ${unit}: ${because}` : ""
    return `${value} is above the greatest possible value ${max ?? greatest}${reason}`
  }
  return value < -greatest && (max === undefined || value < -max)
    ? `${value} is below the least possible value -${greatest} of the unit ${unit}: ${because}`
    : undefined
}

/** The role of a metric that a manifest declares. */
export const roleOf = ({ role = "measure" }: Metric): Role => role

/**
 * Which of a network's metrics is its headline, by the manifests of the plugins that cover it. A plugin of few networks
 * goes before one of many, so that a subnet's own plugin goes before the one of all subnets, and one from elsewhere after all.
 * Undefined: none of them.
 */
export const headlineOf = (
  manifests: ReadonlyArray<Manifest>,
  symbol: string,
  metrics: ReadonlyArray<string>
): string | undefined =>
  manifests
    .flatMap(({ covers, metrics, reviewed }) => {
      const symbols = symbolsNamed(covers)
      return symbols.includes(symbol) ? [{ metrics, networks: symbols.length, reviewed }] : []
    })
    .sort((a, b) => Number(a.reviewed === false) - Number(b.reviewed === false) || a.networks - b.networks)
    .flatMap(({ metrics: declared }) => metrics.filter((name) => declared[name]?.role === "headline"))[0]

/** What the rows are about: networks of the catalog, a sector's own symbols, or every catalog row with an id. */
export type Covers =
  | { readonly networks: ReadonlyArray<string> }
  | {
      readonly sector: Sector
      readonly symbols: ReadonlyArray<string>
      /**
       * Metrics that `/v1/world` shows as gauges: the row of the first symbol is the gauge, the rows of the other symbols
       * are its parts.
       */
      readonly gauges?: ReadonlyArray<string>
    }
  | { readonly catalog: "coingecko_id" | "github" | "token_contract" }

/** The symbols that a plugin names; none for one that covers catalog rows by their id. */
export const symbolsNamed = (covers: Covers): ReadonlyArray<string> =>
  "networks" in covers ? covers.networks : "sector" in covers ? covers.symbols : []

/** A key that the runtime adds for one host; the plugin never sees it and no recording holds it. */
export interface Auth {
  readonly setting: string
  /**
   * `client`: the setting is `<client id>:<client secret>`, for which the address `token` gives an access token of this
   * scope (OAuth 2, client credentials); the runtime makes that exchange, and no recording contains it.
   */
  readonly as:
    | { readonly header: string }
    | { readonly query: string }
    | { readonly placeholder: string }
    | { readonly client: { readonly token: string; readonly scope: string } }
  /** False: without the key the plugin does not run, and its state is `needs_key`. */
  readonly optional: boolean
}

/** One place where somebody read what the members of an answer mean, and when. A stranger can open it. */
export interface Evidence {
  /**
   * `<owner>/<repository>@<commit> <path>` or `… <path>:<line>` of the function, query or contract that fills the members; or
   * the https address of a document.
   */
  readonly source: string
  /** `YYYY-MM-DD`. */
  readonly read: string
  /** Names of members of the answers, as they stand in the source. */
  readonly members: ReadonlyArray<string>
}

/** After how many days somebody should read the source again. */
export const dueAfterDays = 180

/** Whether evidence is older than that at a time in epoch milliseconds. */
export const isDue = ({ read }: Evidence, now: number): boolean => now - Date.parse(read) > dueAfterDays * day

/** Whether somebody may do something; `unknown` where nobody could read it. */
export type Permission = "yes" | "no" | "unknown"

/**
 * What can be done with a feed's data. `show`: a value with its source at its own address, in a page, or a picture of one value.
 * `bulk`: tables, exports, embeds and pictures of a series, webhooks of values. `sell`: what is paid for. `bodies`: handing on the
 * upstream's answers as they are.
 */
export const uses = ["show", "bulk", "sell", "bodies"] as const
export type Use = (typeof uses)[number]

/** The terms under which the upstream gives its data, as somebody read them. What nobody has read is `unknown`. */
export interface Terms extends Readonly<Record<Use, Permission>> {
  /** Where they stand: an https address, or `<owner>/<repository>@<commit> <path>:<line>`. Absent: none was readable. */
  readonly address?: string
  /** `YYYY-MM-DD`. */
  readonly read: string
  /** An SPDX identifier, `proprietary`, or `unknown`. */
  readonly licence: string
  /** The words that credit the source. */
  readonly attribution: string
  /** The sentence that decides, in its own words, at most 300 characters. */
  readonly quote?: string
}

/**
 * A figure of this plugin that a source of another plugin gives as well, for the same symbols. Where the two agree, that confirms this
 * series and no other. A row of this plugin is no second source: whoever read one of them wrong may have read the other wrong.
 */
export interface SecondSource<Name extends string = string> {
  readonly metric: Name
  /** The other series: its source, and its metric where that has another name. */
  readonly source: string
  readonly as?: string
  /** By what share of the larger figure the two may differ. */
  readonly tolerance: number
  /** Why both are the same figure, and why they may differ by so much. */
  readonly why: string
}

/** A figure at an address of the plugin that cannot move: if it does, the address does not say what it said. */
export interface Canary {
  readonly request: string | Request
  /** Members from the top of the answer; an entry of an array is named by its number. */
  readonly path: ReadonlyArray<string>
  readonly is: number | string
  /** What it is, and why it cannot move. */
  readonly why: string
}

/** What a plugin declares of itself. */
export interface Declared<Name extends string = string> {
  /** The folder's name. */
  readonly id: string
  readonly title: string
  readonly covers: Covers
  /** Whose word the values are; there is no default, because `supply_telemetry` says that they are the network's own. */
  readonly tier: Tier
  /** Label of the feed, on every row that names no other. */
  readonly source: string
  /**
   * Other labels that its rows may carry, where it reads several upstreams. A number may stand for a `*` at the end: each
   * is a series of its own, such as one of each registration of a subnet.
   */
  readonly sources?: ReadonlyArray<string>
  /** The only hosts that the plugin may reach, redirects included. */
  readonly hosts: ReadonlyArray<string>
  /**
   * Hosts whose answers state no length and end where the connection closes, each with why one that is cut off is noticed all the
   * same, for example by its last line. From any other host such an answer is refused.
   */
  readonly endsByClose?: Readonly<Record<string, string>>
  readonly every: Duration.Input
  /** Time limit of one run. Default one minute. */
  readonly timeout?: Duration.Input
  /** The most requests of one run, for the collection budget. Default 1. */
  readonly calls?: number
  readonly metrics: { readonly [K in Name]: MetricUnder<K> }
  /**
   * Some answers do not state the time that the plugin reads, and the headers date those. Without it such an answer is refused, or an
   * upstream that no longer states it would look new permanently.
   */
  readonly orHeaders?: true
  /** Metrics that the plugin once gave, each with why its series ended; their past stays as it was published. */
  readonly ended?: Readonly<Record<string, string>>
  /** How well the upstream is verified; `plugins/README.md` explains the letters. */
  readonly grade: "A" | "B" | "C" | "K"
  /** Where the members of the answers were read. */
  readonly evidence?: ReadonlyArray<Evidence>
  /** Whose definitions its figures follow, by source, where those are an aggregator's. */
  readonly methods?: Readonly<Record<string, Method>>
  /** What must hold between figures of one run; what contradicts it is refused. */
  readonly relations?: ReadonlyArray<Relation<NoInfer<Name | Emitted<Name>>>>
  /** Second sources of its figures. */
  readonly agreesWith?: ReadonlyArray<SecondSource<NoInfer<Name | Emitted<Name>>>>
  /** Figures that cannot move, asked once a day. */
  readonly canaries?: ReadonlyArray<Canary>
  /** What the upstream allows to be done with its data. */
  readonly terms?: Terms
  /** Why the plugin runs only if an operator enables it. */
  readonly disabled?: string
  readonly auth?: Readonly<Record<string, Auth>>
  /** Addresses and other values an operator may set, with their defaults. */
  readonly settings?: Readonly<Record<string, string>>
  /** Days that raw bodies are kept. Default 90. */
  readonly keep?: number
  /** Who maintains the plugin. Default `plumbline`. */
  readonly owner?: string
}

/** A declaration with its defaults filled in. */
export interface Manifest<Name extends string = string> extends Declared<Name> {
  readonly owner: string
  /** Of a plugin that an operator loads from elsewhere. */
  readonly reviewed?: false
}

/** The metric names that a name in the manifest allows. */
export type Emitted<Name extends string> = Name extends `${infer Stem}*` ? `${Stem}${string}` : Name

/** The symbols that the rows of a plugin may be about; `targets` are those that its run was given. */
export const symbolsOf = (
  manifest: Manifest,
  targets: ReadonlyArray<{ readonly symbol: string }>
): ReadonlySet<string> => {
  const { covers } = manifest
  if ("networks" in covers) return new Set(covers.networks)
  if ("sector" in covers) return new Set(covers.symbols)
  return new Set(targets.map(({ symbol }) => symbol))
}

/** Whether a label is one that a manifest declares, by itself or with a number for the `*` at its end. */
export const isLabelled = (declared: string, label: string): boolean =>
  declared === label ||
  (declared.endsWith("*") &&
    label.startsWith(declared.slice(0, -1)) &&
    /^\d+$/.test(label.slice(declared.length - 1)))

/**
 * Why the manifest does not allow a row, in words; undefined where it does. Texts that a leaf commits to must say
 * something: a row without them could be served and never be sealed.
 */
export const refusalOf = (
  manifest: Manifest,
  symbols: ReadonlySet<string>,
  row: Pick<Observation, "symbol" | "metric" | "unit" | "source" | "verify_url">
): string | undefined => {
  const declared = metricNamed(manifest.metrics, row.metric)
  if (row.symbol === "") return "symbol is empty"
  if (row.metric === "") return "metric is empty"
  if (declared === undefined) return "the manifest does not declare this metric"
  if (!symbols.has(row.symbol)) return "the manifest does not cover this symbol"
  if (isFlowName(row.metric) && flowOf(declared.flow, row.symbol) === undefined)
    return "the manifest does not say how this figure of the network comes about"
  if (row.unit !== declared.unit)
    return `unit is ${JSON.stringify(row.unit)}; the manifest declares ${declared.unit}`
  if (
    row.source !== manifest.source &&
    manifest.sources?.some((label) => isLabelled(label, row.source)) !== true
  )
    return `source ${JSON.stringify(row.source)} is not one that the manifest declares`
  if (!row.verify_url.startsWith("https://") || !URL.canParse(row.verify_url))
    return `verify_url ${JSON.stringify(row.verify_url.slice(0, 200))} is not an https address`
  return undefined
}

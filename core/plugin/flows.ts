/**
 * Flows of money: what a network earns from its users and what it pays out to its suppliers. Each figure of the two families says on
 * which rung of evidence it stands, where it is read and what is not in it.
 */
import { Schema } from "effect"

/** What a manifest can say of its figures. That a chain proved one is a fact of the run that read it, and no manifest says it. */
const declared = ["chain_read", "chain_indexed", "stated", "aggregated"] as const

/** The ladder of evidence, the best first. */
export const rungs = ["chain_proved", ...declared] as const
export type Rung = (typeof rungs)[number]
export const DeclaredRung = Schema.Literals(declared)
export type DeclaredRung = typeof DeclaredRung.Type

/** What each rung says of a figure. */
export const rungMeanings: Readonly<Record<Rung, string>> = {
  chain_proved: "proved by the chain's own state",
  chain_read: "told by a node of the chain",
  chain_indexed: "added up by an indexer",
  stated: "the network's own word",
  aggregated: "an aggregator's method"
}

export const Rung = Schema.Literals(rungs).annotate({
  identifier: "Rung",
  description: `Best evidence first: ${Object.entries(rungMeanings)
    .map(([rung, meaning]) => `\`${rung}\`: ${meaning}`)
    .join("; ")}`
})

/** The better of two rungs comes first. */
export const byRung = (a: Rung, b: Rung): number => rungs.indexOf(a) - rungs.indexOf(b)

/** How one figure comes about: enough for a stranger to work it out again. */
export interface Flow {
  readonly rung: DeclaredRung
  /** The contract, account, event, item of storage or member of an answer that is read, with the network or address it is of. */
  readonly at: string
  /** How the figure follows from it, with its units. */
  readonly formula: string
  /** What users pay or suppliers receive and this figure does not count, or what it counts besides. Pages show it beside the words "Not in it". */
  readonly without: string
  /** `<owner>/<repository>@<commit> <path>` of what fills the place that is read, or the address of a document. */
  readonly code: string
  /** At which block, epoch or day somebody worked it out again from a recorded answer. Absent: nobody has. */
  readonly recomputed?: string
  /** Why an aggregator gives another figure for the network. Without it, readers are told of a large difference that it is not explained. */
  readonly differs?: string
}

/** Of a plugin of several networks whose figures of one name come about in different ways. */
export type FlowBySymbol = Readonly<Record<string, Flow>>

/** Over which closed days a figure is counted: since the start, a UTC day, a week, 30 days, a calendar month; or what one block or round of the protocol adds. */
const spans = ["total", "24h", "7d", "30d", "month", "block", "round"] as const
export type Span = (typeof spans)[number]

export const families = ["earned", "paid_out"] as const
export type Family = (typeof families)[number]

/** The only names that figures of the two families have; those in dollars end in `_usd`, and all others are in the network's own token. */
export type FlowName = `${Family}_${Span}${"" | "_usd"}`

/** What begins like one of the families and has no such name. */
export type MisnamedFlow = `${Family}_${string}`

export interface FlowParts {
  readonly family: Family
  readonly span: Span
  readonly unit: "tokens" | "usd"
}

const form = new RegExp(`^(${families.join("|")})_(${spans.join("|")})(_usd)?$`)

/** What the name of a figure says; undefined of every other metric. */
export const flowParts = (metric: string): FlowParts | undefined => {
  const [, family, span, usd] = form.exec(metric) ?? []
  return family === undefined || span === undefined
    ? undefined
    : { family: family as Family, span: span as Span, unit: usd === undefined ? "tokens" : "usd" }
}

/** Whether a metric begins like one of the families. */
export const isFlowName = (metric: string): boolean =>
  families.some((family) => metric.startsWith(`${family}_`))

const isOne = (flow: Flow | FlowBySymbol): flow is Flow => typeof flow["rung"] === "string"

/** How a figure of a network comes about; undefined where a manifest does not say it. */
export const flowOf = (flow: Flow | FlowBySymbol | undefined, symbol: string): Flow | undefined =>
  flow === undefined ? undefined : isOne(flow) ? flow : flow[symbol]

/** All that a manifest says of one metric, each with the network that it is of, or none where it is of all of them. */
export const flowsIn = (
  flow: Flow | FlowBySymbol
): ReadonlyArray<readonly [symbol: string | undefined, flow: Flow]> =>
  isOne(flow) ? [[undefined, flow]] : Object.entries(flow)

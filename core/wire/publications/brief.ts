/** The weekly brief as a document: what it says and where each figure is from. */
import { Schema } from "effect"
import { Unit } from "../../plugin/Value.ts"

const said = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const text = (description: string) => said(Schema.String, description)
const number = (description: string) => said(Schema.Finite, description)
const count = (description: string) => said(Schema.Natural, description)
const symbol = text("Ticker of the network")

export const Figure = Schema.Struct({
  metric: text("Name of the metric"),
  value: number("The published value of its day"),
  value_text: Schema.optionalKey(text("The exact number, where a double may not hold it")),
  unit: Unit.annotate({ description: "Unit of the value" }),
  source: text("Label of the upstream feed"),
  as_of: text("When the value was true"),
  verify_url: text("Upstream address where anyone can compare it"),
  attest_url: text("Path of the proof that this value was published")
}).annotate({ identifier: "BriefFigure", description: "One published value with its provenance" })
export interface Figure extends Schema.Schema.Type<typeof Figure> {}

export const Pair = Schema.Struct({
  now: Figure,
  before: said(Schema.NullOr(Figure), "The value about a week earlier; null where there was none"),
  change_pct: said(Schema.NullOr(Schema.Finite), "Change in percent; null where it cannot be computed")
}).annotate({ identifier: "BriefPair", description: "A value and the one a week before" })
export interface Pair extends Schema.Schema.Type<typeof Pair> {}

export const Missing = Schema.Struct({
  symbol,
  reason: text("What could not be measured, and why")
}).annotate({ identifier: "BriefMissing", description: "What this section cannot say" })
export interface Missing extends Schema.Schema.Type<typeof Missing> {}

const missing = said(Schema.Array(Missing), "Networks of which this section cannot speak")
const withheld = said(
  Schema.Array(Missing),
  "Rows left out because they are implausible, each with the reason"
)

export const Divergence = Schema.Struct({
  symbol,
  what: text("What is compared"),
  capacity: Pair,
  demand: Pair,
  divergence_points: number("Change of capacity less change of demand, in percentage points"),
  utilisation_pct: Schema.optionalKey(number("Demand as a share of capacity, where it is a part of it"))
}).annotate({ identifier: "BriefDivergence", description: "Capacity against demand of one network" })
export interface Divergence extends Schema.Schema.Type<typeof Divergence> {}

export const Stalled = Schema.Struct({
  plugin: text("Collector that still gets answers"),
  symbol,
  source: text("Label of the upstream feed"),
  n_series: count("Series of the network in this feed that stopped"),
  newest: said(Figure, "The newest of their values"),
  age_hours: number("Age of that value at the cut-off"),
  last_answered: text("When the upstream last answered before the cut-off")
}).annotate({ identifier: "BriefStalled", description: "A feed that answers and has nothing new" })
export interface Stalled extends Schema.Schema.Type<typeof Stalled> {}

export const Unchanged = Schema.Struct({
  symbol,
  figure: Figure,
  days: count("Days in a row with exactly this value")
}).annotate({ identifier: "BriefUnchanged", description: "A large figure that did not move for days" })
export interface Unchanged extends Schema.Schema.Type<typeof Unchanged> {}

export const OnChain = Schema.Struct({
  symbol,
  measured: said(Figure, "Supply as the chain itself gives it"),
  reported: said(Schema.NullOr(Figure), "Supply as a market feed reports it"),
  difference_pct: said(Schema.NullOr(Schema.Finite), "Reported over measured, less 100 percent")
}).annotate({ identifier: "BriefOnChain", description: "A supply that was read on chain" })
export interface OnChain extends Schema.Schema.Type<typeof OnChain> {}

export const Readable = Schema.Struct({
  symbol,
  chain: text("Chain of the token"),
  contract: text("Contract whose totalSupply anyone can read"),
  reported: said(Figure, "Supply as a market feed reports it")
}).annotate({ identifier: "BriefReadable", description: "A supply that can be read at a contract" })
export interface Readable extends Schema.Schema.Type<typeof Readable> {}

export const Flow = Schema.Struct({
  symbol,
  balance: said(Pair, "Tokens in labelled wallets of exchanges: a part of what exchanges hold"),
  wallets: count("Labelled wallets in both readings"),
  flow_tokens: number("Tokens that came in (or went, below 0) over the week")
}).annotate({ identifier: "BriefFlow", description: "Movement of labelled exchange wallets" })
export interface Flow extends Schema.Schema.Type<typeof Flow> {}

export const Concentration = Schema.Struct({
  symbol,
  top_holder: said(Figure, "Balance of the largest account: often a vault, a bridge or an exchange"),
  circulating: said(Figure, "Circulating supply"),
  share_pct: number("The first as a share of the second")
}).annotate({ identifier: "BriefConcentration", description: "What the largest account holds" })
export interface Concentration extends Schema.Schema.Type<typeof Concentration> {}

export const Mover = Schema.Struct({ symbol, supply: Pair }).annotate({
  identifier: "BriefMover",
  description: "A first-party figure that moved over the week"
})
export interface Mover extends Schema.Schema.Type<typeof Mover> {}

export const BriefDocument = Schema.Struct({
  v: text("`service-brief-v1`, in the demo `service-brief-v1-demo`"),
  date: text("The Monday of the edition"),
  cut_off: text("08:00 UTC of that day: only values of batches closed for days before it are in here"),
  days: said(Schema.Array(Schema.String), "First and last day of the week that is told of"),
  method: text("How the figures are chosen"),
  capacity_and_demand: Schema.Struct({
    rows: said(Schema.Array(Divergence), "Widest divergence first"),
    withheld,
    missing
  }).annotate({ description: "Does capacity grow where demand does?" }),
  stopped_feeds: Schema.Struct({
    stalled: said(Schema.Array(Stalled), "Oldest value first"),
    unchanged: said(Schema.Array(Unchanged), "Figures of 1,000 or more that stood still all week")
  }).annotate({ description: "Feeds that answer but stopped updating" }),
  supply_verifiability: Schema.Struct({
    measured: said(Schema.Array(OnChain), "Read on chain by a collector"),
    readable: said(Schema.Array(Readable), "Not read here, but open to anyone at a contract"),
    reported_only: said(Schema.Array(Schema.String), "Networks whose supply is only what a market feed says"),
    missing
  }).annotate({ description: "Whose token supply can be checked on chain?" }),
  exchange_flows: Schema.Struct({
    inflows: said(Schema.Array(Flow), "The largest, by share of the balance before"),
    outflows: said(Schema.Array(Flow), "The largest, by share of the balance before"),
    missing
  }).annotate({ description: "Extremes of labelled exchange wallets" }),
  holder_concentration: Schema.Struct({
    rows: said(Schema.Array(Concentration), "Highest share first"),
    withheld,
    missing
  }).annotate({ description: "How much the largest account holds" }),
  supply_movers: Schema.Struct({
    up: said(Schema.Array(Mover), "Largest growth first; one figure a network"),
    down: said(Schema.Array(Mover), "Largest fall first; one figure a network"),
    withheld,
    missing
  }).annotate({ description: "First-party telemetry over seven days" }),
  simulated: Schema.optionalKey(said(Schema.Literal(true), "The demo's edition: nothing of it was measured"))
}).annotate({ identifier: "Brief", description: "The weekly brief" })
export interface BriefDocument extends Schema.Schema.Type<typeof BriefDocument> {}

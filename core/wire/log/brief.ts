/** The weekly brief as a document, with the provenance of each figure. */
import { Schema } from "effect"
import { Unit } from "../../plugin/Value.ts"
import { AnomalyRule } from "../data/anomalies.ts"

const described = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
const text = (description: string) => described(Schema.String, description)
const number = (description: string) => described(Schema.Finite, description)
const count = (description: string) => described(Schema.Natural, description)
const symbol = text("Ticker of the network")

export const Figure = Schema.Struct({
  metric: text("Name of the metric"),
  value: number("The value published for its day"),
  value_text: Schema.optionalKey(text("The exact number, present if a double may not represent it")),
  unit: Unit.annotate({ description: "Unit of the value" }),
  source: text("Label of the upstream feed"),
  as_of: text("When the value was true"),
  verify_url: text("Upstream URL where anyone can check it")
}).annotate({ identifier: "BriefFigure", description: "One published value with its provenance" })
export interface Figure extends Schema.Schema.Type<typeof Figure> {}

export const Earlier = Schema.Struct({
  value: number("The value published for its day"),
  value_text: Schema.optionalKey(text("The exact number, present if a double may not represent it")),
  as_of: text("When the value was true"),
  verify_url: Schema.optionalKey(
    text("Upstream URL where anyone can check it, if it is another than that of `now`")
  )
}).annotate({ identifier: "BriefEarlier", description: "An earlier value of the same series" })
export interface Earlier extends Schema.Schema.Type<typeof Earlier> {}

export const Pair = Schema.Struct({
  now: Figure,
  before: described(Schema.NullOr(Earlier), "The value about a week earlier; null if there is none"),
  change_pct: described(Schema.NullOr(Schema.Finite), "Change in percent; null if it cannot be computed")
}).annotate({ identifier: "BriefPair", description: "A value and the value a week earlier" })
export interface Pair extends Schema.Schema.Type<typeof Pair> {}

export const Missing = Schema.Struct({
  symbol,
  reason: text("What could not be measured, and why")
}).annotate({ identifier: "BriefMissing", description: "A gap of one network in the full edition" })
export interface Missing extends Schema.Schema.Type<typeof Missing> {}

export const Gap = Schema.Struct({
  reason: text("What could not be measured, and why"),
  n: count("How many networks it applies to"),
  examples: described(Schema.Array(Schema.String), "Up to three of them; `full_url` lists all")
}).annotate({ identifier: "BriefGap", description: "Gaps of a section with one reason" })
export interface Gap extends Schema.Schema.Type<typeof Gap> {}

const missing = described(
  Schema.Array(Gap),
  "Networks this section has no data for, the most frequent reason first"
)
const withheld = described(Schema.Array(Gap), "Rows left out as implausible, by reason")
const n = (what: string) => count(`${what} in the full edition`)

export const Divergence = Schema.Struct({
  symbol,
  what: text("What is compared"),
  capacity: Pair,
  demand: Pair,
  divergence_points: number("Change of capacity minus change of demand, in percentage points"),
  utilisation_pct: Schema.optionalKey(number("Demand as a share of capacity, where demand is a subset of it"))
}).annotate({ identifier: "BriefDivergence", description: "Capacity and demand of one network" })
export interface Divergence extends Schema.Schema.Type<typeof Divergence> {}

export const Stalled = Schema.Struct({
  plugin: text("Collector whose upstream still answers"),
  symbol,
  source: text("Label of the upstream feed"),
  n_series: count("Series of the network in this feed that stopped updating"),
  newest: described(Figure, "The newest of those values"),
  age_hours: number("Age of that value at the cut-off"),
  last_answered: text("When the upstream last answered before the cut-off")
}).annotate({ identifier: "BriefStalled", description: "A feed that answers but reports nothing new" })
export interface Stalled extends Schema.Schema.Type<typeof Stalled> {}

export const Unchanged = Schema.Struct({
  symbol,
  figure: Figure,
  days: count("Consecutive days with exactly this value")
}).annotate({ identifier: "BriefUnchanged", description: "A large figure that has not changed for days" })
export interface Unchanged extends Schema.Schema.Type<typeof Unchanged> {}

export const OnChain = Schema.Struct({
  symbol,
  measured: described(Figure, "Supply as read on chain"),
  reported: described(Schema.NullOr(Figure), "Supply as a market feed reports it"),
  difference_pct: described(Schema.NullOr(Schema.Finite), "Difference of reported from measured, in percent")
}).annotate({ identifier: "BriefOnChain", description: "A supply read on chain" })
export interface OnChain extends Schema.Schema.Type<typeof OnChain> {}

export const Readable = Schema.Struct({
  symbol,
  chain: text("Chain of the token"),
  contract: text("Contract whose totalSupply anyone can read"),
  reported: described(Figure, "Supply as a market feed reports it")
}).annotate({ identifier: "BriefReadable", description: "A supply anyone can read from a contract" })
export interface Readable extends Schema.Schema.Type<typeof Readable> {}

export const Flow = Schema.Struct({
  symbol,
  balance: described(Pair, "Tokens in labelled exchange wallets: a subset of exchange holdings"),
  wallets: count("Labelled wallets in both readings"),
  flow_tokens: number("Net tokens received over the week; negative if they left")
}).annotate({ identifier: "BriefFlow", description: "Movement of labelled exchange wallets" })
export interface Flow extends Schema.Schema.Type<typeof Flow> {}

export const Concentration = Schema.Struct({
  symbol,
  top_holder: described(Figure, "Balance of the largest account: often a vault, a bridge or an exchange"),
  circulating: described(Figure, "Circulating supply"),
  share_pct: number("`top_holder` as a percentage of `circulating`")
}).annotate({ identifier: "BriefConcentration", description: "Share held by the largest account" })
export interface Concentration extends Schema.Schema.Type<typeof Concentration> {}

export const Mover = Schema.Struct({ symbol, supply: Pair }).annotate({
  identifier: "BriefMover",
  description: "A first-party capacity that changed over the week"
})
export interface Mover extends Schema.Schema.Type<typeof Mover> {}

export const Unusual = Schema.Struct({
  symbol,
  figure: Figure,
  date: text("The closed day"),
  rule: AnomalyRule.annotate({ description: "Which rule; /method says what each is" }),
  score: number("As in /v1/anomalies"),
  low: number("Lower end of the range in which the value was expected"),
  high: number("Upper end"),
  why: text("The reason in one sentence, with its numbers")
}).annotate({ identifier: "BriefUnusual", description: "A value that a rule asks a reader to look at" })
export interface Unusual extends Schema.Schema.Type<typeof Unusual> {}

export const BriefDocument = Schema.Struct({
  v: text("`service-brief-v2`, in the demo `service-brief-v2-demo`"),
  date: text("The Monday of the edition"),
  cut_off: text("08:00 UTC of that day: only values from batches of earlier days are included"),
  days: described(Schema.Array(Schema.String), "First and last day of the week covered"),
  method: text("How the figures are chosen"),
  attest_url: text(
    "Path of the proof of a figure, with its symbol, metric, source, and the UTC day of its `as_of` as date"
  ),
  full_url: text(
    "Path of the full edition: every row, and every gap by network. Its SHA-256 is the end of the path"
  ),
  capacity_and_demand: Schema.Struct({
    rows: described(Schema.Array(Divergence), "Widest divergence first; at most five"),
    n_rows: n("Rows"),
    withheld,
    missing
  }).annotate({ description: "Whether capacity grows along with demand" }),
  stopped_feeds: Schema.Struct({
    stalled: described(Schema.Array(Stalled), "Oldest value first; at most five"),
    n_stalled: n("Stalled feeds"),
    unchanged: described(
      Schema.Array(Unchanged),
      "Capacities of 1,000 or more that did not change all week; at most five"
    ),
    n_unchanged: n("Unchanged capacities")
  }).annotate({ description: "Feeds that answer but stopped updating" }),
  supply_verifiability: Schema.Struct({
    measured: described(Schema.Array(OnChain), "Read on chain by a collector; at most five"),
    n_measured: n("Supplies read on chain"),
    readable: described(
      Schema.Array(Readable),
      "Not read here, but readable by anyone from a contract; at most five"
    ),
    n_readable: n("Supplies readable from a contract"),
    n_reported_only: n("Networks whose supply is only reported by a market feed"),
    missing
  }).annotate({ description: "Which token supplies can be verified on chain" }),
  exchange_flows: Schema.Struct({
    inflows: described(Schema.Array(Flow), "Largest first, as a share of the earlier balance; at most five"),
    n_inflows: n("Inflows"),
    outflows: described(Schema.Array(Flow), "Largest first, as a share of the earlier balance; at most five"),
    n_outflows: n("Outflows"),
    missing
  }).annotate({ description: "Largest movements of labelled exchange wallets" }),
  holder_concentration: Schema.Struct({
    rows: described(Schema.Array(Concentration), "Highest share first; at most five"),
    n_rows: n("Rows"),
    withheld,
    missing
  }).annotate({ description: "Share held by each network's largest account" }),
  supply_movers: Schema.Struct({
    up: described(Schema.Array(Mover), "Largest growth first; one capacity per network, at most five"),
    n_up: n("Networks that grew"),
    down: described(Schema.Array(Mover), "Largest decline first; one capacity per network, at most five"),
    n_down: n("Networks that shrank"),
    withheld,
    missing
  }).annotate({ description: "First-party capacity over seven days" }),
  unusual_values: Schema.optionalKey(
    Schema.Struct({
      rows: described(Schema.Array(Unusual), "Largest score first; at most five"),
      n_rows: n("Unusual values")
    }).annotate({
      description:
        "Values of the week that a rule of /v1/anomalies finds unusual. Absent if the week had not been judged when the edition was written, or if the edition was late."
    })
  ),
  left_out: Schema.optionalKey(
    described(
      Schema.Array(Gap),
      "Networks with series that no section reads, by reason; `unconfirmed`: nothing but its author had compared the feed with its upstream by the cut-off. Absent if there are none"
    )
  ),
  simulated: Schema.optionalKey(described(Schema.Literal(true), "A demo edition: none of it was measured"))
}).annotate({ identifier: "Brief", description: "The weekly brief" })
export interface BriefDocument extends Schema.Schema.Type<typeof BriefDocument> {}

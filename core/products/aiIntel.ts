/** `depin_ai_intel`: thesis, conviction, moat and risk of each network, by rules on measured values (spec 2.10). */
import { Effect, Schema } from "effect"
import { Category } from "../catalog/Catalog.ts"
import { described } from "../data/views/valueRow.ts"
import { devVelocityOf } from "./devVelocity.ts"
import { dilutionOf } from "./dilutionRisk.ts"
import {
  figure,
  head,
  heuristicRule,
  type Input,
  inputOf,
  inputs,
  liveRule,
  type Measured,
  missing,
  networks,
  readings,
  share,
  words
} from "./inputs.ts"
import { nodeQualityOf } from "./nodeQuality.ts"

const Citation = Schema.Struct({
  metric: described.metric,
  value: described.value,
  as_of: described.as_of,
  verify_url: described.verify_url
}).annotate({ identifier: "Citation", description: "A measured value that a statement rests on" })

const Statement = Schema.Struct({
  text: words("The statement"),
  cites: Schema.NonEmptyArray(Citation).annotate({ description: "The values it rests on: never none" })
}).annotate({ identifier: "Statement", description: "A statement and the values it rests on" })

const statements = (description: string) => Schema.Array(Statement).annotate({ description })

export const IntelRow = Schema.Struct({
  symbol: described.symbol,
  category: Category.annotate({ description: "What the network offers" }),
  thesis: statements("What speaks for activity"),
  moat: statements("What is hard to copy: size, holders, share of its category"),
  risk: statements("What speaks against it"),
  conviction: Schema.NullOr(Schema.Literals(["high", "medium", "low"])).annotate({
    description:
      "high: at least 2 more statements for than against; low: more against; null where an input is missing"
  }),
  evidence_share: share("Share of the rules whose inputs are measured"),
  market_share: share("Share of the category's measured market capitalisation"),
  balance: figure("Statements for less statements against"),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "IntelRow", description: "The analysis of one network" })
export interface IntelRow extends Schema.Schema.Type<typeof IntelRow> {}

export const AiIntel = Schema.Struct({
  ...head,
  author: Schema.Literal("rules").annotate({ description: "Who wrote the statements" }),
  networks: Schema.Array(IntelRow).annotate({
    description: "Networks with at least one statement, by symbol"
  })
}).annotate({ identifier: "AiIntel", description: "Analyses by network" })
export interface AiIntel extends Schema.Schema.Type<typeof AiIntel> {}

type Kind = "thesis" | "moat" | "risk"
interface Rule {
  readonly fields: ReadonlyArray<string>
  /** What is said, given the values of the fields in their order; undefined where the rule says nothing. */
  readonly says: (...values: ReadonlyArray<number>) => readonly [Kind, string] | undefined
}

const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 })

const rules: ReadonlyArray<Rule> = [
  {
    fields: ["dev_days_since_push"],
    says: (days = 0) =>
      days <= 14
        ? ["thesis", `Its repositories were pushed to ${number(days)} days ago.`]
        : days >= 90
          ? ["risk", `Nothing was pushed to its repositories for ${number(days)} days.`]
          : undefined
  },
  {
    fields: ["fees_30d_usd"],
    says: (fees = 0) =>
      fees > 0
        ? ["thesis", `It took ${number(fees)} US dollars of fees in 30 days.`]
        : ["risk", "It took no fees in 30 days."]
  },
  {
    fields: ["fees_7d_usd", "fees_30d_usd"],
    says: (week = 0, month = 0) =>
      month > 0 && week > (month * 7 * 1.2) / 30
        ? ["thesis", "Fees of the last 7 days run more than a fifth above the pace of 30 days."]
        : month > 0 && week < (month * 7 * 0.8) / 30
          ? ["risk", "Fees of the last 7 days run more than a fifth below the pace of 30 days."]
          : undefined
  },
  {
    fields: ["fully_diluted_valuation_usd", "market_cap_usd"],
    says: (fdv = 0, cap = 0) =>
      cap > 0 && fdv / cap >= 2
        ? ["risk", `The fully diluted valuation is ${number(fdv / cap)} times the market capitalisation.`]
        : cap > 0 && fdv / cap <= 1.1
          ? ["moat", "Nearly all tokens that may ever exist are in circulation."]
          : undefined
  },
  {
    fields: ["holders_count"],
    says: (holders = 0) =>
      holders >= 10_000 ? ["moat", `${number(holders)} addresses hold the token.`] : undefined
  },
  {
    fields: ["price_change_30d_pct"],
    says: (change = 0) =>
      change <= -25
        ? ["risk", `The price changed by ${number(change)} percent in 30 days.`]
        : change >= 25
          ? ["thesis", `The price changed by ${number(change)} percent in 30 days.`]
          : undefined
  },
  {
    fields: ["volume_24h_usd", "market_cap_usd"],
    says: (volume = 0, cap = 0) =>
      cap > 0 && volume / cap < 0.001
        ? ["risk", "Less than a thousandth of the market capitalisation was traded in a day."]
        : undefined
  }
]

const citationOf = ({ as_of, metric, value, verify_url }: Input) => ({ metric, value, as_of, verify_url })

/** The rows of what is cited; undefined where any is missing. */
const cited = (network: Measured, fields: ReadonlyArray<string>) => {
  const rows = fields.map((field) => network.of(field))
  return rows.every((row) => row !== undefined) ? rows.map(inputOf) : undefined
}

interface Said {
  readonly kind: Kind
  readonly text: string
  readonly on: ReadonlyArray<Input>
}

const analysis = (network: Measured, category: string, capOfCategory: number): IntelRow | undefined => {
  const said: Array<Said> = []
  const missing_fields = new Set<string>()
  let asked = 0
  for (const { fields, says } of rules) {
    const rows = cited(network, fields)
    if (rows === undefined) {
      for (const field of fields) if (network.of(field) === undefined) missing_fields.add(field)
      continue
    }
    asked++
    const found = says(...rows.map(({ value }) => value))
    if (found !== undefined) said.push({ kind: found[0], text: found[1], on: rows })
  }
  const nodes = nodeQualityOf(network)
  if (nodes !== undefined && nodes.active_ratio !== null) {
    const percent = `${number(100 * nodes.active_ratio)} percent of its nodes are active.`
    if (nodes.active_ratio >= 0.8) said.push({ kind: "thesis", text: percent, on: nodes.inputs })
    else if (nodes.active_ratio < 0.5) said.push({ kind: "risk", text: percent, on: nodes.inputs })
  }
  const cap = network.of("market_cap_usd")
  const market_share = cap === undefined || !(capOfCategory > 0) ? null : cap.row.value / capOfCategory
  if (cap !== undefined && market_share !== null && market_share >= 0.2) {
    const text = `It has ${number(100 * market_share)} percent of the measured market of its category.`
    said.push({ kind: "moat", text, on: [inputOf(cap)] })
  }
  const of = (kind: Kind) =>
    said.flatMap((statement) => {
      const [first, ...others] = statement.on.map(citationOf)
      // A statement that cites nothing is none.
      return statement.kind === kind && first !== undefined
        ? [{ text: statement.text, cites: [first, ...others] as const }]
        : []
    })
  const [thesis, moat, risk] = [of("thesis"), of("moat"), of("risk")]
  if (thesis.length + moat.length + risk.length === 0) return undefined
  const balance = thesis.length + moat.length - risk.length
  const used = new Map(said.flatMap(({ on }) => on.map((input) => [input.metric, input] as const)))
  const whole =
    dilutionOf(network)?.missing_fields.length === 0 && devVelocityOf(network)?.status !== undefined
  return {
    symbol: network.symbol,
    category: category as IntelRow["category"],
    thesis,
    moat,
    risk,
    conviction:
      missing_fields.size > 0 && !whole ? null : balance >= 2 ? "high" : balance < 0 ? "low" : "medium",
    evidence_share: asked / rules.length,
    market_share,
    balance,
    missing_fields: [...missing_fields],
    inputs: [...used.values()]
  }
}

export const aiIntel = Effect.map(readings, ({ generated_utc, measured }): AiIntel => {
  const caps = new Map<string, number>()
  for (const { category, symbol } of networks) {
    const cap = measured(symbol).of("market_cap_usd")?.row.value ?? 0
    caps.set(category, (caps.get(category) ?? 0) + cap)
  }
  return {
    generated_utc,
    author: "rules",
    networks: networks.flatMap(
      ({ category, symbol }) => analysis(measured(symbol), category, caps.get(category) ?? 0) ?? []
    ),
    methodology: {
      formula:
        "balance = statements of thesis and moat - statements of risk; each statement follows from one rule",
      fields: [...new Set(rules.flatMap(({ fields }) => fields))],
      rules: [
        "A rule speaks only where all its inputs are measured, and cites them; a statement that cites nothing is dropped.",
        "conviction: high from a balance of 2, low below 0, else medium; null where an input of a rule is not measured, unless dilution and repositories both are.",
        "Bounds: push 14 and 90 days; pace of fees a fifth; FDV/MC 1.1 and 2; 10,000 holders; price 25 percent; active nodes 80 and 50 percent; share 20 percent; turnover a thousandth.",
        "Measurements in words: no investment advice.",
        liveRule,
        heuristicRule
      ]
    }
  }
})

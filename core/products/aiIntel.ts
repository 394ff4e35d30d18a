/**
 * `depin_ai_intel`: thesis, conviction, moat and risk of each network. Statements are by rules on measured
 * values, or by a language model where the operator configured one; conviction is always by the rules.
 */
import { Effect } from "effect"
import { staticAge } from "../data/read/freshness.ts"
import type { AiIntel, IntelRow } from "../wire/products/aiIntel.ts"
import type { Input } from "../wire/products/payload.ts"
import { Analyst, type Kind, type Said } from "./analyst.ts"
import { heuristicRule, inputOf, liveRule, type Measured, networks, readings } from "./inputs.ts"
import { nodeQualityOf } from "./nodeQuality.ts"

/**
 * Inputs of the rules that are weighed into the balance: what is measured of nearly every traded network, so that all
 * are judged by the same. Pushes, fees and holders are measured of few, and a score needs all of its inputs.
 */
const weighed = ["fully_diluted_valuation_usd", "market_cap_usd", "price_change_30d_pct", "volume_24h_usd"]

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

/** What is said on these inputs; a statement that cites nothing is none. */
const saying = (kind: Kind, text: string, [first, ...others]: ReadonlyArray<Input>): ReadonlyArray<Said> =>
  first === undefined ? [] : [{ kind, text, on: [first, ...others] }]

/** What the rules say of a network. */
const byRules = (network: Measured, market_share: number | null) => {
  const said: Array<Said> = []
  const missing_fields = new Set<string>()
  let asked = 0
  let balance = 0
  for (const { fields, says } of rules) {
    const rows = cited(network, fields)
    if (rows === undefined) {
      for (const field of fields) if (network.of(field) === undefined) missing_fields.add(field)
      continue
    }
    asked++
    const [kind, text] = says(...rows.map(({ value }) => value)) ?? []
    if (kind === undefined || text === undefined) continue
    said.push(...saying(kind, text, rows))
    if (fields.every((field) => weighed.includes(field))) balance += kind === "risk" ? -1 : 1
  }
  const nodes = nodeQualityOf(network)
  if (nodes !== undefined && nodes.active_ratio !== null) {
    const percent = `${number(100 * nodes.active_ratio)} percent of its nodes are active.`
    if (nodes.active_ratio >= 0.8) said.push(...saying("thesis", percent, nodes.inputs))
    else if (nodes.active_ratio < 0.5) said.push(...saying("risk", percent, nodes.inputs))
  }
  const cap = network.of("market_cap_usd")
  if (cap !== undefined && market_share !== null && market_share >= 0.2) {
    const text = `It has ${number(100 * market_share)} percent of the measured market of its category.`
    said.push(...saying("moat", text, [inputOf(cap)]))
  }
  return {
    said,
    missing_fields: [...missing_fields],
    evidence_share: asked / rules.length,
    balance: weighed.every((field) => !missing_fields.has(field)) ? balance : null
  }
}

const analysis = (
  network: Measured,
  category: IntelRow["category"],
  capOfCategory: number,
  written: ReadonlyArray<Said> | undefined
): IntelRow | undefined => {
  const cap = network.of("market_cap_usd")
  const market_share = cap === undefined || !(capOfCategory > 0) ? null : cap.row.value / capOfCategory
  const ruled = byRules(network, market_share)
  const byModel = written !== undefined && written.length > 0
  const said = byModel ? written : ruled.said
  if (said.length === 0) return undefined
  const of = (kind: Kind) =>
    said.flatMap(({ kind: its, on: [first, ...others], text }) =>
      its === kind ? [{ text, cites: [citationOf(first), ...others.map(citationOf)] as const }] : []
    )
  const { balance, evidence_share, missing_fields } = ruled
  return {
    symbol: network.symbol,
    author: byModel ? "language_model" : "rules",
    category,
    thesis: of("thesis"),
    moat: of("moat"),
    risk: of("risk"),
    conviction: balance === null ? null : balance >= 2 ? "high" : balance < 0 ? "low" : "medium",
    evidence_share,
    market_share,
    balance,
    missing_fields,
    inputs: [...new Map(said.flatMap(({ on }) => on.map((input) => [input.metric, input] as const))).values()]
  }
}

export const aiIntel = Effect.gen(function* () {
  const { at, generated_utc, measured } = yield* readings
  const analyst = yield* Analyst
  const written = analyst === null ? undefined : yield* analyst
  const caps = new Map<string, number>()
  for (const { category, symbol } of networks) {
    const cap = measured(symbol).of("market_cap_usd")?.row.value ?? 0
    caps.set(category, (caps.get(category) ?? 0) + cap)
  }
  return {
    generated_utc,
    author: written === undefined ? "rules" : "language_model",
    networks: networks.flatMap(({ category, symbol }) => {
      const network = measured(symbol)
      // What a model wrote counts no longer than the values it cites.
      const standing = written
        ?.get(symbol)
        ?.filter(({ on }) =>
          on.every(
            ({ as_of, metric }) => network.of(metric) !== undefined && at - Date.parse(as_of) < staticAge
          )
        )
      return analysis(network, category, caps.get(category) ?? 0, standing) ?? []
    }),
    methodology: {
      formula:
        "balance = statements of thesis and moat - statements of risk, of the rules whose inputs are all weighed",
      fields: [...new Set(rules.flatMap(({ fields }) => fields))],
      rules: [
        "A rule speaks only where all its inputs are measured, and cites them; a statement that cites nothing is dropped.",
        `weighed: ${weighed.join(", ")}; where one of them is not measured, balance and conviction are null.`,
        "Pushes, fees, holders and active nodes are measured of few networks: they speak, and are not weighed.",
        "conviction: high from a balance of 2, low below 0, else medium.",
        "evidence_share: of the seven rules on fields; active nodes and the share of the category speak beside them.",
        "Bounds: push 14 and 90 days; pace of fees a fifth; FDV/MC 1.1 and 2; 10,000 holders; price 25 percent; active nodes 80 and 50 percent; share 20 percent; turnover a thousandth.",
        ...(written === undefined
          ? []
          : [
              "language_model: shown the measured values of one network once a day; a statement stays only where it cites values that were shown, every number in it is one of those it cites, and it gives no advice. Its cites are the values as they were shown."
            ]),
        "Measurements in words: no investment advice.",
        liveRule,
        heuristicRule
      ]
    }
  } satisfies AiIntel
})

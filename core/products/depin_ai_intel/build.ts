/**
 * `depin_ai_intel`: thesis, conviction, moat and risk for each network. Rules on measured values write the statements, or
 * a language model if the operator configured one. The rules always decide conviction.
 */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { staticAge } from "../../readings/read/freshness.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import type { Input } from "../../wire/products/payload.ts"
import { sold } from "../build.ts"
import { nodeQualityOf } from "../node_quality_score/build.ts"
import { Analyst, type Kind, type Statement } from "../shared/analyst.ts"
import { ofAnalyses } from "../shared/coverage.ts"
import {
  depinRule,
  heuristicRule,
  inputOf,
  leftOut,
  liveRule,
  type Measured,
  networks,
  readings
} from "../shared/inputs.ts"
import { type AspectStatement, aspectFields, aspectRules, aspects, aspectsOf } from "./aspects.ts"
import definition, { type AiIntel, type IntelRow } from "./definition.ts"

/**
 * Inputs of the rules that count towards the balance: figures measured for nearly every traded network, so all networks
 * are judged alike. Pushes, fees and holders are measured for too few.
 */
const weighed = ["fully_diluted_valuation_usd", "market_cap_usd", "price_change_30d_pct", "volume_24h_usd"]

interface Rule {
  readonly fields: ReadonlyArray<string>
  /** The statement for these field values, in order; undefined if the rule does not apply. */
  readonly says: (...values: ReadonlyArray<number>) => readonly [Kind, string] | undefined
}

const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 2 })

const rules: ReadonlyArray<Rule> = [
  {
    fields: ["dev_days_since_push"],
    says: (days = 0) =>
      days <= 14
        ? ["thesis", `The last push to its repositories was ${number(days)} days ago.`]
        : days >= 90
          ? ["risk", `Its repositories have had no push for ${number(days)} days.`]
          : undefined
  },
  {
    fields: ["fees_30d_usd"],
    says: (fees = 0) =>
      fees > 0
        ? ["thesis", `It collected ${number(fees)} US dollars in fees over 30 days.`]
        : ["risk", "It collected no fees over 30 days."]
  },
  {
    fields: ["fees_7d_usd", "fees_30d_usd"],
    says: (week = 0, month = 0) =>
      month > 0 && week > (month * 7 * 1.2) / 30
        ? ["thesis", "Fees over the last 7 days are more than a fifth above the 30-day pace."]
        : month > 0 && week < (month * 7 * 0.8) / 30
          ? ["risk", "Fees over the last 7 days are more than a fifth below the 30-day pace."]
          : undefined
  },
  {
    fields: ["fully_diluted_valuation_usd", "market_cap_usd"],
    says: (fdv = 0, cap = 0) =>
      cap > 0 && fdv / cap >= 2
        ? ["risk", `The fully diluted valuation is ${number(fdv / cap)} times the market capitalisation.`]
        : cap > 0 && fdv / cap <= 1.1
          ? ["moat", "Nearly all tokens that can ever exist are in circulation."]
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
        ? ["risk", `The price changed by ${number(change)} percent over 30 days.`]
        : change >= 25
          ? ["thesis", `The price changed by ${number(change)} percent over 30 days.`]
          : undefined
  },
  {
    fields: ["volume_24h_usd", "market_cap_usd"],
    says: (volume = 0, cap = 0) =>
      cap > 0 && volume / cap < 0.001
        ? ["risk", "Less than a thousandth of the market capitalisation was traded in one day."]
        : undefined
  }
]

const ruleFields = rules.flatMap(({ fields }) => fields)

const citationOf = ({ as_of, metric, value, verify_url }: Input) => ({ metric, value, as_of, verify_url })

/** The inputs a rule cites; undefined if any is missing. */
const cited = (network: Measured, fields: ReadonlyArray<string>) => {
  const rows = fields.map((field) => network.of(field))
  return rows.every((row) => row !== undefined) ? rows.map(inputOf) : undefined
}

/** The statement about these inputs; dropped if it cites nothing. */
const statementOf = (
  kind: Kind,
  text: string,
  [first, ...others]: ReadonlyArray<Input>
): ReadonlyArray<Statement> => (first === undefined ? [] : [{ kind, text, on: [first, ...others] }])

/** The rules' statements about a network. */
const byRules = (network: Measured, market_share: number | null) => {
  const statements: Array<Statement> = []
  const missing_fields = new Set<string>()
  let evaluated = 0
  let balance = 0
  for (const { fields, says } of rules) {
    const rows = cited(network, fields)
    if (rows === undefined) {
      for (const field of fields) if (network.of(field) === undefined) missing_fields.add(field)
      continue
    }
    evaluated++
    const [kind, text] = says(...rows.map(({ value }) => value)) ?? []
    if (kind === undefined || text === undefined) continue
    statements.push(...statementOf(kind, text, rows))
    if (fields.every((field) => weighed.includes(field))) balance += kind === "risk" ? -1 : 1
  }
  const nodes = nodeQualityOf(network)
  if (nodes !== undefined && nodes.active_ratio !== null) {
    const percent = `${number(100 * nodes.active_ratio)} percent of its nodes are active.`
    if (nodes.active_ratio >= 0.8) statements.push(...statementOf("thesis", percent, nodes.inputs))
    else if (nodes.active_ratio < 0.5) statements.push(...statementOf("risk", percent, nodes.inputs))
  }
  const cap = network.of("market_cap_usd")
  if (cap !== undefined && market_share !== null && market_share >= 0.2) {
    const text = `It has ${number(100 * market_share)} percent of its category's measured market.`
    statements.push(...statementOf("moat", text, [inputOf(cap)]))
  }
  return {
    statements,
    missing_fields: [...missing_fields],
    evidence_share: evaluated / rules.length,
    balance: weighed.every((field) => !missing_fields.has(field)) ? balance : null
  }
}

const analysis = (
  network: Measured,
  category: IntelRow["category"],
  capOfCategory: number,
  written: ReadonlyArray<Statement> | undefined,
  aspectStatements: ReadonlyArray<AspectStatement>
): IntelRow | undefined => {
  const cap = network.of("market_cap_usd")
  const market_share = cap === undefined || !(capOfCategory > 0) ? null : cap.row.value / capOfCategory
  const ruled = byRules(network, market_share)
  const byModel = written !== undefined && written.length > 0
  const statements = byModel ? written : ruled.statements
  if (statements.length === 0 && aspectStatements.length === 0) return undefined
  const of = (kind: Kind) => [
    ...statements.flatMap(({ kind: its, on: [first, ...others], text }) =>
      its === kind ? [{ text, cites: [citationOf(first), ...others.map(citationOf)] as const }] : []
    ),
    ...aspectStatements.flatMap(({ aspect, cites, kind: its, text }) =>
      its === kind ? [{ aspect, text, cites }] : []
    )
  ]
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
    missing_aspects: aspects.filter((aspect) => aspectStatements.every((one) => one.aspect !== aspect)),
    inputs: [
      ...new Map(
        [...statements.flatMap(({ on }) => on), ...aspectStatements.flatMap(({ inputs }) => inputs)].map(
          (input) => [input.metric, input] as const
        )
      ).values()
    ]
  }
}

export const aiIntel = Effect.gen(function* () {
  const current = yield* readings
  const { at, generated_utc, measured } = current
  const foundOf = yield* aspectsOf
  const analyst = yield* Analyst
  if (analyst !== null && (yield* DataClock.knownAt) !== undefined) {
    return yield* new BadParameter({
      field: "as_known_at",
      message:
        "as_known_at is not valid here: a language model writes the statements, and earlier ones are not kept."
    })
  }
  const written = analyst === null ? undefined : yield* analyst
  const caps = new Map<string, number>()
  for (const { category, symbol } of networks) {
    const cap = measured(symbol).of("market_cap_usd")?.row.value ?? 0
    caps.set(category, (caps.get(category) ?? 0) + cap)
  }
  return {
    generated_utc,
    ...leftOut(current, [...ruleFields, ...aspectFields]),
    author: written === undefined ? "rules" : "language_model",
    networks: networks.flatMap(({ category, symbol }) => {
      const network = measured(symbol)
      // What a model wrote counts no longer than the values it cites.
      const current = written
        ?.get(symbol)
        ?.filter(({ on }) =>
          on.every(
            ({ as_of, metric }) => network.of(metric) !== undefined && at - Date.parse(as_of) < staticAge
          )
        )
      return analysis(network, category, caps.get(category) ?? 0, current, foundOf(network)) ?? []
    }),
    methodology: {
      formula:
        "balance = thesis and moat statements - risk statements, counting only rules with weighted inputs",
      fields: [...new Set([...ruleFields, ...aspectFields])],
      rules: [
        "A rule applies only if all its inputs are measured, and its statement cites them. A statement without citations is dropped.",
        `Weighted inputs: ${weighed.join(", ")}. If any is not measured, balance and conviction are null.`,
        "Pushes, fees, holders and active nodes are measured for few networks: their statements appear but do not count towards the balance.",
        "conviction: high for a balance of 2 or more, low below 0, otherwise medium.",
        "evidence_share covers the seven rules on fields, not the statements about active nodes, category share and aspects.",
        "Thresholds: push 14 and 90 days; fee pace one fifth; FDV/MC 1.1 and 2; 10,000 holders; price 25 percent; active nodes 80 and 50 percent; category share 20 percent; turnover one thousandth.",
        ...aspectRules,
        ...(written === undefined
          ? []
          : [
              "language_model: sees the measured values of one network once a day. A statement is kept only if it cites values the model saw, every number in it is one it cites, and it gives no advice. cites lists the values as the model saw them."
            ]),
        "Measurements in words, not investment advice.",
        depinRule,
        liveRule,
        heuristicRule
      ]
    }
  } satisfies AiIntel
})

export default {
  sale: sold(definition, () => aiIntel, {
    covers: ofAnalyses,
    holds: ({ networks }) => networks.length > 0
  })
}

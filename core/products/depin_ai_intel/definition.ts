/** `depin_ai_intel`: thesis, conviction, moat and risk for each network. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, inputs, missing, share, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const Citation = Schema.Struct({
  metric: described.metric,
  value: described.value,
  as_of: described.as_of,
  verify_url: described.verify_url,
  proof: Schema.optionalKey(textField("For the value of a closed day: the path of its proof"))
}).annotate({ identifier: "Citation", description: "A measured value that supports a statement" })
export interface Citation extends Schema.Schema.Type<typeof Citation> {}

export const Aspect = Schema.Literals([
  "growth",
  "utilisation",
  "concentration",
  "revenue",
  "development",
  "trading"
])
export type Aspect = typeof Aspect.Type

const Statement = Schema.Struct({
  aspect: Schema.optionalKey(
    Aspect.annotate({
      description:
        "What it is about, if rules made it from the network's own series, whoever wrote the others"
    })
  ),
  text: textField("The statement"),
  cites: Schema.NonEmptyArray(Citation).annotate({ description: "The values that support it; never empty" })
}).annotate({ identifier: "SupportedStatement", description: "A statement and the values that support it" })

const statements = (description: string) => Schema.Array(Statement).annotate({ description })

const Author = Schema.Literals(["rules", "language_model"])

export const IntelRow = Schema.Struct({
  symbol: described.symbol,
  author: Author.annotate({ description: "Who wrote the statements of this network" }),
  category: Category.annotate({ description: "What the network offers" }),
  thesis: statements("Evidence of activity"),
  moat: statements("What is hard to copy: size, holders, share of its category"),
  risk: statements("Evidence against it"),
  conviction: Schema.NullOr(Schema.Literals(["high", "medium", "low"])).annotate({
    description: "high: balance of 2 or more; medium: 0 or 1; low: below 0; null if the balance is null"
  }),
  evidence_share: share("Share of the rules whose inputs are measured"),
  market_share: share("Share of the category's measured market capitalisation"),
  balance: figure("Weighted statements in favour minus those against; null if an input is missing"),
  missing_fields: missing,
  missing_aspects: Schema.Array(Aspect).annotate({
    description: "Aspects for which the network has no series"
  }),
  inputs
}).annotate({ identifier: "IntelRow", description: "The analysis of one network" })
export interface IntelRow extends Schema.Schema.Type<typeof IntelRow> {}

export const AiIntel = Schema.Struct({
  ...head,
  author: Author.annotate({
    description:
      "`language_model` if the operator configured one; `rules` still covers networks the model wrote nothing about"
  }),
  networks: Schema.Array(IntelRow).annotate({
    description: "Networks with at least one statement, by symbol"
  })
}).annotate({ identifier: "AiIntel", description: "Analyses by network" })
export interface AiIntel extends Schema.Schema.Type<typeof AiIntel> {}

export default define({
  key: "depin_ai_intel",
  title: "DePIN AI intel",
  schema: AiIntel,
  sale: {
    content: "Per-network analyses: thesis, conviction, moat, risk",
    free: "Free: each figure that they cite at /v1/network/{symbol}. Sold: the statements.",
    price: "14.99",
    written: true
  }
})

/** What a search answers with: series that its words describe, each with its latest value. */
import { Schema } from "effect"
import { ValueRow } from "./valueRow.ts"

/** The most answers of a search. */
export const mostAnswers = 20

export const SearchAnswer = Schema.Struct({
  ...ValueRow.fields,
  name: Schema.String.annotate({ description: "Name of the network, or what the feed is about" }),
  meaning: Schema.String.annotate({ description: "What is measured, and how" })
}).annotate({
  identifier: "SearchAnswer",
  description: "The latest value of a series that the words of a query describe"
})
export interface SearchAnswer extends Schema.Schema.Type<typeof SearchAnswer> {}

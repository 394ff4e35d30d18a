/** What whoever publishes a value again needs to know of its source. */
import { Schema } from "effect"

export const rights = {
  licence: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Licence of the source: an SPDX identifier, `proprietary`, or `unknown` where its terms name none; absent: nobody has read them. /v1/data-dictionary has the terms"
    })
  ),
  attribution: Schema.optionalKey(
    Schema.String.annotate({ description: "The words that credit the source" })
  ),
  source_method: Schema.optionalKey(
    Schema.String.annotate({
      description: "Of an aggregator: whose method its figures follow"
    })
  )
}

export const Rights = Schema.Struct(rights).annotate({
  identifier: "Rights",
  description: "Licence of a source, and the words that credit it"
})
export interface Rights extends Schema.Schema.Type<typeof Rights> {}

/** `/v1/changes`: the largest changes of a day. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { head, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const ChangeRow = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  unit: Schema.String.annotate({ description: "Unit of the values" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  from_date: Schema.String.annotate({ format: "date", description: "The earlier day" }),
  to_date: Schema.String.annotate({ format: "date", description: "The later day" }),
  open: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "`to_date` is not closed yet, so `to_value` can still change"
    })
  ),
  from_value: Schema.Finite.annotate({ description: "Last accepted reading of the earlier day" }),
  to_value: Schema.Finite.annotate({ description: "Last accepted reading of the later day" }),
  change_pct: Schema.Finite.annotate({ description: "(to - from) / |from| in percent" })
}).annotate({ identifier: "ChangeRow", description: "One series" })
export interface ChangeRow extends Schema.Schema.Type<typeof ChangeRow> {}

/** A safety limit on the rows of one answer, above what today's feeds can produce. */
export const mostChanges = 5000

export const Changes = Schema.Struct({
  ...head,
  n_compared: natural("Series with a reading on both days"),
  n_left_out: natural(`Smaller changes left out of the rows; 0 if there are at most ${mostChanges}`),
  changes: Schema.Array(ChangeRow).annotate({ description: "Largest changes first" })
}).annotate({ identifier: "Changes", description: "The largest changes" })
export interface Changes extends Schema.Schema.Type<typeof Changes> {}

export default define({
  key: "changes",
  title: "Changes",
  schema: Changes,
  view: {
    path: "/v1/changes",
    title: "Largest changes",
    capability: "cross_network",
    section: "Comparisons"
  }
})

/** What one run of one plugin against the real world showed. */
import { Schema } from "effect"
import { Refusal } from "../../../core/plugin/Plugin.ts"

const Texts = Schema.Array(Schema.String)

/** A value far from what its series was before. */
const Outside = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  value: Schema.Finite,
  /** The lowest and the highest of the last known values. */
  low: Schema.Finite,
  high: Schema.Finite
})

export const Probed = Schema.Struct({
  plugin: Schema.String,
  /** ISO 8601 UTC: when the run began. */
  at: Schema.String,
  /** True if local programs stood in for upstreams (`UPSTREAM_MAP`). */
  mapped: Schema.Boolean,
  /**
   * `reached`: it gave rows, and nothing was refused. `partly`: it gave rows, but readings were refused. `failed`: it gave no
   * rows. `needs_key`: it did not run.
   */
  outcome: Schema.Literals(["reached", "partly", "failed", "needs_key"]),
  /** Why it failed or did not run. */
  error: Schema.optionalKey(Schema.Struct({ tag: Schema.String, message: Schema.String })),
  /** Why it is off unless an operator enables it. */
  disabled: Schema.NullOr(Schema.String),
  hosts: Schema.Array(
    Schema.Struct({
      host: Schema.String,
      /** How many answers had each status. */
      answers: Schema.Record(Schema.String, Schema.Int),
      /** Why requests got no answer. */
      unanswered: Texts
    })
  ),
  rows: Schema.Int,
  refused: Schema.Array(Refusal),
  /** Series of the case `ok` that the run neither gave nor refused: what a renamed member looks like. */
  absent: Texts,
  members: Schema.Struct({ added: Texts, missing: Texts, changed: Texts }),
  /** What answers broke of what they always held in the runs that a service accepted. */
  broken: Schema.optionalKey(Texts),
  /** How many rows belong to a series with known values. */
  compared: Schema.Int,
  outside: Schema.Array(Outside),
  /** What came of the proofs of chains, where they were asked for: that the values are proved, or why not. */
  proof: Schema.optionalKey(Texts),
  /** The case that it was recorded as. */
  captured: Schema.optionalKey(Schema.String)
})
export interface Probed extends Schema.Schema.Type<typeof Probed> {}

/** What a person should look at: it did not work, or gave something that would not be served or looks wrong. */
export const needsAttention = ({ absent, broken, members, outcome, outside }: Probed): boolean =>
  outcome === "failed" ||
  outcome === "partly" ||
  absent.length > 0 ||
  outside.length > 0 ||
  (broken ?? []).length > 0 ||
  members.changed.length > 0

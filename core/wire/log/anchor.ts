/** A checkpoint's Bitcoin timestamp. */
import { Schema } from "effect"

export const Anchor = Schema.Struct({
  state: Schema.Literals(["none", "pending", "confirmed", "final"]).annotate({
    description:
      "`none`: not stamped (see `reason`); `pending`: accepted by calendars; `confirmed`: in a Bitcoin block; `final`: six confirmations"
  }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why the state is `none`" })),
  checkpoint_size: Schema.optionalKey(
    Schema.Natural.annotate({ description: "Log size in the stamped checkpoint" })
  ),
  network: Schema.optionalKey(
    Schema.String.annotate({ description: "The chain; `bitcoin` except in tests" })
  ),
  stamped_at: Schema.optionalKey(
    Schema.String.annotate({ format: "date-time", description: "When calendars accepted it" })
  ),
  block_height: Schema.optionalKey(Schema.Natural.annotate({ description: "Height of the Bitcoin block" })),
  block_time: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description: "Time in the block header; Bitcoin's rules bound it to about two hours"
    })
  ),
  block_hash: Schema.optionalKey(
    Schema.String.annotate({ description: "Hash of the block, as explorers show it" })
  ),
  ots_url: Schema.optionalKey(
    Schema.String.annotate({
      description: "Path of the OpenTimestamps proof (.ots) of the stamped checkpoint"
    })
  )
}).annotate({ identifier: "Anchor", description: "A checkpoint's Bitcoin timestamp" })
export interface Anchor extends Schema.Schema.Type<typeof Anchor> {}

/** Where a checkpoint stands in Bitcoin. */
import { Schema } from "effect"

export const Anchor = Schema.Struct({
  state: Schema.Literals(["none", "pending", "confirmed", "final"]).annotate({
    description:
      "`none`: not stamped, `reason` says why; `pending`: calendars hold it; `confirmed`: a Bitcoin block holds it; `final`: six confirmations"
  }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why the state is `none`" })),
  checkpoint_size: Schema.optionalKey(
    Schema.Natural.annotate({ description: "Size of the log in the checkpoint that was stamped" })
  ),
  network: Schema.optionalKey(
    Schema.String.annotate({ description: "The chain, `bitcoin` outside of tests" })
  ),
  stamped_at: Schema.optionalKey(
    Schema.String.annotate({ format: "date-time", description: "When calendars took it" })
  ),
  block_height: Schema.optionalKey(
    Schema.Natural.annotate({ description: "Height of the block that holds it" })
  ),
  block_time: Schema.optionalKey(
    Schema.String.annotate({
      format: "date-time",
      description: "The block header's time, by Bitcoin's rules good to about two hours"
    })
  ),
  block_hash: Schema.optionalKey(
    Schema.String.annotate({ description: "Hash of that block, as explorers show it" })
  ),
  ots_url: Schema.optionalKey(
    Schema.String.annotate({
      description: "Path of the OpenTimestamps proof (.ots) of the stamped checkpoint"
    })
  )
}).annotate({ identifier: "Anchor", description: "Where a checkpoint stands in Bitcoin" })
export interface Anchor extends Schema.Schema.Type<typeof Anchor> {}

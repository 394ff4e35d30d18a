/** The port to hosts that keep copies of this log's files: the newest head that one holds is known of the log. */
import { Context, type Effect, type Option, Schema } from "effect"

/** A host did not give its head. The message says why. */
export class HostAway extends Schema.TaggedError<HostAway>()("HostAway", { message: Schema.String }) {}

export interface MirrorHost {
  /** For messages. */
  readonly name: string
  /** The checkpoint that it holds, not verified yet; none if it has none. */
  readonly latest: Effect.Effect<Option.Option<string>, HostAway>
}

/** None by default. */
export const MirrorHosts = Context.Reference<ReadonlyArray<MirrorHost>>("core/log/Mirrors/MirrorHosts", {
  defaultValue: () => []
})

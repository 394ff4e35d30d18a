/** The port to OpenTimestamps calendars: servers that take a digest and later show the block it went into. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Timestamp } from "../proof/ots/timestamp.ts"

/** A calendar gave no usable answer. */
export class CalendarTrouble extends Schema.TaggedError<CalendarTrouble>()("CalendarTrouble", {
  /** Address of the calendar. */
  calendar: Schema.String,
  /**
   * - `unreachable`: no answer, too slow, too large, or an error of the server; another time may do.
   * - `malformed`: an answer that is not of the protocol, or that names a calendar we do not trust.
   * - `refused`: its host is not among those that may be contacted.
   */
  kind: Schema.Literals(["unreachable", "malformed", "refused"]),
  message: Schema.String
}) {}

export class Calendars extends Context.Service<
  Calendars,
  {
    /** Where digests are handed in. */
    readonly addresses: ReadonlyArray<string>
    /** Hands a digest of 32 bytes to one of `addresses`: a timestamp from it to the calendar's promise. */
    readonly submit: (address: string, digest: Uint8Array) => Effect.Effect<Timestamp, CalendarTrouble>
    /**
     * Asks the calendar that promised (`uri` of a pending attestation) for what it has since: a timestamp from
     * `commitment` to a block. None while it has nothing, which a calendar also says of what it lost.
     */
    readonly upgrade: (
      uri: string,
      commitment: Uint8Array
    ) => Effect.Effect<Option.Option<Timestamp>, CalendarTrouble>
  }
>()("core/log/Calendars") {}

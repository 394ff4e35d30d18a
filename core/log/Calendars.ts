/** The port to OpenTimestamps calendars: servers that accept a digest and later prove which block contains it. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Timestamp } from "../proof/ots/timestamp.ts"

/** A calendar did not return a usable response. */
export class CalendarTrouble extends Schema.TaggedError<CalendarTrouble>()("CalendarTrouble", {
  /** The calendar's URL. */
  calendar: Schema.String,
  /**
   * - `unreachable`: no response, too slow, too large, or a server error; a retry may succeed.
   * - `malformed`: the response breaks the protocol or names an untrusted calendar.
   * - `refused`: its host may not be contacted.
   */
  kind: Schema.Literals(["unreachable", "malformed", "refused"]),
  message: Schema.String
}) {}

export class Calendars extends Context.Service<
  Calendars,
  {
    /** Calendars to submit digests to. */
    readonly addresses: ReadonlyArray<string>
    /** Submits a 32-byte digest to one of `addresses`; returns a timestamp ending in the calendar's promise. */
    readonly submit: (address: string, digest: Uint8Array) => Effect.Effect<Timestamp, CalendarTrouble>
    /**
     * Asks the promising calendar (`uri` of a pending attestation) for a timestamp from `commitment` to a block. None while
     * it has none; a calendar that lost a stamp says the same.
     */
    readonly upgrade: (
      uri: string,
      commitment: Uint8Array
    ) => Effect.Effect<Option.Option<Timestamp>, CalendarTrouble>
  }
>()("core/log/Calendars") {}

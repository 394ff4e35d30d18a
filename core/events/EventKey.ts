/** The key that signs events: the one that signs answers. The room that composes the service provides it. */
import { Context } from "effect"

export class EventKey extends Context.Service<
  EventKey,
  {
    /** The key in use at a time, epoch milliseconds of the wall clock. */
    readonly key: (at: number) => {
      readonly kid: string
      readonly sign: (message: Uint8Array) => Uint8Array
    }
  }
>()("core/events/EventKey") {}

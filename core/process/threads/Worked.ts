/** The processor time that an answer takes, on the event loop and in threads. */
import { Context } from "effect"

export interface Time {
  millis: number
}

/** That of the current answer. Threads add to it what they worked. */
export const Worked = Context.Reference<Time>("core/process/Worked", { defaultValue: () => ({ millis: 0 }) })

/** The port to observers: the logs of other operators, which publish values of the same series. */
import { Context, Data, type Effect } from "effect"
import type { UnreadObserver } from "../../proof/agreement.ts"
import type { Verifier } from "../../proof/checkpoint.ts"

/** Another operator's log could not be read, or does not hold. `why` is one line, without its name. */
export class ObserverTrouble extends Data.TaggedError("ObserverTrouble")<
  Pick<UnreadObserver, "state" | "why">
> {}

export interface Observer {
  /** Its name is the origin of the log that it signs. */
  readonly key: Verifier
  /** Where the service is, without a slash at the end. */
  readonly url: string
}

export class Observers extends Context.Service<
  Observers,
  {
    readonly all: ReadonlyArray<Observer>
    /** A file of the service by its path, at most `most` bytes, not verified; undefined where there is none. */
    readonly read: (
      observer: Observer,
      path: string,
      most: number
    ) => Effect.Effect<Uint8Array | undefined, ObserverTrouble>
  }
>()("core/log/observers/Observers") {}

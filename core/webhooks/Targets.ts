/** Where webhooks send to. The room that composes the service says how, and which addresses may be reached. */
import { Context, type Effect } from "effect"

/** What came of one attempt. */
export interface Attempt {
  /** Status of the answer; absent without one. */
  readonly status?: number
  /** Why there was no answer. */
  readonly error?: string
  /** The beginning of the answer's body, if it was asked for; it is shown to nobody. */
  readonly body?: string
}

export class Targets extends Context.Service<
  Targets,
  {
    /** Why an address can never be a target, as the end of a sentence about it; undefined for one that may be tried. */
    readonly refusal: (url: string) => string | undefined
    /** Sends once. The address that the host resolves to is checked each time, and redirects are not followed. */
    readonly post: (
      url: string,
      message: {
        readonly headers: Readonly<Record<string, string>>
        readonly body: string
        /** True: the body of the answer is read. */
        readonly reads?: boolean
      }
    ) => Effect.Effect<Attempt>
  }
>()("core/webhooks/Targets") {}

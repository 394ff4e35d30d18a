/** What the MCP room has to be told; `runtime` gives it. */
import { Context, type Effect, type Redacted } from "effect"

/** Who sent a request. */
export interface Sender {
  readonly key: Redacted.Redacted | undefined
  /** The originating network: what starter credits and calls without a key are counted by. */
  readonly network: string
}

export class Settings extends Context.Service<
  Settings,
  {
    /** Address under which clients reach the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** Origins of web pages that may call `/mcp` (`MCP_ORIGINS`), beside that of `baseUrl`. */
    readonly origins: ReadonlyArray<string>
    /** The originating network of a request. */
    readonly networkOf: (source: object) => string
    /** Counts calls beside the one that the request itself is; seconds to wait where they are too many. */
    readonly count: (sender: Sender, path: string, calls: number) => Effect.Effect<number | undefined>
  }
>()("mcp/Settings") {}

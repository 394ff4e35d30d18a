/** The settings of the MCP room, which `runtime` provides. */
import { Context, type Effect, type Redacted } from "effect"

/** Who sent a request. */
export interface Sender {
  readonly key: Redacted.Redacted | undefined
  /** The originating network, by which starter credits and calls without a key are counted. */
  readonly network: string
}

export class McpSettings extends Context.Service<
  McpSettings,
  {
    /** The public URL of the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** Origins of web pages that may call `/mcp` (`MCP_ORIGINS`), in addition to that of `baseUrl`. */
    readonly origins: ReadonlyArray<string>
    /** The originating network of a request. */
    readonly networkOf: (source: object) => string
    /** Counts calls in addition to the request itself; returns the seconds to wait if there are too many. */
    readonly count: (sender: Sender, path: string, calls: number) => Effect.Effect<number | undefined>
  }
>()("mcp/McpSettings") {}

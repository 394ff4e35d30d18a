/** What the MCP room has to be told; `runtime` gives it. */
import { Context } from "effect"

export class Settings extends Context.Service<
  Settings,
  {
    /** Address under which clients reach the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** Origins of web pages that may call `/mcp` (`MCP_ORIGINS`), beside that of `baseUrl`. */
    readonly origins: ReadonlyArray<string>
    /** The originating network of a request: what starter credits are counted by. */
    readonly networkOf: (source: object) => string
  }
>()("mcp/Settings") {}

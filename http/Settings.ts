/** What the HTTP room has to be told; `runtime` reads it from the environment. */
import { Context } from "effect"

export class Settings extends Context.Service<
  Settings,
  {
    /** Address under which clients reach the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** What `X-Service-Mode` says; the header is absent in live mode. */
    readonly mode: "live" | "replay" | "mapped"
    /** Proxies of ours in front of this process: how many entries of `X-Forwarded-For` to trust, from the right. */
    readonly trustProxy: number
    /** Folder for bodies that wait to be sent; what is in it when the service starts is removed. */
    readonly spoolFolder: string
  }
>()("http/Settings") {}

/** The authority that signatures name: host in lower case, the port where it is not the scheme's own. */
export const authorityOf = (baseUrl: string): string => new URL(baseUrl).host

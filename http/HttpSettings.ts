/** The settings of the HTTP room; `runtime` reads them from the environment. */
import { Context } from "effect"

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** The public URL of the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** The value of `X-Service-Mode`; the header is absent in live mode. */
    readonly mode: "live" | "replay" | "mapped"
    /** The number of our proxies in front: how many entries of `X-Forwarded-For` to trust, from the right. */
    readonly trustProxy: number
    /** True if `/metrics` answers callers of this machine and of private networks; it has a port of its own otherwise. */
    readonly metrics: boolean
    /** Folder for bodies that wait to be sent; emptied when the service starts. */
    readonly spoolFolder: string
    /** Folder for files that never change, in every coding; kept when the service starts again. */
    readonly filesFolder: string
  }
>()("http/HttpSettings") {}

/** The authority in signatures: host in lower case, and the port unless it is the default one. */
export const authorityOf = (baseUrl: string): string => new URL(baseUrl).host

/** The settings of the HTTP room; `runtime` reads them from the environment. */
import { Context } from "effect"
import type { KeyMode } from "../core/credits/keys/KeyMode.ts"

/** A service has the test service behind it, or is the test service, or has none. */
export type TestMode =
  | { readonly keys: Extract<KeyMode, "live">; readonly service?: URL }
  | { readonly keys: Extract<KeyMode, "test"> }

export class HttpSettings extends Context.Service<
  HttpSettings,
  {
    /** The public URL of the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** The value of `X-Service-Mode`; the header is absent in live mode. */
    readonly mode: "live" | "replay" | "mapped"
    /** Whether there is a test mode, and which side of it this service is. */
    readonly testMode: TestMode
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

/** A header of every answer of a test service, with the value `test`; lower case. */
export const modeHeader = "plumbline-mode"

/** Where the test service is, below the address of the service. */
export const testPath = "/test"

/** The public URL of the test service that this service has behind it; undefined if it has none. */
export const testUrlOf = ({ baseUrl, testMode }: Pick<HttpSettings["Service"], "baseUrl" | "testMode">) =>
  testMode.keys === "live" && testMode.service !== undefined ? `${baseUrl}${testPath}` : undefined

/** The public URL of the live service, whichever side this service is. */
export const liveUrlOf = ({
  baseUrl,
  testMode
}: Pick<HttpSettings["Service"], "baseUrl" | "testMode">): string =>
  testMode.keys === "test" && baseUrl.endsWith(testPath) ? baseUrl.slice(0, -testPath.length) : baseUrl

/** The path of the public URL, which the service is told of in its settings alone: "" or one such as `/test`. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, "")

/** In whose name offers and receipts are signed: the host, and the path below it if the public URL has one. */
export const placeOf = (baseUrl: string): string => `${authorityOf(baseUrl)}${basePathOf(baseUrl)}`

/** The authority in signatures: host in lower case, and the port unless it is the default one. */
export const authorityOf = (baseUrl: string): string => new URL(baseUrl).host

/** A typed client of a Plumbline service. It verifies the signature of every answer before it hands it out. */
import createFetchClient, { type Client } from "openapi-fetch"
import type { paths } from "../generated/api.ts"
import { cachingByEtag } from "./etags.ts"
import { type GetPath, type Init, type Page, pagesOf } from "./pages.ts"
import { type Pay, paying } from "./payment.ts"
import { type Retries, retrying } from "./retries.ts"
import { type SendRequest, type Verification, verifying } from "./verifying.ts"

export type { components, operations, paths } from "../generated/api.ts"
export { ServiceError } from "./pages.ts"
export type { Offer, Pay } from "./payment.ts"
export { type Check, ForgedAnswer, UnprovedAnswer } from "./verifying.ts"

export interface Options extends Verification, Retries {
  /** Where the service is, without a trailing slash. */
  readonly baseUrl: string
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string
  /** Pays for products per request (x402): gives the value of `PAYMENT-SIGNATURE` for an offer. */
  readonly pay?: Pay
  /** How many answers are kept for their ETag; 200 by default. */
  readonly kept?: number
  /** Sends a request; `fetch` by default. */
  readonly fetch?: SendRequest
}

/** What `data` is typed as: JSON, where an answer is also served as text (`parseAs: "text"`). */
type Json = `application/${string}json`

export interface Plumbline extends Client<paths, Json> {
  /** Every page of a list, one after the other. Throws `ServiceError` for a refusal. */
  readonly pages: <Path extends GetPath>(path: Path, init?: Init<Path>) => AsyncGenerator<Page<Path>, void>
}

/**
 * Makes a client. `GET` and `POST` are those of openapi-fetch: they give `data` or `error`, and throw `ForgedAnswer` for
 * an answer that does not verify.
 */
export const createClient = (options: Options): Plumbline => {
  const baseUrl = options.baseUrl.replace(/\/+$/, "")
  const send: SendRequest = options.fetch ?? ((request) => globalThis.fetch(request))
  const verified = verifying(baseUrl, options, send)
  const cached = cachingByEtag(options.kept ?? 200, verified)
  const client = createFetchClient<paths, Json>({
    baseUrl,
    // The service has no redirects, and a key must not follow one to another host.
    redirect: "error",
    headers: options.apiKey === undefined ? {} : { "X-API-Key": options.apiKey },
    fetch: paying(options.pay, retrying(options, cached))
  })
  return { ...client, pages: pagesOf(client) }
}

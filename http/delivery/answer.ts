/**
 * A response ready to send: encoded bytes and every header except the signatures. Made once per change of the data and
 * sent many times: whole, as HEAD, or as 304.
 */
import { createHash, hash } from "node:crypto"
import { type HttpSettings, modeHeader } from "../HttpSettings.ts"
import type { Coding } from "./coding.ts"

export interface ReadyResponse {
  readonly status: number
  readonly contentType: string | undefined
  /** SHA-256 of the body before content coding, lower-case hex. */
  readonly sha256: string
  readonly digest: string
  /** Encoded; empty for a response without content. */
  readonly bytes: Uint8Array
  /** A small body also as text, one character for each byte: it is sent with the head as one string, in one write. */
  readonly text: string | undefined
  /** Absent if a 304 cannot confirm the response. */
  readonly etag: string | undefined
  /** Name, value, name, value. */
  readonly headers: ReadonlyArray<string>
  /** The headers that a 304 carries. */
  readonly confirming: ReadonlyArray<string>
  /** `Cache-Control` as name and value, at a time of the wall clock; empty if `headers` has it. */
  readonly caching: (now: number) => ReadonlyArray<string>
}

/**
 * How long others may keep a keyless response without asking: forever, up to a time of the wall clock in epoch
 * milliseconds, or (undefined) not at all.
 */
export type CachePolicy = "forever" | number | undefined

const revalidated = "public, max-age=0, must-revalidate"

const cachingOf = (policy: CachePolicy): ((now: number) => ReadonlyArray<string>) => {
  if (typeof policy !== "number") {
    const fixed = [
      "Cache-Control",
      policy === "forever" ? "public, max-age=31536000, immutable" : revalidated
    ]
    return () => fixed
  }
  return (now) => {
    // Heads are built once per second, so this must hold to the end of the second.
    const left = Math.floor(policy / 1000) - Math.floor(now / 1000) - 1
    return ["Cache-Control", left > 0 ? `public, max-age=${left}` : revalidated]
  }
}

const withinHeaders = (): ReadonlyArray<string> => []

/** A body and its metadata, before a content coding is chosen. */
export interface Content {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Uint8Array
  /** SHA-256 of `body`, lower-case hex. */
  readonly sha256: string
  /** Extra headers; they override the standard ones of the same name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Up to this size, a body is sent as text: a twentieth faster, and above it no difference was measured. */
const longestText = 8 * 1024

const textOf = ({ buffer, byteLength, byteOffset }: Uint8Array): string | undefined =>
  byteLength > longestText ? undefined : Buffer.from(buffer, byteOffset, byteLength).toString("latin1")

export const sha256Hex = (bytes: Uint8Array): string => hash("sha256", bytes, "hex")

/** A digest as RFC 9530 writes it. */
export const digestOf = (sha256: string): string =>
  `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`

const security: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*"
}

const namesAsWritten: Readonly<Record<string, string>> = {
  etag: "ETag",
  allow: "Allow",
  ratelimit: "RateLimit",
  "ratelimit-policy": "RateLimit-Policy",
  "payment-required": "PAYMENT-REQUIRED",
  "payment-response": "PAYMENT-RESPONSE",
  "x-payment-response": "X-PAYMENT-RESPONSE"
}

/** Names come from our code, so there are few. */
const writtenNames = new Map(Object.entries(namesAsWritten))

const written = (name: string): string => {
  const cachedName = writtenNames.get(name)
  if (cachedName !== undefined) return cachedName
  const canonicalName = name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
  writtenNames.set(name, canonicalName)
  return canonicalName
}

/** The headers of every response: security headers, and the mode unless it is live. */
export const commonHeaders = (
  service: Pick<HttpSettings["Service"], "baseUrl" | "mode" | "testMode">
): Readonly<Record<string, string>> => ({
  ...security,
  ...(service.testMode.keys === "test" ? { [modeHeader]: "test" } : {}),
  ...(service.mode === "live" ? {} : { "x-service-mode": service.mode }),
  ...(service.baseUrl.startsWith("https:")
    ? { "strict-transport-security": "max-age=31536000; includeSubDomains" }
    : {})
})

/** `keyed`: the request carried a key, so shared caches must not store the response. */
export const makeAnswer = (
  content: Content,
  coded: { readonly coding: Coding; readonly bytes: Uint8Array },
  keyed: boolean,
  common: Readonly<Record<string, string>>,
  cachePolicy?: CachePolicy
): ReadyResponse => {
  const digest = digestOf(content.sha256)
  const hasContent = content.contentType !== undefined
  // A no-store response gets no ETag: a sale must never be answered with a 304, without its data.
  const etag =
    content.status === 200 && content.headers["cache-control"]?.includes("no-store") !== true
      ? `"${content.sha256}${coded.coding === "identity" ? "" : `-${coded.coding}`}"`
      : undefined
  const caching = {
    ...(etag === undefined ? {} : { etag }),
    vary: "Accept-Encoding, X-API-Key",
    ...(content.status >= 400
      ? { "cache-control": "no-store" }
      : keyed
        ? { "cache-control": "private, no-cache" }
        : {})
  }
  const whole = {
    ...(content.contentType === undefined ? {} : { "content-type": content.contentType }),
    ...(content.status === 204 ? {} : { "content-length": String(coded.bytes.length) }),
    ...(coded.coding === "identity" ? {} : { "content-encoding": coded.coding }),
    ...(hasContent
      ? {
          "unencoded-digest": digest,
          "content-digest":
            coded.coding === "identity"
              ? digest
              : `sha-256=:${createHash("sha256").update(coded.bytes).digest("base64")}:`
        }
      : {}),
    ...caching,
    ...common,
    ...content.headers
  }
  const flat = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).flatMap(([name, value]) => [written(name), value])
  return {
    status: content.status,
    contentType: content.contentType,
    sha256: content.sha256,
    digest,
    bytes: coded.bytes,
    text: textOf(coded.bytes),
    etag,
    headers: flat(whole),
    // A cached page needs its own content security policy again, or it would lose its style.
    confirming: flat({ ...caching, ...common, ...describingResource(content.headers) }),
    caching: "cache-control" in whole ? withinHeaders : cachingOf(cachePolicy)
  }
}

/** The extra headers, except those that describe the bytes, which a 304 does not have. */
const describingResource = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^content-(?:length|encoding|digest|range)$/.test(name))
  )

/** True if `If-None-Match` names this response, so the client already has its bytes. */
export const isConfirmed = (ifNoneMatch: string | undefined, etag: string | undefined): boolean => {
  if (ifNoneMatch === undefined || etag === undefined) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)
}

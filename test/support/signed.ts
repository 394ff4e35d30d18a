/**
 * Reads answers and checks their signatures with node's own crypto and a construction of RFC 9421 of its own: nothing
 * here is shared with what signs.
 */
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { type IncomingHttpHeaders, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"

export interface Call {
  readonly method?: string
  /** Sent as it stands. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As they came. */
  readonly raw: Buffer
  /** After content decoding. */
  readonly body: Buffer
}

export const call = (port: number, { body, headers, method = "GET", path }: Call): Promise<Reply> =>
  new Promise((resolve, reject) => {
    // Without its length node sends the body of a DELETE unframed, which is the start of a next request.
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const framed = { ...length, ...headers }
    const clientRequest = request({ host: "127.0.0.1", port, method, path, headers: framed }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const raw = Buffer.concat(chunks)
        const coding = response.headers["content-encoding"]
        resolve({
          method,
          path,
          status: response.statusCode ?? 0,
          headers: response.headers,
          raw,
          body:
            raw.length === 0
              ? raw
              : coding === "gzip"
                ? gunzipSync(raw)
                : coding === "br"
                  ? brotliDecompressSync(raw)
                  : raw
        })
      })
    })
    clientRequest.on("error", reject)
    clientRequest.end(body)
  })

export const json = (reply: Reply): Record<string, unknown> => JSON.parse(reply.body.toString("utf8"))

/** One header's value, or the empty text. */
export const header = (reply: Reply, name: string): string => {
  const value = reply.headers[name]
  return typeof value === "string" ? value : (value ?? []).join(", ")
}

export interface Keys {
  readonly of: (kid: string) => KeyObject
  readonly current: KeyObject
}

/** The keys of a key document, read from the JWK members. */
export const keysOf = (document: Record<string, unknown>): Keys => {
  const members = document["keys"] as ReadonlyArray<{ kid: string; kty: string; crv: string; x: string }>
  const keys = new Map(
    members.map(({ crv, kid, kty, x }) => [kid, createPublicKey({ key: { kty, crv, x }, format: "jwk" })])
  )
  const of = (kid: string) => {
    const key = keys.get(kid)
    if (key === undefined) throw new Error(`no key ${kid} in the document`)
    return key
  }
  return { of, current: of(members[0]?.kid ?? "") }
}

const signatures = [
  "x-service-timestamp",
  "x-service-signature",
  "x-service-signing-key",
  "x-service-log-head",
  "x-service-log-head-signature",
  "signature-input",
  "signature"
]

/** True for a refusal that states no datum: over the limit, no such path or method, a malformed URL, key or head. */
const statesNothing = ({ headers, status }: Reply, body: Buffer): boolean => {
  if (status === 429 || status === 405 || status === 414 || status === 431) return true
  if (headers["content-type"] !== "application/problem+json") return false
  const problem = JSON.parse(body.toString("utf8"))
  return (
    (status === 404 && problem.message === "Nothing exists at this URL. See /docs for all paths.") ||
    (status === 400 && problem.type === "/problems/bad-request" && problem.field !== "Host") ||
    // Without a key, or with an unknown one, it is signed.
    (status === 401 && headers["x-service-signature"] === undefined)
  )
}

/** What is wrong with the signatures of an answer, or undefined. A refusal that states no datum must have none. */
export const signatureFault = (
  reply: Reply,
  keys: Keys,
  authority: string,
  body: Buffer = reply.body
): string | undefined =>
  statesNothing(reply, body)
    ? signatures.find((name) => reply.headers[name] !== undefined)
    : (statementFault(reply, keys.current, body) ??
      (reply.headers["content-type"] === undefined ? undefined : messageFault(reply, keys, authority, body)))

const sha256 = (bytes: Buffer, form: "hex" | "base64") => createHash("sha256").update(bytes).digest(form)

/** What is wrong with the service's own signature, or undefined. `body` is what it is over. */
export const statementFault = (
  reply: Reply,
  key: KeyObject,
  body: Buffer = reply.body
): string | undefined => {
  const timestamp = header(reply, "x-service-timestamp")
  const signature = header(reply, "x-service-signature")
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(timestamp)) return `timestamp ${timestamp}`
  if (!/^ed25519:[0-9a-f]{128}$/.test(signature)) return `signature ${signature}`
  const path = reply.path.split("?")[0]
  const payload = `service-v1|${sha256(body, "hex")}|${timestamp}|${path}`
  return verify(null, Buffer.from(payload), key, Buffer.from(signature.slice(8), "hex"))
    ? undefined
    : `the statement does not verify: ${payload}`
}

/** What is wrong with the RFC 9421 signature or a digest, or undefined. */
export const messageFault = (
  reply: Reply,
  keys: Keys,
  authority: string,
  body: Buffer = reply.body
): string | undefined => {
  const input = /^sig1=(\(([^)]*)\)(.*))$/.exec(header(reply, "signature-input"))
  const signature = /^sig1=:([A-Za-z0-9+/=]+):$/.exec(header(reply, "signature"))
  if (input === null || signature === null) return "no RFC 9421 signature"
  const [, parameters = "", inner = "", rest = ""] = input
  const query = reply.path.includes("?") ? reply.path.slice(reply.path.indexOf("?")) : "?"
  const derived: Record<string, string> = {
    '"@status"': String(reply.status),
    '"@method";req': reply.method,
    '"@authority";req': authority,
    '"@path";req': reply.path.split("?")[0] ?? "",
    '"@query";req': query
  }
  const identifiers = inner.split(" ")
  const required = [...Object.keys(derived), '"content-type"', '"unencoded-digest"', '"x-service-timestamp"']
  const missing = required.filter((identifier) => !identifiers.includes(identifier))
  if (missing.length > 0) return `not covered: ${missing.join(" ")}`
  const lines = identifiers.map(
    (identifier) => `${identifier}: ${derived[identifier] ?? header(reply, identifier.replaceAll('"', ""))}`
  )
  const base = [...lines, `"@signature-params": ${parameters}`].join("\n")
  const parameter = (name: string) => new RegExp(`;${name}="?([^";]*)"?`).exec(rest)?.[1] ?? ""
  if (parameter("alg") !== "ed25519" || parameter("tag") !== "service-v1") return `parameters ${rest}`
  if (Number(parameter("created")) * 1000 !== Date.parse(header(reply, "x-service-timestamp"))) {
    return `created ${parameter("created")}`
  }
  const key = keys.of(parameter("keyid"))
  if (!verify(null, Buffer.from(base), key, Buffer.from(signature[1] ?? "", "base64"))) {
    return `the message signature does not verify over:\n${base}`
  }
  const head = header(reply, "x-service-log-head")
  const headSignature = header(reply, "x-service-log-head-signature")
  const headText = `service-head-v1|${header(reply, "x-service-timestamp")}|${authority}|${head}`
  if (head !== "" && !verify(null, Buffer.from(headText), key, Buffer.from(headSignature.slice(8), "hex")))
    return `the signature of the head does not verify over ${headText}`
  if (header(reply, "unencoded-digest") !== `sha-256=:${sha256(body, "base64")}:`) return "unencoded-digest"
  const coded = header(reply, "content-digest")
  if (reply.method !== "HEAD" && coded !== `sha-256=:${sha256(reply.raw, "base64")}:`) return "content-digest"
  return undefined
}

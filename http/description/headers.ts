/** The headers of responses, in words, and which responses carry them. */
import {
  type Document,
  isObject,
  mapOperations,
  type Operation,
  type Parameter,
  type Reference
} from "./document.ts"

const header = (description: string, examples?: ReadonlyArray<string>, type = "string") => ({
  description,
  schema: { type, ...(examples === undefined ? {} : { examples }) }
})

export const headers = {
  "X-Service-Timestamp": header("When the response was signed: ISO 8601 in UTC, whole seconds", [
    "2026-09-05T08:00:00Z"
  ]),
  "X-Service-Signature": header(
    "`ed25519:` and the signature, in hex, of `service-v1|<SHA-256 of the body>|<X-Service-Timestamp>|<path>`"
  ),
  "X-Service-Signing-Key": header("URL of the key document"),
  "X-Service-Log-Head": header(
    "The newest head of the log at the signature, also of cached bytes: number of entries and root in hex. " +
      "`X-Service-Log-Head-Signature` covers it; absent before the first head",
    [`1031 ${"5f".repeat(32)}`]
  ),
  "X-Service-Log-Head-Signature": header(
    "`ed25519:` and the signature of `service-head-v1|<X-Service-Timestamp>|<host and path>|<X-Service-Log-Head>`"
  ),
  "Signature-Input": header("What `Signature` covers (RFC 9421), and the id of the key"),
  Signature: header("Signature over status, type, digest, time, method, host, path and query (RFC 9421)"),
  "Unencoded-Digest": header("SHA-256 of the body before content coding (RFC 9530)"),
  ETag: header("Send it as `If-None-Match`; 304 means that what you have is still current"),
  "Cache-Control": header(
    "How long a copy may be used without asking again. What depends on the clock is made for ten seconds, and `max-age` is what is " +
      "left of them; `must-revalidate`: it may change at any time, so ask with `If-None-Match`; `immutable` for what " +
      "never changes; `private` for a response to a key",
    ["public, max-age=6", "public, max-age=0, must-revalidate", "public, max-age=31536000, immutable"]
  ),
  Link: header('The next page, with `rel="next"` (RFC 8288); absent on the last page', [
    '<https://plumbline.example/v1/market?limit=2&cursor=AKT>; rel="next"'
  ]),
  "RateLimit-Policy": header(
    "The quotas that apply: of calls, and of what answers cost in processor time (`millis`) and in bytes sent (`bytes`), whose unit " +
      "is in `qu`",
    [
      '"minute";q=300;w=60, "day";q=1500;w=86400, "millis";q=6000;w=60;qu="processor-milliseconds", "bytes";q=100000000;w=60;qu="content-bytes"'
    ]
  ),
  RateLimit: header("What is left of each quota (`r`), and in how many seconds it is full again (`t`)", [
    '"minute";r=299;t=60, "day";r=1499;t=86400, "millis";r=5990;t=1, "bytes";r=99803133;t=1'
  ]),
  "Retry-After": header("Seconds to wait before a retry", undefined, "integer"),
  "X-Service-Mode": header("`replay` or `mapped` if nothing here is live; absent otherwise"),
  "X-Service-Rows": header("With `format=csv`: number of rows", undefined, "integer"),
  "X-Service-Access": header("With `format=csv`: what the caller's tier leaves out, as `access` in the JSON"),
  "X-Service-Next-Cursor": header(
    "With `format=csv`: `next_cursor` of the JSON, to send as `cursor` in the next body; absent on the last page"
  ),
  "X-Service-Export-Rows": header("Number of rows", undefined, "integer"),
  "X-Service-Export-Source": header("The GET that the rows come from"),
  "PAYMENT-REQUIRED": header("The offer: base64-encoded JSON (x402 version 2)"),
  "PAYMENT-RESPONSE": header("The settlement: base64-encoded JSON (x402 version 2)")
} as const

type Name = keyof typeof headers

const signed: ReadonlyArray<Name> = [
  "X-Service-Timestamp",
  "X-Service-Signature",
  "X-Service-Signing-Key",
  "X-Service-Log-Head",
  "X-Service-Log-Head-Signature",
  "Signature-Input",
  "Signature",
  "Unencoded-Digest"
]

const counted: ReadonlyArray<Name> = ["RateLimit-Policy", "RateLimit"]

/** True for `format`, where a list is also served as a table. */
const isCsv = ({ name, schema }: Parameter): boolean =>
  name === "format" &&
  isObject(schema) &&
  Array.isArray(schema["enum"]) &&
  schema["enum"].join() === "json,csv"

/** Headers of a response with this status; 429 is not signed. */
const namesOf = (status: string, { operationId, parameters }: Operation): ReadonlyArray<Name> => {
  if (status === "429") return [...counted, "Retry-After"]
  if (status === "503") return [...signed, "Retry-After"]
  if (status === "402") {
    return operationId === "x402.data" ? [...signed, "PAYMENT-REQUIRED", "PAYMENT-RESPONSE"] : signed
  }
  if (status !== "200") return signed
  return [
    ...signed,
    ...counted,
    "ETag",
    "Cache-Control",
    "X-Service-Mode",
    ...(parameters.some(({ name }) => name === "cursor") ? (["Link"] as const) : []),
    ...(parameters.some(isCsv) ? (["X-Service-Rows", "X-Service-Access"] as const) : []),
    ...(operationId === "keyless.query" || operationId === "paid.query"
      ? (["X-Service-Next-Cursor"] as const)
      : []),
    ...(operationId === "export.export"
      ? (["X-Service-Export-Rows", "X-Service-Export-Source"] as const)
      : []),
    ...(operationId === "x402.data" ? (["PAYMENT-RESPONSE"] as const) : [])
  ]
}

const referenced = (names: ReadonlyArray<Name>): Readonly<Record<string, Reference>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The document with the headers of every response. */
export const withHeaders = (document: Document): Document => ({
  ...document,
  components: { ...document.components, headers },
  paths: mapOperations(document, (operation) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        { ...response, headers: referenced(namesOf(status, operation)) }
      ])
    )
  }))
})

/**
 * The headers that sign an answer: the service's own three and a signature by RFC 9421, which also covers
 * the query and the method. Both are over the body before content coding.
 */
import { headStatement } from "../../core/proof/logHead.ts"
import { messageSignatureHeader, signatureBase, signatureInput } from "../../core/proof/messageSignature.ts"
import { signatureHeader, statementPayload } from "../../core/proof/statement.ts"
import type { SigningKey } from "./Signer.ts"

/** The statement to sign: one response to one request. */
export interface Statement {
  readonly method: string
  /** The request target as sent, without the base path. The path is never decoded. */
  readonly url: string
  readonly status: number
  readonly contentType: string | undefined
  /** SHA-256 of the body before content coding, lower-case hex. */
  readonly sha256: string
  /** `Unencoded-Digest` of the same bytes. */
  readonly digest: string
}

export interface SigningContext {
  /** The key in use at a time, epoch milliseconds. */
  readonly key: (at: number) => SigningKey
  readonly authority: string
  /** What stands before every path at that authority: "" or one such as `/test`. */
  readonly basePath: string
  /** URL of the key document. */
  readonly keyAddress: string
  /** The newest signed head of the log, as its header says it; undefined before the first one. */
  readonly logHead: () => string | undefined
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
}

/** Headers as name, value, name, value. */
export type RawHeaders = ReadonlyArray<string>

/** Signatures of the current second, so the same response to the same target is signed only once. */
const mostKept = 20_000

export const targetPath = (url: string): string => {
  const end = url.indexOf("?")
  return end < 0 ? url : url.slice(0, end)
}

const targetQuery = (url: string): string => {
  const start = url.indexOf("?")
  return start < 0 ? "?" : url.slice(start)
}

const secondText = (second: number): string => `${new Date(second * 1000).toISOString().slice(0, 19)}Z`

/**
 * Gives the function that signs, with the second it signs for: within one second the answer to the same statement is
 * the same, so a caller can keep it that long. A 304 and an answer without a type carry the service's headers alone: an
 * RFC 9421 signature would cover a header that is not there.
 */
export const makeSign = (context: SigningContext) => {
  let second = -1
  let timestamp = ""
  // One key for each second: by the timestamp that it signs, so the key document always agrees.
  let key: SigningKey
  // One head for each second too, signed once. It belongs to the time of the signature and not to the bytes, which may be cached.
  let logHead: RawHeaders = []
  const statements = new Map<string, string>()
  const signed = new Map<string, RawHeaders>()

  const turn = (now: number): void => {
    if (now === second && signed.size < mostKept && statements.size < mostKept) return
    second = now
    timestamp = secondText(now)
    key = context.key(now * 1000)
    logHead = headHeaders(context.logHead())
    statements.clear()
    signed.clear()
  }

  function headHeaders(head: string | undefined): RawHeaders {
    if (head === undefined) return []
    const text = headStatement({ timestamp, place: `${context.authority}${context.basePath}`, head })
    return [
      "X-Service-Log-Head",
      head,
      "X-Service-Log-Head-Signature",
      signatureHeader(key.sign(Buffer.from(text)))
    ]
  }

  const statementSignature = (sha256: string, path: string): string => {
    const payload = statementPayload(sha256, timestamp, path)
    const cachedSignature = statements.get(payload)
    if (cachedSignature !== undefined) return cachedSignature
    const signature = signatureHeader(key.sign(Buffer.from(payload)))
    statements.set(payload, signature)
    return signature
  }

  const running = () => Math.floor(context.now() / 1000)

  const signStatement = (statement: Statement): RawHeaders => {
    turn(running())
    const name = `${statement.method} ${statement.status} ${statement.sha256} ${statement.url}`
    const cachedHeaders = signed.get(name)
    if (cachedHeaders !== undefined) return cachedHeaders
    const path = context.basePath + targetPath(statement.url)
    const own = [
      "X-Service-Timestamp",
      timestamp,
      "X-Service-Signature",
      statementSignature(statement.sha256, path),
      "X-Service-Signing-Key",
      context.keyAddress
    ]
    const { contentType } = statement
    const headers =
      contentType === undefined || statement.status === 304
        ? own
        : [...own, ...messageHeaders(statement, contentType, path)]
    signed.set(name, headers)
    return headers
  }

  function messageHeaders(statement: Statement, contentType: string, path: string) {
    const parameters = { created: second, keyid: key.kid }
    const base = signatureBase(
      {
        status: statement.status,
        contentType,
        unencodedDigest: statement.digest,
        timestamp,
        method: statement.method,
        authority: context.authority,
        path,
        query: targetQuery(statement.url)
      },
      parameters
    )
    return [
      "Signature-Input",
      signatureInput(parameters),
      "Signature",
      messageSignatureHeader(key.sign(Buffer.from(base))),
      ...logHead
    ]
  }

  return Object.assign(signStatement, { second: running })
}

export type Sign = ReturnType<typeof makeSign>

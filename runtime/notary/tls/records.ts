/** Records of TLS 1.3 on a tape (RFC 8446, 5), and their decryption. */
import { demand, Refused, refuse } from "../Refused.ts"
import type { Arrival, Chunk } from "../tape.ts"
import { expandLabel, type Suite, tagLength } from "./suites.ts"

export const contentType = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const

export interface TlsRecord {
  readonly type: number
  /** The five bytes before the body, which are authenticated with it. */
  readonly header: Buffer
  readonly body: Buffer
  /** When its first and its last byte came. */
  readonly first: Arrival
  readonly last: Arrival
}

/** What a record held. */
export interface Plaintext {
  readonly type: number
  readonly data: Buffer
}

const headerLength = 5
const longestPlaintext = 2 ** 14
const longestBody = longestPlaintext + 256

/** Says when a byte came; asked in ascending order. */
class Arrivals {
  private readonly chunks: ReadonlyArray<Chunk>
  private index = 0
  private end: number

  constructor(chunks: ReadonlyArray<Chunk>) {
    this.chunks = chunks
    this.end = chunks[0]?.bytes.length ?? 0
  }

  of(offset: number): Arrival {
    while (offset >= this.end) this.end += this.chunks[++this.index]?.bytes.length ?? Number.POSITIVE_INFINITY
    const { at = 0, n = 0 } = this.chunks[this.index] ?? {}
    return { n, at }
  }
}

/** The whole records of a direction. One without its end was never authenticated, so it does not exist. */
export const recordsOf = (chunks: ReadonlyArray<Chunk>): ReadonlyArray<TlsRecord> => {
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes))
  const arrivals = new Arrivals(chunks)
  const records: Array<TlsRecord> = []
  for (let at = 0; at + headerLength <= bytes.length; ) {
    const [type = 0, major] = bytes.subarray(at)
    const length = bytes.readUInt16BE(at + 3)
    demand(
      type >= contentType.changeCipherSpec &&
        type <= contentType.applicationData &&
        major === 3 &&
        length <= longestBody,
      "not TLS records"
    )
    const end = at + headerLength + length
    if (end > bytes.length) break
    records.push({
      type,
      header: bytes.subarray(at, at + headerLength),
      body: bytes.subarray(at + headerLength, end),
      first: arrivals.of(at),
      last: arrivals.of(end - 1)
    })
    at = end
  }
  return records
}

/**
 * Opens the records of one direction in their order (RFC 8446, 5.2 and 5.3); each key has its own count of records. Made from a secret and
 * never from a key: who may choose a key can compute the nonce under which a record's tag fits, since AES-GCM and
 * ChaCha20-Poly1305 do not commit to their key. HKDF couples both.
 */
export class RecordKeys {
  private readonly suite: Suite
  private secret: Uint8Array
  private key: Uint8Array = new Uint8Array()
  private iv: Uint8Array = new Uint8Array()
  private count = 0

  constructor(suite: Suite, secret: Uint8Array | undefined) {
    if (secret?.length !== suite.hashLength)
      throw new Refused("a secret is missing or has another length than the cipher suite's hash")
    this.suite = suite
    this.secret = secret
    this.rekey()
  }

  /** After a KeyUpdate (RFC 8446, 7.2). */
  update(): void {
    this.secret = expandLabel(this.suite, this.secret, "traffic upd", this.suite.hashLength)
    this.rekey()
  }

  open({ body, header, type }: TlsRecord): Plaintext {
    demand(
      type === contentType.applicationData && body.length > tagLength,
      "a record that is not encrypted, after the handshake"
    )
    const inner = this.decrypt(header, body)
    const last = inner.findLastIndex((byte) => byte !== 0)
    demand(last >= 0 && last <= longestPlaintext, "a record without a content type, or too long")
    return { type: inner[last] ?? 0, data: inner.subarray(0, last) }
  }

  private decrypt(header: Buffer, body: Buffer): Buffer {
    const nonce = Buffer.from(this.iv)
    // A session has fewer than 2^32 records: the last four bytes of the counter are all of it.
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ this.count++) >>> 0, 8)
    const plaintextLength = body.length - tagLength
    const decipher = this.suite.decipher(this.key, nonce)
    decipher.setAAD(header, { plaintextLength }).setAuthTag(body.subarray(plaintextLength))
    const inner = decipher.update(body.subarray(0, plaintextLength))
    try {
      decipher.final()
    } catch {
      return refuse("a record does not open with these secrets")
    }
    return inner
  }

  private rekey(): void {
    this.key = expandLabel(this.suite, this.secret, "key", this.suite.keyLength)
    this.iv = expandLabel(this.suite, this.secret, "iv", 12)
    this.count = 0
  }
}

/**
 * Reads and writes the OpenTimestamps file format. The limits are those of the reference implementation, or ours where it
 * has none. Unknown attestation kinds are kept; malformed input is rejected.
 */
import { concat, equalBytes, fromHex, fromUtf8, Malformed, utf8 } from "../bytes.ts"
import { apply, digestLengths, isBinary, isOp, longestMessage, type Op, opName } from "./op.ts"
import { type Attestation, type Item, type Timestamp, tagOf, tags } from "./timestamp.ts"

/** A standalone proof (`.ots`): the file's hash algorithm, and the timestamp of its digest. */
export interface DetachedTimestamp {
  /** Code of the file's hash algorithm; 8 is SHA-256. */
  readonly fileHash: number
  readonly timestamp: Timestamp
}

/** Parser limits against hostile input; a file in `fixtures/ots` exceeds each. */
export const limits = {
  /** Bytes of a whole file. */
  file: 1 << 20,
  message: longestMessage,
  attestationPayload: 8192,
  uri: 1000,
  /** Operations on one path. */
  depth: 256,
  /** Operations and attestations in one file. */
  items: 10_000
} as const

const magic = fromHex("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294")
const version = 1
const fork = 0xff
const attestationCode = 0x00
const uriForm = /^[A-Za-z0-9\-._/:]*$/

class Reader {
  readonly bytes: Uint8Array
  at = 0
  items = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  byte(): number {
    const byte = this.bytes[this.at++]
    if (byte === undefined) throw new Malformed(`cut off at byte ${this.bytes.length}`)
    return byte
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new Malformed(`cut off at byte ${this.bytes.length}`)
    this.at += length
    return this.bytes.slice(this.at - length, this.at)
  }

  /** Little-endian base 128. Each number has one spelling: no empty last group. */
  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (!Number.isSafeInteger(value)) throw new Malformed(`number too large at byte ${this.at}`)
      if (byte < 0x80) {
        if (byte === 0 && scale > 1) throw new Malformed(`number with an empty last group at byte ${this.at}`)
        return value
      }
    }
  }

  varbytes(what: string, least: number, most: number): Uint8Array {
    const length = this.varint()
    if (length < least || length > most) {
      throw new Malformed(`${what} has ${length} bytes at byte ${this.at} (expected ${least} to ${most})`)
    }
    return this.take(length)
  }

  end(what: string): void {
    const left = this.bytes.length - this.at
    if (left > 0) throw new Malformed(`${left} bytes follow the end of ${what}`)
  }
}

/** Parses a whole `.ots` file. Throws `Malformed`. */
export const parseDetached = (bytes: Uint8Array): DetachedTimestamp => {
  if (bytes.length > limits.file) throw new Malformed(`longer than ${limits.file} bytes`)
  const reader = new Reader(bytes)
  if (bytes.length < magic.length || !equalBytes(reader.take(magic.length), magic)) {
    throw new Malformed("not an OpenTimestamps proof: the first 31 bytes do not match")
  }
  const formatVersion = reader.varint()
  if (formatVersion !== version)
    throw new Malformed(`unsupported format version ${formatVersion} (expected ${version})`)
  const fileHash = reader.byte()
  const length = digestLengths.get(fileHash)
  if (length === undefined) throw new Malformed(`${opName(fileHash)} is not a supported file hash`)
  const timestamp = readTimestamp(reader, reader.take(length), 0)
  reader.end("the proof")
  return { fileHash, timestamp }
}

/** Parses a whole bare timestamp of `message`, as calendars return it. Throws `Malformed`. */
export const parseTimestamp = (bytes: Uint8Array, message: Uint8Array): Timestamp => {
  if (bytes.length > limits.file) throw new Malformed(`longer than ${limits.file} bytes`)
  const reader = new Reader(bytes)
  const timestamp = readTimestamp(reader, message, 0)
  reader.end("the timestamp")
  return timestamp
}

const readTimestamp = (reader: Reader, message: Uint8Array, depth: number): Timestamp => {
  if (depth > limits.depth) throw new Malformed(`more than ${limits.depth} operations in a row`)
  const items: Array<Item> = []
  for (;;) {
    const code = reader.byte()
    const more = code === fork
    items.push(readItem(reader, message, depth, more ? reader.byte() : code))
    if (!more) return { message, items }
  }
}

const readItem = (reader: Reader, message: Uint8Array, depth: number, code: number): Item => {
  if (++reader.items > limits.items)
    throw new Malformed(`more than ${limits.items} operations and attestations`)
  if (code === attestationCode) return { attestation: readAttestation(reader) }
  if (!isOp(code)) throw new Malformed(`unknown operation ${opName(code)} at byte ${reader.at}`)
  const op: Op = isBinary(code)
    ? { code, argument: reader.varbytes(`the argument of ${opName(code)}`, 1, limits.message) }
    : { code }
  return { op, next: readTimestamp(reader, apply(op, message), depth + 1) }
}

const readAttestation = (reader: Reader): Attestation => {
  const tag = reader.take(8)
  const payload = reader.varbytes("an attestation", 0, limits.attestationPayload)
  const inner = new Reader(payload)
  if (equalBytes(tag, tags.pending)) {
    const uri = fromUtf8(inner.varbytes("a calendar's URL", 0, limits.uri))
    inner.end("a pending attestation")
    if (!uriForm.test(uri)) throw new Malformed("a calendar's URL must use only A-Z a-z 0-9 - . _ / :")
    return { kind: "pending", uri }
  }
  for (const kind of ["bitcoin", "bitcoin-regtest-fixture", "litecoin"] as const) {
    if (equalBytes(tag, tags[kind])) {
      const height = inner.varint()
      inner.end(`a ${kind} attestation`)
      return { kind, height }
    }
  }
  return { kind: "unknown", tag, payload }
}

const varint = (value: number): Uint8Array => {
  const groups: Array<number> = []
  let left = value
  for (; left >= 128; left = Math.floor(left / 128)) groups.push((left % 128) | 0x80)
  return Uint8Array.from([...groups, left])
}

const varbytes = (bytes: Uint8Array): Uint8Array => concat(varint(bytes.length), bytes)

/** The bytes of an `.ots` file. */
export const serializeDetached = (detached: DetachedTimestamp): Uint8Array =>
  concat(
    magic,
    varint(version),
    Uint8Array.of(detached.fileHash),
    detached.timestamp.message,
    serializeTimestamp(detached.timestamp)
  )

/** The bytes of a bare timestamp, with its items in their given order. */
export const serializeTimestamp = (timestamp: Timestamp): Uint8Array => {
  const parts: Array<Uint8Array> = []
  const write = ({ items }: Timestamp): void => {
    if (items.length === 0)
      throw new RangeError("a timestamp must have at least one operation or attestation")
    items.forEach((item, at) => {
      if (at < items.length - 1) parts.push(Uint8Array.of(fork))
      if ("attestation" in item) {
        parts.push(Uint8Array.of(attestationCode), tagOf(item.attestation))
        parts.push(varbytes(payloadOf(item.attestation)))
        return
      }
      parts.push(Uint8Array.of(item.op.code))
      if (item.op.argument !== undefined) parts.push(varbytes(item.op.argument))
      write(item.next)
    })
  }
  write(timestamp)
  return concat(...parts)
}

const payloadOf = (attestation: Attestation): Uint8Array =>
  attestation.kind === "unknown"
    ? attestation.payload
    : attestation.kind === "pending"
      ? varbytes(utf8(attestation.uri))
      : varint(attestation.height)

/** An `.ots` proof over the SHA-256 of a file. */
export const detachedOf = (timestamp: Timestamp): DetachedTimestamp => ({ fileHash: 0x08, timestamp })

/** True if the proof covers `file`. */
export const isAbout = (detached: DetachedTimestamp, file: Uint8Array): boolean =>
  equalBytes(detached.timestamp.message, apply({ code: detached.fileHash }, file))

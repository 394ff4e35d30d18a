/**
 * Bytes and their texts. Strict, because a second spelling of the same bytes would be a second text for one signature.
 * Runs in a browser: of the platform it needs `TextEncoder` and `TextDecoder` alone.
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { base64, base64urlnopad } from "@scure/base"
import type { Reason } from "./reason.ts"

/** What was read does not have the form it must have, or does not fit the rest. The message names the place and what is valid. */
export class Malformed extends Error {
  override readonly name: string = "Malformed"
  readonly reason: Reason

  constructor(message: string, reason: Reason = "form") {
    super(message)
    this.reason = reason
  }
}

/** What is needed for a verification could not be had: that proves nothing, and refutes nothing. */
export class CouldNotLook extends Malformed {
  override readonly name = "CouldNotLook"

  constructor(message: string) {
    super(message, "unavailable")
  }
}

/** What was read has a version that this code does not know: a later release made it. That proves nothing, and refutes nothing. */
export class Newer extends Malformed {
  override readonly name = "Newer"

  constructor(message: string) {
    super(message, "newer")
  }
}

/** The same error with the place before its message: what is of a newer release, or could not be had, stays that. */
export const inPlace = (place: string, error: Malformed): Malformed => {
  const message = `${place}: ${error.message}`
  if (error instanceof Newer) return new Newer(message)
  return error instanceof CouldNotLook ? new CouldNotLook(message) : new Malformed(message, error.reason)
}

export const toHex: (bytes: Uint8Array) => string = bytesToHex

/** Bytes of lower-case hex, `length` of them when given. Throws `Malformed`. */
export const fromHex = (text: string, length?: number): Uint8Array => {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new Malformed("hex must be pairs of 0-9 and a-f in lower case")
  if (length !== undefined && text.length !== length * 2) {
    throw new Malformed(`expected ${length} bytes of hex, found ${text.length / 2}`)
  }
  return hexToBytes(text)
}

/** Decodes by a strict codec of `@scure/base`: it refuses other alphabets, wrong padding and leftover bits. */
const decoding =
  (name: string, codec: { readonly decode: (text: string) => Uint8Array }) =>
  (text: string, length?: number): Uint8Array => {
    let bytes: Uint8Array
    try {
      bytes = codec.decode(text)
    } catch {
      throw new Malformed(`expected ${name}`)
    }
    if (length !== undefined && bytes.length !== length) {
      throw new Malformed(`expected ${length} bytes of base64, found ${bytes.length}`)
    }
    return bytes
  }

/** Standard base64 with padding (RFC 4648, section 4). */
export const toBase64 = (bytes: Uint8Array): string => base64.encode(bytes)

/** Bytes of standard base64 with its padding, `length` of them when given. Throws `Malformed`. */
export const fromBase64 = decoding("base64 of the standard alphabet, padded, without leftover bits", base64)

/** Base64url without padding (RFC 4648, section 5), as JWK members are written. */
export const toBase64Url = (bytes: Uint8Array): string => base64urlnopad.encode(bytes)

/** Bytes of base64url without padding. Throws `Malformed`. */
export const fromBase64Url = decoding("base64url of A-Z a-z 0-9 - _ without padding", base64urlnopad)

/** UTF-8 of a text; a lone surrogate has none and throws `Malformed`. */
export const utf8 = (text: string): Uint8Array => {
  if (!text.isWellFormed()) throw new Malformed("a lone surrogate cannot be written in UTF-8")
  return new TextEncoder().encode(text)
}

/** The text of UTF-8 bytes; over-long forms, surrogates and cut sequences throw `Malformed`. */
export const fromUtf8 = (bytes: Uint8Array): string => {
  try {
    // A byte order mark is a character like any other: leaving it out would give two byte strings one text.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Malformed("not UTF-8")
  }
}

export const concat = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])

/** Order of byte strings: by byte, the shorter first. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

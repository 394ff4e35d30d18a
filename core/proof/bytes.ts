/**
 * Hex, base64 and UTF-8. Written here because the verifier also runs where `Buffer`, `TextEncoder` and `atob` are
 * missing. Strict, because signed bytes must not have two spellings.
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

/** The input does not have the required form. The message names the place and what is valid. */
export class Malformed extends Error {
  override readonly name = "Malformed"
}

export const toHex: (bytes: Uint8Array) => string = bytesToHex

/** Decodes lower-case hex, of exactly `length` bytes if given. Throws `Malformed`. */
export const fromHex = (text: string, length?: number): Uint8Array => {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new Malformed("hex must be pairs of 0-9 and lower-case a-f")
  if (length !== undefined && text.length !== length * 2) {
    throw new Malformed(`expected ${length} bytes of hex, found ${text.length / 2}`)
  }
  return hexToBytes(text)
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** Standard base64 with padding (RFC 4648, section 4). */
export const toBase64 = (bytes: Uint8Array): string => {
  let text = ""
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const digits = [18, 12, 6, 0].map((shift) => alphabet[(group >> shift) & 63])
    const filled = bytes.length - at
    text += digits.slice(0, filled >= 3 ? 4 : filled + 1).join("") + "=".repeat(filled >= 3 ? 0 : 3 - filled)
  }
  return text
}

/**
 * Decodes standard padded base64, of exactly `length` bytes if given. Unused trailing bits must be zero, so each byte
 * string has only one spelling. Throws `Malformed`.
 */
export const fromBase64 = (text: string, length?: number): Uint8Array => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
    throw new Malformed("base64 must use the standard alphabet with padding")
  }
  const bare = text.replace(/=+$/, "")
  const bytes = new Uint8Array(Math.floor((bare.length * 3) / 4))
  let bits = 0
  let held = 0
  let at = 0
  for (const digit of bare) {
    bits = ((bits << 6) | alphabet.indexOf(digit)) & 0xfffff
    held += 6
    if (held >= 8) {
      held -= 8
      bytes[at++] = (bits >> held) & 255
    }
  }
  if ((bits & ((1 << held) - 1)) !== 0) throw new Malformed("base64 has non-zero bits after its last byte")
  if (length !== undefined && bytes.length !== length) {
    throw new Malformed(`expected ${length} bytes of base64, found ${bytes.length}`)
  }
  return bytes
}

/** Base64url without padding (RFC 4648, section 5), as used in JWK. */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

/** Decodes base64url without padding. Throws `Malformed`. */
export const fromBase64Url = (text: string, length?: number): Uint8Array => {
  if (!/^[A-Za-z0-9_-]*$/.test(text))
    throw new Malformed("base64url must use A-Z a-z 0-9 - _ without padding")
  const padding = "=".repeat((4 - (text.length % 4)) % 4)
  return fromBase64(text.replaceAll("-", "+").replaceAll("_", "/") + padding, length)
}

/** Encodes UTF-8; a lone surrogate throws `Malformed`. */
export const utf8 = (text: string): Uint8Array => {
  if (!text.isWellFormed())
    throw new Malformed("the text contains a lone surrogate, which UTF-8 cannot encode")
  const bytes = new Uint8Array(text.length * 3)
  let at = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) {
      bytes[at++] = code
      continue
    }
    const tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
    bytes[at++] = ([0, 0xc0, 0xe0, 0xf0][tail] ?? 0) | (code >> (6 * tail))
    for (let left = tail - 1; left >= 0; left--) bytes[at++] = 0x80 | ((code >> (6 * left)) & 63)
  }
  return bytes.slice(0, at)
}

/** Decodes UTF-8; overlong forms, surrogates and truncated sequences throw `Malformed`. */
export const fromUtf8 = (bytes: Uint8Array): string => {
  const parts: Array<string> = []
  let codes: Array<number> = []
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++] ?? 0
    const tail = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : 3
    if (first >= 0x80 && (first < 0xc2 || first > 0xf4)) throw new Malformed("not UTF-8")
    let code = tail === 0 ? first : first & (0x3f >> tail)
    for (let left = tail; left > 0; left--) {
      const next = bytes[at++]
      if (next === undefined || (next & 0xc0) !== 0x80) throw new Malformed("not UTF-8")
      code = (code << 6) | (next & 63)
    }
    const least = [0, 0x80, 0x800, 0x10000][tail] ?? 0
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new Malformed("not UTF-8")
    codes.push(code)
    if (codes.length === 4096) {
      parts.push(String.fromCodePoint(...codes))
      codes = []
    }
  }
  return parts.join("") + String.fromCodePoint(...codes)
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

/** Compares byte by byte; a prefix sorts first. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/**
 * Cosignatures of witnesses (C2SP `tlog-cosignature`): a witness that follows a log says that the checkpoint was the
 * largest consistent one it had seen at a time. We make and verify the Ed25519 form, `cosignature/v1` (type 0x04); lines of
 * the ML-DSA-44 form (type 0x06) are passed over.
 */
import { concat, equalBytes, Malformed, utf8 } from "./bytes.ts"
import {
  type NoteKey,
  type NoteSignature,
  noteKeyOf,
  parseNoteKey,
  parseSignatureLine,
  signatureLine
} from "./checkpoint.ts"
import { verifyEd25519 } from "./ed25519.ts"

export const cosignatureType = 4
export const mlDsaType = 6
const mlDsaKeyLength = 1312

/** A witness under its verifier key, of type 0x04 or 0x06. */
export type Cosigner = NoteKey

/** A cosignature that holds. */
export interface Cosignature {
  readonly cosigner: Cosigner
  /** POSIX time in seconds, by the witness's clock. */
  readonly timestamp: number
}

export const cosignerOf = (name: string, publicKey: Uint8Array): Cosigner =>
  noteKeyOf(name, cosignatureType, publicKey)

/** Parses a witness's verifier key. Throws `Malformed` for another type, such as the key of a log. */
export const parseCosigner = (vkey: string): Cosigner => {
  const key = parseNoteKey(vkey)
  if (!isCosigner(key))
    throw new Malformed("a witness's verifier key must be of type 0x04 (Ed25519) or 0x06 (ML-DSA-44)")
  return key
}

export const isCosigner = ({ publicKey, type }: NoteKey): boolean =>
  (type === cosignatureType && publicKey.length === 32) ||
  (type === mlDsaType && publicKey.length === mlDsaKeyLength)

/** The message that the Ed25519 form signs: two lines, then the checkpoint's text with its last newline. */
export const cosignatureMessage = (text: string, timestamp: number): Uint8Array => {
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw new Malformed(`a cosignature's time must be whole seconds since 1970, not ${timestamp}`)
  return utf8(`cosignature/v1\ntime ${timestamp}\n${text}`)
}

/** A cosignature's line, ending in a newline. `signature` is the cosigner's of `cosignatureMessage`. */
export const cosignatureLine = (cosigner: Cosigner, timestamp: number, signature: Uint8Array): string => {
  const time = new Uint8Array(8)
  new DataView(time.buffer).setBigUint64(0, BigInt(timestamp))
  return signatureLine(cosigner, concat(time, signature))
}

/** Reads the 72 bytes of a cosignature: time, then signature. Throws `Malformed`. */
const parseTimed = (bytes: Uint8Array) => {
  if (bytes.length !== 72) throw new Malformed(`a cosignature must be 72 bytes, not ${bytes.length}`)
  const timestamp = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0)
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER))
    throw new Malformed(`a cosignature cannot be of the time ${timestamp}`)
  return { timestamp: Number(timestamp), signature: bytes.slice(8) }
}

/**
 * The cosignatures of these cosigners on a checkpoint's text, earliest first. Passes over lines of unknown keys and of the
 * ML-DSA-44 form. Throws `Malformed` if a line of a known cosigner does not hold, because the note is then worthless.
 */
export const cosignaturesOf = (
  text: string,
  lines: ReadonlyArray<NoteSignature>,
  cosigners: ReadonlyArray<Cosigner>
): ReadonlyArray<Cosignature> =>
  lines
    .flatMap((line) => {
      const cosigner = cosigners.find(
        ({ keyId, name, type }) =>
          type === cosignatureType && name === line.name && equalBytes(keyId, line.keyId)
      )
      if (cosigner === undefined) return []
      const { signature, timestamp } = parseTimed(line.signature)
      if (!verifyEd25519(signature, cosignatureMessage(text, timestamp), cosigner.publicKey))
        throw new Malformed(`the cosignature of ${cosigner.name} does not verify`, "signature")
      return [{ cosigner, timestamp }]
    })
    .sort((a, b) => a.timestamp - b.timestamp)

/** A note with further signature lines, each without its newline, as in a bundle's `log.cosignatures`. */
export const withLines = (note: string, lines: ReadonlyArray<string>): string =>
  note + lines.map((line) => `${line}\n`).join("")

/** Parses signature lines, each without its newline. Throws `Malformed`. */
export const parseLines = (lines: ReadonlyArray<string>): ReadonlyArray<NoteSignature> =>
  lines.map(parseSignatureLine)

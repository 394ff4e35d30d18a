/**
 * Signed notes and checkpoints (C2SP `signed-note` and `tlog-checkpoint`): the text that commits to a whole log, and
 * its signature lines. Standard log tools and witnesses read this format.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, equalBytes, fromBase64, fromUtf8, Malformed, toBase64, toHex, utf8 } from "./bytes.ts"
import { verifyEd25519 } from "./ed25519.ts"

export interface Checkpoint {
  /** Permanent name of the log: a URL without a scheme. */
  readonly origin: string
  readonly size: number
  /** Merkle root over the log's entries, 32 bytes. */
  readonly root: Uint8Array
  /** When the operator says it was signed: extension line `time <ISO 8601 UTC, whole seconds>`. */
  readonly time?: string
}

export interface NoteSignature {
  readonly name: string
  /** First 4 bytes of SHA-256(name, 0x0a, signature type, public key). */
  readonly keyId: Uint8Array
  readonly signature: Uint8Array
}

export interface Note {
  /** The signed text, ending in a newline. */
  readonly text: string
  readonly signatures: ReadonlyArray<NoteSignature>
}

/** An Ed25519 note verifier, encoded as `name+hex key id+base64(0x01 || public key)`. */
export interface Verifier {
  readonly name: string
  readonly keyId: Uint8Array
  readonly publicKey: Uint8Array
}

const ed25519Type = Uint8Array.of(1)
const mostSignatures = 100

/** The text to sign: origin, size, base64 root, and the time if there is one; each line ended by a newline. */
export const checkpointText = (checkpoint: Checkpoint): string => {
  if (!nameForm.test(checkpoint.origin))
    throw new Malformed("a checkpoint's origin must not contain spaces or +")
  if (!Number.isSafeInteger(checkpoint.size) || checkpoint.size < 0)
    throw new Malformed(`a checkpoint's size must be an integer, 0 or more, not ${checkpoint.size}`)
  if (checkpoint.root.length !== 32) throw new Malformed("a checkpoint's root must be 32 bytes")
  if (checkpoint.time !== undefined && !timeForm.test(checkpoint.time)) {
    throw new Malformed("a checkpoint's time must be ISO 8601 in UTC, whole seconds with Z")
  }
  const lines = [checkpoint.origin, String(checkpoint.size), toBase64(checkpoint.root)]
  return `${[...lines, ...(checkpoint.time === undefined ? [] : [`time ${checkpoint.time}`])].join("\n")}\n`
}

const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
// A key name, which is also our origin: no white space and no plus sign.
const nameForm = /^[^\s+\p{Cc}]+$/u

/** Parses a checkpoint's text strictly; extension lines other than `time` are allowed and ignored. */
export const parseCheckpointText = (text: string): Checkpoint => {
  const lines = text.split("\n")
  if (lines.pop() !== "" || lines.length < 3 || lines.includes("")) {
    throw new Malformed("a checkpoint must be at least three non-empty lines, each ending in a newline")
  }
  const [origin = "", size = "", root = "", ...extensions] = lines
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) {
    throw new Malformed("a checkpoint's second line must be the tree size in decimal")
  }
  const times = extensions.filter((line) => line.startsWith("time "))
  const time = times[0]?.slice("time ".length)
  if (times.length > 1 || (time !== undefined && !timeForm.test(time))) {
    throw new Malformed(
      "a checkpoint must have at most one time line: `time ` and ISO 8601 in UTC, whole seconds"
    )
  }
  return {
    origin,
    size: Number(size),
    root: fromBase64(root, 32),
    ...(time === undefined ? {} : { time })
  }
}

export const keyId = (name: string, publicKey: Uint8Array): Uint8Array =>
  sha256(concat(utf8(`${name}\n`), ed25519Type, publicKey)).slice(0, 4)

export const verifierOf = (name: string, publicKey: Uint8Array): Verifier => ({
  name,
  keyId: keyId(name, publicKey),
  publicKey
})

export const vkey = (name: string, publicKey: Uint8Array): string =>
  `${name}+${toHex(keyId(name, publicKey))}+${toBase64(concat(ed25519Type, publicKey))}`

/** Parses a verifier key string; throws `Malformed` if the key id does not match the name and key. */
export const parseVkey = (text: string): Verifier => {
  const [name = "", id = "", ...rest] = text.split("+")
  // Base64 may contain plus signs.
  const key = fromBase64(rest.join("+"), 33)
  if (!nameForm.test(name) || key[0] !== 1)
    throw new Malformed("a verifier key must be <name>+<key id>+<Ed25519 key>")
  const verifier = verifierOf(name, key.slice(1))
  if (toHex(verifier.keyId) !== id)
    throw new Malformed("the verifier key's id does not match its name and key")
  return verifier
}

/** A note's signature line, ending in a newline. */
export const signatureLine = (verifier: Verifier, signature: Uint8Array): string =>
  `\u2014 ${verifier.name} ${toBase64(concat(verifier.keyId, signature))}\n`

/** A note: its text, an empty line, and one or more signature lines. */
export const noteText = (text: string, signatureLines: ReadonlyArray<string>): string =>
  `${text}\n${signatureLines.join("")}`

/** Reads a note strictly. Throws `Malformed`. */
export const parseNote = (note: string | Uint8Array): Note => {
  const whole = typeof note === "string" ? note : fromUtf8(note)
  if (!whole.isWellFormed() || /[^\P{Cc}\n]/u.test(whole)) {
    throw new Malformed("a note must not contain control characters other than newline")
  }
  const split = whole.lastIndexOf("\n\n")
  if (split < 0 || !whole.endsWith("\n"))
    throw new Malformed("a note must end in an empty line and signature lines")
  const lines = whole.slice(split + 2, -1).split("\n")
  if (lines.length > mostSignatures)
    throw new Malformed(`a note must have at most ${mostSignatures} signatures, not ${lines.length}`)
  const signatures = lines.map((line) => {
    const [dash, name = "", encoded = "", ...rest] = line.split(" ")
    if (dash !== "\u2014" || !nameForm.test(name) || rest.length > 0) {
      throw new Malformed("a signature line must be an em dash, a key name and base64")
    }
    const bytes = fromBase64(encoded)
    if (bytes.length < 5) throw new Malformed("a note signature must be a 4-byte key id and a signature")
    return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) }
  })
  return { text: whole.slice(0, split + 1), signatures }
}

/**
 * The verifiers whose signature on the note is valid. Skips lines from unknown keys (witnesses); returns undefined if a
 * line from a known key does not verify, because the note is then worthless.
 */
export const verifyNote = (
  note: Note,
  verifiers: ReadonlyArray<Verifier>
): ReadonlyArray<Verifier> | undefined => {
  const text = utf8(note.text)
  const held = new Set<Verifier>()
  for (const line of note.signatures) {
    const verifier = verifiers.find(
      (known) => known.name === line.name && equalBytes(known.keyId, line.keyId)
    )
    if (verifier === undefined) continue
    if (!verifyEd25519(line.signature, text, verifier.publicKey)) return undefined
    held.add(verifier)
  }
  return [...held]
}

/**
 * Signed notes and checkpoints (C2SP `signed-note` and `tlog-checkpoint`): the text that commits to a whole log, and
 * the lines that sign it. Standard log tools and witnesses read the same form.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, equalBytes, fromBase64, fromUtf8, Malformed, toBase64, toHex, utf8 } from "./bytes.ts"
import { verifyEd25519 } from "./ed25519.ts"

export interface Checkpoint {
  /** Names the log, for ever: a schemeless address. */
  readonly origin: string
  readonly size: number
  /** Merkle root over the log's entries, 32 bytes. */
  readonly root: Uint8Array
  /** When it was signed, by the operator's word: extension line `time <ISO 8601 UTC, whole seconds>`. */
  readonly time?: string
}

export interface NoteSignature {
  readonly name: string
  /** First 4 bytes of SHA-256(name, 0x0a, signature type, public key). */
  readonly keyId: Uint8Array
  readonly signature: Uint8Array
}

export interface Note {
  /** What is signed: ends in a newline. */
  readonly text: string
  readonly signatures: ReadonlyArray<NoteSignature>
}

/** An Ed25519 note verifier, as its key string `name+hex key id+base64(0x01 || public key)` holds it. */
export interface Verifier {
  readonly name: string
  readonly keyId: Uint8Array
  readonly publicKey: Uint8Array
}

const ed25519Type = Uint8Array.of(1)
const mostSignatures = 100

/** The text to sign: origin, size, base64 root, and the time if there is one; each line ended by a newline. */
export const checkpointText = (checkpoint: Checkpoint): string => {
  if (!nameForm.test(checkpoint.origin)) throw new Malformed("a checkpoint's origin has no spaces and no +")
  if (!Number.isSafeInteger(checkpoint.size) || checkpoint.size < 0)
    throw new Malformed("checkpoint: bad size")
  if (checkpoint.root.length !== 32) throw new Malformed("a checkpoint's root has 32 bytes")
  if (checkpoint.time !== undefined && !timeForm.test(checkpoint.time)) {
    throw new Malformed("a checkpoint's time is ISO 8601 UTC in whole seconds with Z")
  }
  const lines = [checkpoint.origin, String(checkpoint.size), toBase64(checkpoint.root)]
  return `${[...lines, ...(checkpoint.time === undefined ? [] : [`time ${checkpoint.time}`])].join("\n")}\n`
}

const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/
// A key name, and an origin since ours are the same: no white space and no plus sign.
const nameForm = /^[^\s+\p{Cc}]+$/u

/** Reads a checkpoint's text strictly; extension lines other than `time` are allowed and not interpreted. */
export const parseCheckpointText = (text: string): Checkpoint => {
  const lines = text.split("\n")
  if (lines.pop() !== "" || lines.length < 3 || lines.includes("")) {
    throw new Malformed("a checkpoint is three or more lines, none empty, each ended by a newline")
  }
  const [origin = "", size = "", root = "", ...extensions] = lines
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) {
    throw new Malformed("a checkpoint's second line is the tree size in decimal")
  }
  const times = extensions.filter((line) => line.startsWith("time "))
  const time = times[0]?.slice("time ".length)
  if (times.length > 1 || (time !== undefined && !timeForm.test(time))) {
    throw new Malformed("a checkpoint's time line is `time ` and ISO 8601 UTC in whole seconds, once")
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

/** Reads a verifier key string; a key id that is not of this name and key throws `Malformed`. */
export const parseVkey = (text: string): Verifier => {
  const [name = "", id = "", ...rest] = text.split("+")
  // Base64 has plus signs of its own.
  const key = fromBase64(rest.join("+"), 33)
  if (!nameForm.test(name) || key[0] !== 1) throw new Malformed("a verifier key is name+key id+Ed25519 key")
  const verifier = verifierOf(name, key.slice(1))
  if (toHex(verifier.keyId) !== id)
    throw new Malformed("the verifier key's id is not of this name and this key")
  return verifier
}

/** A signature line of a note, ended by a newline. */
export const signatureLine = (verifier: Verifier, signature: Uint8Array): string =>
  `\u2014 ${verifier.name} ${toBase64(concat(verifier.keyId, signature))}\n`

/** A note: its text, an empty line, and one or more signature lines. */
export const noteText = (text: string, signatureLines: ReadonlyArray<string>): string =>
  `${text}\n${signatureLines.join("")}`

/** Reads a note strictly. Throws `Malformed`. */
export const parseNote = (note: string | Uint8Array): Note => {
  const whole = typeof note === "string" ? note : fromUtf8(note)
  if (!whole.isWellFormed() || /[^\P{Cc}\n]/u.test(whole)) {
    throw new Malformed("a note has no control character but the newline")
  }
  const split = whole.lastIndexOf("\n\n")
  if (split < 0 || !whole.endsWith("\n")) throw new Malformed("a note ends in an empty line and signatures")
  const lines = whole.slice(split + 2, -1).split("\n")
  if (lines.length > mostSignatures) throw new Malformed(`a note has at most ${mostSignatures} signatures`)
  const signatures = lines.map((line) => {
    const [dash, name = "", encoded = "", ...rest] = line.split(" ")
    if (dash !== "\u2014" || !nameForm.test(name) || rest.length > 0) {
      throw new Malformed("a signature line is an em dash, a key name and base64")
    }
    const bytes = fromBase64(encoded)
    if (bytes.length < 5) throw new Malformed("a note signature is a key id of 4 bytes and a signature")
    return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) }
  })
  return { text: whole.slice(0, split + 1), signatures }
}

/**
 * The verifiers whose signature on the note holds. Lines of unknown keys (witnesses) say nothing and are passed
 * over; a line of a known key that does not verify makes the whole note worthless: `undefined`.
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

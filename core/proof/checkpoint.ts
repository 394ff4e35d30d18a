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

/** The key of one line of a note: `name+hex key id+base64(type || public key)` when written as a verifier key (vkey). */
export interface NoteKey {
  readonly name: string
  readonly keyId: Uint8Array
  /** Signature type, the first byte of the encoded key. */
  readonly type: number
  readonly publicKey: Uint8Array
}

/** An Ed25519 note verifier: a `NoteKey` of type 0x01. */
export type Verifier = NoteKey

const ed25519Type = 1
const mostSignatures = 100

/** The text to sign: origin, size and base64 root, each line ended by a newline. */
export const checkpointText = (checkpoint: Checkpoint): string => {
  if (!nameForm.test(checkpoint.origin))
    throw new Malformed("a checkpoint's origin must not contain spaces or +")
  if (!Number.isSafeInteger(checkpoint.size) || checkpoint.size < 0)
    throw new Malformed(`a checkpoint's size must be an integer, 0 or more, not ${checkpoint.size}`)
  if (checkpoint.root.length !== 32) throw new Malformed("a checkpoint's root must be 32 bytes")
  return `${checkpoint.origin}\n${checkpoint.size}\n${toBase64(checkpoint.root)}\n`
}

// A key name, which is also our origin: no white space and no plus sign.
const nameForm = /^[^\s+\p{Cc}]+$/u

/** Parses the text of any log's checkpoint; `extensions` are its lines after the third. Throws `Malformed`. */
export const parseAnyCheckpointText = (
  text: string
): Checkpoint & { readonly extensions: ReadonlyArray<string> } => {
  const lines = text.split("\n")
  if (lines.pop() !== "" || lines.length < 3 || lines.includes("")) {
    throw new Malformed("a checkpoint must be at least three non-empty lines, each ending in a newline")
  }
  const [origin = "", size = "", root = "", ...extensions] = lines
  if (!/^(0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size))) {
    throw new Malformed("a checkpoint's second line must be the tree size in decimal")
  }
  return { origin, size: Number(size), root: fromBase64(root, 32), extensions }
}

/** Parses a checkpoint of our own logs: exactly three lines, because nobody can audit a further one. Throws `Malformed`. */
export const parseCheckpointText = (text: string): Checkpoint => {
  const { extensions, ...checkpoint } = parseAnyCheckpointText(text)
  if (extensions.length > 0)
    throw new Malformed(`a checkpoint must be exactly three lines, not ${3 + extensions.length}`)
  return checkpoint
}

/** Key id of a note key (C2SP `signed-note`): first 4 bytes of SHA-256(name, 0x0a, type, public key). */
export const keyId = (name: string, publicKey: Uint8Array, type = ed25519Type): Uint8Array =>
  sha256(concat(utf8(`${name}\n`), Uint8Array.of(type), publicKey)).slice(0, 4)

export const noteKeyOf = (name: string, type: number, publicKey: Uint8Array): NoteKey => ({
  name,
  keyId: keyId(name, publicKey, type),
  type,
  publicKey
})

export const verifierOf = (name: string, publicKey: Uint8Array): Verifier =>
  noteKeyOf(name, ed25519Type, publicKey)

export const noteKeyText = ({ keyId, name, publicKey, type }: NoteKey): string =>
  `${name}+${toHex(keyId)}+${toBase64(concat(Uint8Array.of(type), publicKey))}`

export const vkey = (name: string, publicKey: Uint8Array): string => noteKeyText(verifierOf(name, publicKey))

/** Parses a verifier key of any type. Throws `Malformed` if its id does not match its name and key. */
export const parseNoteKey = (text: string): NoteKey => {
  const [name = "", id = "", ...rest] = text.split("+")
  // Base64 may contain plus signs.
  const typed = fromBase64(rest.join("+"))
  const [type] = typed
  if (!nameForm.test(name) || type === undefined)
    throw new Malformed("a verifier key must be <name>+<key id>+<base64 of type and key>")
  const key = noteKeyOf(name, type, typed.slice(1))
  if (toHex(key.keyId) !== id) throw new Malformed("the verifier key's id does not match its name and key")
  return key
}

/** Parses the verifier key of a log that signs with Ed25519 (type 0x01). Throws `Malformed`. */
export const parseVkey = (text: string): Verifier => {
  const key = parseNoteKey(text)
  if (key.type !== ed25519Type || key.publicKey.length !== 32)
    throw new Malformed("a log's verifier key must be <name>+<key id>+<Ed25519 key of type 0x01>")
  return key
}
/** A note's signature line, ending in a newline. */
export const signatureLine = (verifier: NoteKey, signature: Uint8Array): string =>
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
  return { text: whole.slice(0, split + 1), signatures: lines.map(parseSignatureLine) }
}

/** Reads one signature line, without its newline. Throws `Malformed`. */
export const parseSignatureLine = (line: string): NoteSignature => {
  const [dash, name = "", encoded = "", ...rest] = line.split(" ")
  if (dash !== "\u2014" || !nameForm.test(name) || rest.length > 0) {
    throw new Malformed("a signature line must be an em dash, a key name and base64")
  }
  const bytes = fromBase64(encoded)
  if (bytes.length < 5) throw new Malformed("a note signature must be a 4-byte key id and a signature")
  return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) }
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
  const signers = new Set<Verifier>()
  for (const line of note.signatures) {
    const verifier = verifiers.find(
      (verifier) => verifier.name === line.name && equalBytes(verifier.keyId, line.keyId)
    )
    if (verifier === undefined) continue
    if (!verifyEd25519(line.signature, text, verifier.publicKey)) return undefined
    signers.add(verifier)
  }
  return [...signers]
}

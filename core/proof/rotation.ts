/**
 * The rotation of the log's key: a signed note (C2SP `signed-note`) whose text is one line of canonical JSON, signed by the
 * old key and by the new. A log entry of kind `rotation` commits to the whole note.
 */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { noteText, parseNote, parseVkey, signatureLine, type Verifier, verifyNote } from "./checkpoint.ts"
import { thumbprint } from "./keys.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"
import { day } from "./time.ts"

/** What the note says. */
export interface Rotation {
  readonly v: Tag<"service-rotation-v1">
  readonly origin: string
  /** Verifier keys of the log, both named after its origin. */
  readonly old: string
  readonly new: string
  /** From when the new key signs. */
  readonly not_before: string
  /** Until when the old key signs too: 30 days after `not_before`. */
  readonly not_after: string
  readonly simulated?: true
}

/** A rotation whose two signatures hold. */
export interface SignedRotation {
  readonly rotation: Rotation
  readonly old: Verifier
  readonly new: Verifier
}

export const rotationTag = "service-rotation-v1"

/** How long both keys sign, in milliseconds. */
export const rotationOverlap = 30 * day

const shape: s.Shape<Rotation> = {
  v: s.oneOf<Tag<"service-rotation-v1">>(rotationTag, `${rotationTag}-demo`),
  origin: s.name,
  old: s.name,
  new: s.name,
  not_before: s.time,
  not_after: s.time,
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown) => {
  const rotation = s.readShape("a rotation", value, shape)
  checkTag(rotation, rotationTag)
  const [old, next] = [parseVkey(rotation.old), parseVkey(rotation.new)]
  if (old.name !== rotation.origin || next.name !== rotation.origin)
    throw new Malformed("a rotation's keys must be named after the log's origin")
  if (rotation.old === rotation.new) throw new Malformed("a rotation must name two different keys")
  if (Date.parse(rotation.not_after) - Date.parse(rotation.not_before) !== rotationOverlap)
    throw new Malformed("a rotation's not_after must be 30 days after its not_before")
  return { rotation, old, new: next }
}

/** The text to sign: one line of canonical JSON with its newline. Throws `Malformed` if the rotation is not valid. */
export const rotationText = (rotation: Rotation): string => `${canonical(check(rotation).rotation)}\n`

/** The note, from the two keys' signatures of `rotationText`. */
export const rotationNote = (
  rotation: Rotation,
  signatures: { readonly old: Uint8Array; readonly new: Uint8Array }
): string =>
  noteText(rotationText(rotation), [
    signatureLine(parseVkey(rotation.old), signatures.old),
    signatureLine(parseVkey(rotation.new), signatures.new)
  ])

/** Parses the note and checks both signatures. Throws `Malformed`. */
export const parseRotation = (note: string): SignedRotation => {
  const parsed = parseNote(note)
  const [line = "", end, ...more] = parsed.text.split("\n")
  if (end !== "" || more.length > 0) throw new Malformed("a rotation's text must be one line")
  const signed = check(parseCanonical(line))
  const signers = verifyNote(parsed, [signed.old, signed.new])
  if (parsed.signatures.length !== 2 || signers?.length !== 2)
    throw new Malformed(
      "a rotation must be signed by the old key and by the new key, and by no other",
      "signature"
    )
  return signed
}

/** Subject of the rotation's log entry: the new key's kid. */
export const rotationSubject = (rotation: Rotation): string => thumbprint(parseVkey(rotation.new).publicKey)

/**
 * The document of the service's keys that the log has: log entries of kind `keys` commit to it, one whenever a key was made or
 * got an end. It says what the served key document says, without what the clock alone changes, so no copy of that can differ.
 */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { demand } from "./check.ts"
import { parseVkey } from "./checkpoint.ts"
import {
  isDemoLog,
  type KeyDocument,
  lastingMember,
  type PublishedKey,
  parseLastingKey,
  thumbprint
} from "./keys.ts"
import { checkTag, type Tag, tagged } from "./leaf.ts"
import { parseRotation, type Rotation } from "./rotation.ts"
import * as s from "./shape.ts"

export interface KeysDocument {
  /** Counts the documents of a log from 1, without gaps. */
  readonly n: number
  /** The log's origin. A demo's ends in `/demo`. */
  readonly origin: string
  /** Every key of both purposes, the oldest first (`byAge`). */
  readonly keys: ReadonlyArray<PublishedKey>
  /** The notes of the rotations of the log's key, in the order of the log. */
  readonly rotations: ReadonlyArray<string>
}

interface Text {
  readonly v: Tag<"service-keys-v1">
  readonly n: number
  readonly checkpoint_origin: string
  readonly keys: ReadonlyArray<unknown>
  readonly rotations: ReadonlyArray<string>
  readonly simulated?: true
}

const keysTag = "service-keys-v1"
/** The kind of the document's log entry. */
export const keysKind = "keys"

const shape: s.Shape<Text> = {
  v: s.oneOf<Tag<"service-keys-v1">>(keysTag, `${keysTag}-demo`),
  n: s.ordinal,
  checkpoint_origin: s.name,
  keys: s.listOf(s.anything),
  rotations: s.listOf(s.text),
  simulated: s.optional(s.trueOrAbsent)
}

/** Subject of the document's log entry. */
export const keysSubject = ({ n }: Pick<KeysDocument, "n">): string => String(n)

/** The name of a key: one key may have both purposes. */
const nameOf = ({ publicKey, purpose }: PublishedKey): string => `${purpose} ${thumbprint(publicKey)}`

/** The order of the keys: by first use, then by when they were published, then by purpose and kid. */
const byAge = (a: PublishedKey, b: PublishedKey): number =>
  Date.parse(a.notBefore) - Date.parse(b.notBefore) ||
  Date.parse(a.announcedAt) - Date.parse(b.announcedAt) ||
  (nameOf(a) < nameOf(b) ? -1 : 1)

/** A rotation's note names keys of the list, with their periods. Throws `Malformed`. */
const demandListed = ({ origin, keys }: KeysDocument, rotation: Rotation): void => {
  demand(rotation.origin === origin, `a rotation is of the log ${rotation.origin}, the keys are of ${origin}`)
  const named = (verifier: string) => {
    const kid = thumbprint(parseVkey(verifier).publicKey)
    const key = keys.find((one) => nameOf(one) === `log ${kid}`)
    demand(key !== undefined, `a rotation names key ${kid}, which is not in the list`)
    return key
  }
  const [old, next] = [named(rotation.old), named(rotation.new)]
  demand(
    old.notAfter === rotation.not_after && next.notBefore === rotation.not_before,
    "the list and a rotation disagree on when the keys are in use"
  )
}

const check = (document: KeysDocument): KeysDocument => {
  const { keys, rotations } = document
  demand(keys.length > 0, "a document of keys must not be empty")
  demand(
    new Set(keys.map(nameOf)).size === keys.length,
    "a document of keys lists a key twice for one purpose"
  )
  const signed = rotations.map((note) => parseRotation(note).rotation)
  for (const rotation of signed) demandListed(document, rotation)
  demand(
    new Set(signed.map(({ old }) => old)).size === signed.length,
    "a key names two successors: the first rotation is final"
  )
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const keysText = (document: KeysDocument): string => {
  const { keys, n, origin, rotations } = check(document)
  const simulated = isDemoLog(origin)
  const text: Text = {
    v: tagged(keysTag, simulated),
    n,
    checkpoint_origin: origin,
    keys: keys.toSorted(byAge).map((key) => lastingMember(origin, key)),
    rotations,
    ...(simulated ? { simulated: true } : {})
  }
  return canonical(text)
}

/** Parses the document, which must be canonical JSON and have its keys in order. Throws `Malformed`. */
export const parseKeysDocument = (text: string): KeysDocument => {
  const read = s.readShape("a document of keys", parseCanonical(text), shape)
  checkTag(read, keysTag)
  const { checkpoint_origin: origin, n, rotations } = read
  const keys = read.keys.map(parseLastingKey)
  const document: KeysDocument = { n, origin, keys, rotations }
  if (keysText(document) !== text)
    throw new Malformed(
      "a document of keys must have its keys in order, with the members of a key and no other"
    )
  return document
}

/**
 * Throws `Malformed` unless `later` goes on from `earlier`, both of one log: keys stay, with their beginnings; an end that is
 * set stays; and rotations stay.
 */
export const demandContinues = (
  earlier: Pick<KeysDocument, "keys" | "origin" | "rotations">,
  later: Pick<KeysDocument, "keys" | "origin" | "rotations">
): void => {
  demand(
    later.origin === earlier.origin,
    `it is of the log ${later.origin}, not of ${earlier.origin}`,
    "origin"
  )
  for (const key of earlier.keys) {
    const name = nameOf(key)
    const now = later.keys.find((one) => nameOf(one) === name)
    demand(now !== undefined, `the key for ${name} is gone`, "contradiction")
    demand(
      now.announcedAt === key.announcedAt && now.notBefore === key.notBefore,
      `the key for ${name} began at ${key.notBefore}, published at ${key.announcedAt}; now it says ${now.notBefore} and ${now.announcedAt}`,
      "contradiction"
    )
    demand(
      key.notAfter === null || now.notAfter === key.notAfter,
      `the key for ${name} ends at ${key.notAfter}; now it says ${now.notAfter ?? "that it has no end"}`,
      "contradiction"
    )
  }
  for (const note of earlier.rotations)
    demand(
      later.rotations.includes(note),
      `the rotation to ${parseRotation(note).rotation.new} is gone`,
      "contradiction"
    )
}

/** The same of a served key document: what the log has of the keys is in it. Throws `Malformed`. */
export const demandServed = (logged: KeysDocument, served: KeyDocument): void =>
  demandContinues(logged, {
    origin: served.checkpointOrigin,
    keys: [...served.answers, ...served.log],
    rotations: served.rotations.map(({ document }) => document)
  })

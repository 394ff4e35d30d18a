/**
 * The restart of a log: a new log takes the place of an earlier one whose format is no longer read. A signed note (C2SP
 * `signed-note`) whose text is one line of canonical JSON, signed by the new log's key and by the key that signed the earlier
 * log's last head. Entry 0 of the new log, of kind `restart`, commits to the whole note.
 */
import { Malformed, toHex } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import {
  noteText,
  parseAnyCheckpointText,
  parseNote,
  parseVkey,
  signatureLine,
  type Verifier,
  verifyNote
} from "./checkpoint.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** What the note says. */
export interface Restart {
  readonly v: Tag<"service-restart-v1">
  /** Origin of the new log. */
  readonly origin: string
  /** Verifier key of the new log. */
  readonly key: string
  readonly earlier: {
    readonly origin: string
    /** Version of its leaves, entries and checkpoints. */
    readonly format: number
    /** Its last head: entries, root in hex, and the signed note. */
    readonly size: number
    readonly root: string
    readonly note: string
    /** Verifier key of the key that signed the head, named after the earlier origin. */
    readonly key: string
    /** The last day that it closed. The new log begins with the day after; without it, the earlier log closed none. */
    readonly last_day?: string
  }
  readonly simulated?: true
}

/** A restart whose signatures hold. */
export interface SignedRestart {
  readonly restart: Restart
  /** False if the earlier log's key was lost: then only the new log's key says so. */
  readonly byEarlierKey: boolean
}

export const restartTag = "service-restart-v1"
export const restartKind = "restart"

const shape: s.Shape<Restart> = {
  v: s.oneOf<Tag<"service-restart-v1">>(restartTag, `${restartTag}-demo`),
  origin: s.name,
  key: s.name,
  earlier: s.nested("a restart's earlier log", {
    origin: s.name,
    format: s.ordinal,
    size: s.ordinal,
    root: s.hash,
    note: s.text,
    key: s.name,
    last_day: s.optional(s.day)
  }),
  simulated: s.optional(s.trueOrAbsent)
}

interface Keys {
  readonly earlier: Verifier
  readonly key: Verifier
}

const check = (value: unknown): Keys & { readonly restart: Restart } => {
  const restart = s.readShape("a restart", value, shape)
  checkTag(restart, restartTag)
  const { earlier, origin } = restart
  const keys = { earlier: parseVkey(earlier.key), key: parseVkey(restart.key) }
  if (earlier.origin === origin) throw new Malformed("a restarted log must have an origin of its own")
  if (keys.key.name !== origin || keys.earlier.name !== earlier.origin)
    throw new Malformed("a restart's keys must be named after the origins of their logs")
  const note = parseNote(earlier.note)
  const head = parseAnyCheckpointText(note.text)
  if (head.origin !== earlier.origin || head.size !== earlier.size || toHex(head.root) !== earlier.root)
    throw new Malformed("the head in a restart's note is not the one that its members name")
  if (verifyNote(note, [keys.earlier])?.length !== 1)
    throw new Malformed("the head in a restart's note is not signed by the earlier log's key", "signature")
  return { restart, ...keys }
}

/** The text to sign: one line of canonical JSON with its newline. Throws `Malformed` if the restart is not valid. */
export const restartText = (restart: Restart): string => `${canonical(check(restart).restart)}\n`

/** The note, from the signatures of `restartText`; that of the earlier log's key is left out only if the key is lost. */
export const restartNote = (
  restart: Restart,
  signatures: { readonly key: Uint8Array; readonly earlier?: Uint8Array }
): string =>
  noteText(restartText(restart), [
    ...(signatures.earlier === undefined
      ? []
      : [signatureLine(parseVkey(restart.earlier.key), signatures.earlier)]),
    signatureLine(parseVkey(restart.key), signatures.key)
  ])

/** Parses the note, and checks its signatures and those of the earlier head. Throws `Malformed`. */
export const parseRestart = (note: string): SignedRestart => {
  const parsed = parseNote(note)
  const [line = "", end, ...more] = parsed.text.split("\n")
  if (end !== "" || more.length > 0) throw new Malformed("a restart's text must be one line")
  const { earlier, key, restart } = check(parseCanonical(line))
  const signed = verifyNote(parsed, [earlier, key]) ?? []
  if (!signed.includes(key) || signed.length !== parsed.signatures.length)
    throw new Malformed(
      "a restart must be signed by the new log's key and the earlier log's, and by no other",
      "signature"
    )
  return { restart, byEarlierKey: signed.includes(earlier) }
}

/** Subject of the restart's log entry: the origin of the earlier log. */
export const restartSubject = ({ earlier }: Restart): string => earlier.origin

/** Reads the newest checkpoint of a log: who signed it, whether that key may sign now, and which witnesses saw it. */
import { fromUtf8, Malformed, toHex } from "../bytes.ts"
import { parseJson } from "../canonical.ts"
import type { Pins } from "../check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "../checkpoint.ts"
import { type Cosigner, cosignaturesOf } from "../cosignature.ts"
import { isPinned, type KeyDocument, type LogServiceKey, parseKeyDocument } from "../keys.ts"
import { isMet, quorumOf } from "../policy.ts"
import { keysPath, logPath } from "../remote.ts"
import { signerOf } from "../verifyCheckpoint.ts"
import { type Finding, findingOf } from "./finding.ts"
import { CannotLook, type Source } from "./source.ts"
import type { State } from "./state.ts"

/** Whom the caller trusts. */
export interface Trust {
  readonly pins: Pins
  readonly witnesses: ReadonlyArray<Cosigner>
  /** How many of the witnesses must have cosigned the newest head. */
  readonly quorum: number
}

export interface Head {
  /** The signed note as served. */
  readonly note: string
  readonly checkpoint: Checkpoint
  readonly keys: KeyDocument
  readonly signer: LogServiceKey
}

export interface HeadLook {
  /** Undefined if there is nothing to go on from. */
  readonly head: Head | undefined
  readonly findings: ReadonlyArray<Finding>
  /** What nobody vouches for. */
  readonly unproved: ReadonlyArray<string>
}

const checkpointPath = `${logPath}/checkpoint`

const needed = async (source: Source, path: string): Promise<Uint8Array> => {
  const bytes = await source.read(path)
  if (bytes === undefined) throw new CannotLook(`${source.name}${path}: no such file`)
  return bytes
}

/** Reads the head. `now` is the monitor's clock, in epoch milliseconds. Throws `CannotLook`. */
export const readHead = async (
  source: Source,
  state: State | undefined,
  trust: Trust,
  now: number
): Promise<HeadLook> => {
  const [note, keysText] = [await needed(source, checkpointPath), await needed(source, keysPath)]
  let head: Head | undefined
  const findings = findingOf(
    { what: "head", where: checkpointPath, expected: "a checkpoint signed by a key of the log" },
    () => {
      const text = fromUtf8(note)
      const keys = parseKeyDocument(parseJson(fromUtf8(keysText)))
      head = {
        note: text,
        checkpoint: parseCheckpointText(parseNote(text).text),
        keys,
        signer: signerOf(text, parseJson(fromUtf8(keysText)))
      }
    }
  )
  if (head === undefined) return { head, findings, unproved: [] }
  const known = state !== undefined && state.origin !== head.checkpoint.origin
  if (known) {
    const found = `a head of ${head.checkpoint.origin}`
    return {
      head: undefined,
      findings: [{ what: "head", where: checkpointPath, expected: `a head of ${state.origin}`, found }],
      unproved: []
    }
  }
  const owner = ownerOf(head, state, trust)
  const witnesses = witnessesOf(head, trust)
  return {
    head,
    findings: [...findings, ...owner.findings, ...periodOf(head, state, now), ...witnesses.findings],
    unproved: [...owner.unproved, ...witnesses.unproved]
  }
}

interface Judged {
  readonly findings: ReadonlyArray<Finding>
  readonly unproved: ReadonlyArray<string>
}

/** Whether the operator vouches for the key: by a key that the caller gave, else by one that signed before. */
const ownerOf = ({ checkpoint, signer }: Head, state: State | undefined, trust: Trust): Judged => {
  const pins = trust.pins.length > 0 ? trust.pins : (state?.keys ?? [])
  if (pins.length === 0) {
    const why = `nobody vouches for key ${signer.kid}: compare it with a key the operator published elsewhere and give that (--key)`
    return { findings: [], unproved: [why] }
  }
  if (pins.some((pin) => isPinned(signer, pin, checkpoint.origin))) return { findings: [], unproved: [] }
  const expected =
    trust.pins.length > 0 ? "one of the given keys" : `a key that signed before (${pins.join(", ")})`
  return {
    findings: [{ what: "key", where: checkpointPath, expected, found: `key ${signer.kid}` }],
    unproved: []
  }
}

/**
 * Whether the key may sign now. A head that is new since the last look was signed after it, by the monitor's own clock: a key
 * cannot move that.
 */
const periodOf = (
  { checkpoint, signer }: Head,
  state: State | undefined,
  now: number
): ReadonlyArray<Finding> => {
  const about = { what: "key", where: checkpointPath }
  if (Date.parse(signer.notBefore) > now) {
    return [
      { ...about, expected: "a key in use", found: `key ${signer.kid}, announced for ${signer.notBefore}` }
    ]
  }
  const kept = state === undefined ? undefined : parseCheckpointText(parseNote(state.checkpoint).text)
  const grew = kept !== undefined && checkpoint.size > kept.size
  if (state === undefined || !grew || signer.notAfter === null) return []
  if (Date.parse(signer.notAfter) >= Date.parse(state.seen_at)) return []
  return [
    {
      ...about,
      expected: `a key in use after ${state.seen_at}, when the log had ${kept.size} entries`,
      found: `key ${signer.kid}, retired at ${signer.notAfter}`
    }
  ]
}

const witnessesOf = ({ note }: Head, { quorum, witnesses }: Trust): Judged => {
  if (witnesses.length === 0) return { findings: [], unproved: [] }
  const { signatures, text } = parseNote(note)
  try {
    const held = new Set(cosignaturesOf(text, signatures, witnesses).map(({ cosigner }) => cosigner))
    const enough = isMet(quorumOf(witnesses, quorum), (witness) => held.has(witness))
    const missing = witnesses.filter((witness) => !held.has(witness)).map(({ name }) => name)
    return {
      findings: [],
      unproved: enough
        ? []
        : [
            `${held.size} of the ${quorum} required witnesses cosigned the head; missing: ${missing.join(", ")}`
          ]
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    const expected = "cosignatures that hold"
    return {
      findings: [{ what: "witness", where: checkpointPath, expected, found: error.message }],
      unproved: []
    }
  }
}

/** A head in words. */
export const saysHead = ({ root, size }: Pick<Checkpoint, "root" | "size">): string =>
  `${size} entries, root ${toHex(root)}`

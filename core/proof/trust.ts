/**
 * Whom the caller trusts, and what follows from it: when a checkpoint was signed, whether its key was in use then, and whether
 * the operator vouches for that key, also after rotations.
 */
import { Malformed } from "./bytes.ts"
import { type Check, check, demand, notChecked, notProved, type Pins, reading } from "./check.ts"
import { noteKeyText, parseCheckpointText, parseNote, verifyNote } from "./checkpoint.ts"
import {
  type Cosignature,
  type Cosigner,
  cosignaturesOf,
  cosignatureType,
  parseLines
} from "./cosignature.ts"
import { demandAbout, parseEntry } from "./entry.ts"
import { isIncluded } from "./inclusion.ts"
import {
  isDemoLog,
  isPinned,
  isRetired,
  type KeyDocument,
  type LogServiceKey,
  type RotationProof,
  type ServiceKey
} from "./keys.ts"
import { clockTolerance } from "./leaf.ts"
import type { NotaryPolicy } from "./notaryPolicy.ts"
import { demandOther, ownOf } from "./others.ts"
import type { TimestampVerdict } from "./ots/verify.ts"
import { isMet, type Quorum } from "./policy.ts"
import { parseRotation, rotationSubject, type SignedRotation } from "./rotation.ts"
import { type AnchorOptions, verifyAnchor } from "./verifyAnchor.ts"

export interface Trust extends AnchorOptions {
  readonly pins?: Pins
  /** Witnesses whose cosignatures count. */
  readonly witnesses?: ReadonlyArray<Cosigner>
  /** The cosignatures that a checkpoint needs; none if absent. */
  readonly quorum?: Quorum
  /** Whose statements about upstreams count, and how many a value needs. */
  readonly notaries?: NotaryPolicy
  /** The hour of the first document of runs of the log, as the caller remembers it: what is older has no run. */
  readonly runsFrom?: string | undefined
  /** Why a signature that nothing dates is not proved: what the caller knows of the keys is too old. */
  readonly outdated?: string | undefined
}

/** A time by which a note existed, from somebody other than its signer. */
export interface Dated {
  /** Epoch milliseconds. */
  readonly by: number
  readonly says: string
}

const isoSecond = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/**
 * By which time a note existed: the block over it, else the earliest cosignature of a trusted witness. Not for a demo: its keys
 * begin and end by its own clock, and a witness has another.
 */
const dateOf = (
  origin: string,
  outcome: TimestampVerdict | undefined,
  cosignatures: ReadonlyArray<Cosignature>
): Dated | undefined => {
  if (outcome?.status === "verified") {
    const by = outcome.block.header.time * 1000
    return { by, says: `block ${outcome.block.height} of ${isoSecond(by)}` }
  }
  const [first] = cosignatures
  if (first === undefined || isDemoLog(origin)) return undefined
  const by = first.timestamp * 1000
  return { by, says: `the cosignature of ${first.cosigner.name} at ${isoSecond(by)}` }
}

/** The cosignatures of trusted witnesses, in the note or beside it, earliest first. Throws `Malformed`. */
const cosigned = (
  note: string,
  cosignatures: ReadonlyArray<string>,
  trust: Trust
): ReadonlyArray<Cosignature> => {
  const { signatures, text } = parseNote(note)
  return cosignaturesOf(text, [...signatures, ...parseLines(cosignatures)], trust.witnesses ?? [])
}

/** Checks that a trusted witness saw the note as the newest at or after `notBefore`. */
export const checkWitnessedSince = (note: string, notBefore: string, trust: Trust): Check => {
  const name = "checkpoint not stale"
  const read = reading(
    name,
    () => cosigned(note, [], trust).at(-1),
    () => ""
  )
  if (read.check.ok === false) return read.check
  if (read.value === undefined)
    return notProved(
      name,
      "a checkpoint has no time of its own, and no given witness cosigned it (--witness)"
    )
  const cosignedAt = isoSecond(read.value.timestamp * 1000)
  return check(name, () => {
    demand(
      Date.parse(cosignedAt) >= Date.parse(notBefore),
      `stale: last cosigned at ${cosignedAt}, before ${notBefore}`,
      "time"
    )
    return `cosigned at ${cosignedAt}`
  })
}

/** Checks that the witnesses of the caller's quorum cosigned; none if the caller named no witness. */
const quorumChecks = (
  cosignatures: ReadonlyArray<Cosignature>,
  { quorum, witnesses = [] }: Trust
): ReadonlyArray<Check> => {
  if (quorum === undefined && witnesses.length === 0) return []
  const cosigners = new Set(cosignatures.map(({ cosigner }) => cosigner))
  const says = cosignatures.map(
    ({ cosigner, timestamp }) => `${cosigner.name} at ${isoSecond(timestamp * 1000)}`
  )
  const text = `cosigned by ${says.length === 0 ? "none of the given witnesses" : says.join(", ")}`
  const unread = witnesses.filter(({ type }) => type !== cosignatureType)
  return [
    quorum === undefined || isMet(quorum, (witness) => cosigners.has(witness))
      ? { name: "witnesses", ok: true, detail: text }
      : notProved("witnesses", `${text}: too few for the quorum`),
    ...(unread.length === 0
      ? []
      : [
          notChecked(
            "ML-DSA-44 cosignatures",
            `those of ${unread.map(({ name }) => name).join(", ")}: this verifier does not know the algorithm, and counts none`,
            "newer"
          )
        ])
  ]
}

const twoHours = 7_200_000

/**
 * Checks that the key was in use when it signed. A time that the key itself chose says nothing. The reader's clock does not end
 * a key of a demo, which the demo's clock may not have reached: its own document does.
 */
const inUse = (
  key: LogServiceKey,
  origin: string,
  dated: Dated | undefined,
  { now, outdated }: Pick<Trust, "now" | "outdated">
): Check => {
  const name = "key in use"
  const isDemo = isDemoLog(origin)
  if (dated === undefined) {
    if (isRetired(key, isDemo ? undefined : now)) {
      return notProved(
        name,
        `key ${key.kid} was retired at ${key.notAfter}, and neither a block nor a given witness says that the checkpoint is older`,
        "time"
      )
    }
    if (outdated !== undefined) return notProved(name, outdated, "key")
    return check(name, () => {
      demand(
        // The document says what a key is; a clock that is not the demo's can tell as well.
        key.status !== "announced" &&
          (isDemo || now === undefined || Date.parse(key.notBefore) <= now + clockTolerance),
        `key ${key.kid} is announced, but not in use before ${key.notBefore}`,
        "time"
      )
      return isDemo
        ? `key ${key.kid} is in use by the clock of the demo, whose data are simulated`
        : `key ${key.kid} is in use since ${key.notBefore}; the time of the signature is by the operator's word`
    })
  }
  if (key.notAfter !== null && dated.by > Date.parse(key.notAfter)) {
    return notProved(
      name,
      `key ${key.kid} was retired at ${key.notAfter}, before ${dated.says}: it may have signed after its end`,
      "time"
    )
  }
  return check(name, () => {
    demand(
      dated.by >= Date.parse(key.notBefore) - twoHours,
      `key ${key.kid} came into use at ${key.notBefore}, after ${dated.says}`,
      "time"
    )
    return `key ${key.kid} was in use by ${dated.says}`
  })
}

/** The rotations of the document, each with its verified note. Throws `Malformed`, also if a key has two successors. */
const successions = ({ rotations }: KeyDocument) => {
  const read = rotations.map((proof) => ({ proof, signed: parseRotation(proof.document) }))
  const successors = new Map<string, string>()
  for (const { signed } of read) {
    const { new: next, old } = signed.rotation
    demand(
      (successors.get(old) ?? next) === next,
      `the key ${old} names two successors, ${successors.get(old)} and ${next}: nobody can tell which is the operator's`,
      "key"
    )
    successors.set(old, next)
  }
  return read
}

/** Throws `Malformed` unless the log holds the rotation, under a checkpoint that the old key signed. */
const demandLogged = (proof: RotationProof, { old, rotation }: SignedRotation): void => {
  const entry = parseEntry(proof.entry)
  demandAbout(
    entry,
    {
      kind: "rotation",
      subject: rotationSubject(rotation),
      simulated: rotation.simulated,
      text: proof.document
    },
    "the rotation's note"
  )
  const note = parseNote(proof.checkpoint)
  const checkpoint = parseCheckpointText(note.text)
  demand(
    checkpoint.origin === rotation.origin && checkpoint.size === proof.size,
    "the rotation's checkpoint is of another log, or of another size than its proof",
    "contradiction"
  )
  demand(
    verifyNote(note, [old])?.length === 1,
    "the rotation's checkpoint is not signed by the old key",
    "signature"
  )
  demand(
    isIncluded(proof.entry, proof, checkpoint.root),
    "the inclusion proof does not lead from the rotation's entry to its checkpoint",
    "hash"
  )
}

/** A rotation whose signatures and whose place in the log, under a head of the old key, hold. Throws `Malformed`. */
export const readRotation = (proof: RotationProof): SignedRotation => {
  const signed = parseRotation(proof.document)
  demandLogged(proof, signed)
  return signed
}

/** Why a rotation that is in the log is not proved, or undefined if it is. Throws `Malformed` if it does not hold. */
const undated = (proof: RotationProof, { rotation }: SignedRotation, trust: Trust): string | undefined => {
  const { check: anchored, outcome } = verifyAnchor(proof.anchor, proof.checkpoint, undefined, trust)
  if (anchored.ok === false)
    throw new Malformed(`the anchor of the rotation's checkpoint: ${anchored.detail}`, anchored.reason)
  const dated = dateOf(rotation.origin, outcome, cosigned(proof.checkpoint, proof.cosignatures ?? [], trust))
  if (dated === undefined)
    return "neither a block nor a given witness says that the rotation was made before the old key's end"
  demand(
    dated.by <= Date.parse(rotation.not_after),
    `the rotation is dated by ${dated.says}, after the old key's end at ${rotation.not_after}`,
    "time"
  )
  return undefined
}

/** Checks that the operator vouches for the key: the caller gave it, or a rotation leads to it from one that he gave. */
const vouched = (key: LogServiceKey, document: KeyDocument, trust: Trust): Check => {
  const name = "operator's key"
  const { pins = [] } = trust
  const origin = document.checkpointOrigin
  const isGiven = (one: ServiceKey) => pins.some((pin) => isPinned(one, pin, origin))
  if (document.answers.some(isGiven) && !document.log.some(isGiven)) {
    return notProved(
      name,
      `the given key signs answers, and key ${key.kid} signs the log; give the operator's key for the log too (--key)`,
      "key"
    )
  }
  let lack: string | undefined
  const vouching = check(name, () => {
    const read = successions(document)
    if (pins.length === 0) return ""
    if (isGiven(key)) return `signed with the given key ${key.kid}`
    const steps: Array<string> = []
    for (let at = key; !isGiven(at); ) {
      const step = read.find(({ signed }) => signed.rotation.new === keyText(at))
      const before = document.log.find((one) => step?.signed.rotation.old === keyText(one))
      demand(
        step !== undefined && before !== undefined && steps.length < read.length,
        `signed with key ${key.kid}, which is not one of the given keys, and no rotation leads to it from one`,
        "key"
      )
      const { rotation } = step.signed
      demand(
        sameTime(before.notAfter, rotation.not_after) && sameTime(at.notBefore, rotation.not_before),
        "the key document and the rotation disagree on when the keys were in use",
        "contradiction"
      )
      demandLogged(step.proof, step.signed)
      lack ??= undated(step.proof, step.signed, trust)
      steps.unshift(before.kid)
      at = before
    }
    return `signed with key ${key.kid}, the successor of the given key ${steps.join(", then of ")}`
  })
  if (vouching.ok === true && pins.length === 0) return unvouched(key.kid)
  return vouching.ok === true && lack !== undefined
    ? notProved(name, `${vouching.detail}: ${lack}`, "key")
    : vouching
}

const keyText = ({ verifier }: LogServiceKey): string => noteKeyText(verifier)

const sameTime = (a: string | null, b: string): boolean => a !== null && Date.parse(a) === Date.parse(b)

/** What a key needs if the caller gave none. */
export const unvouched = (kid: string): Check =>
  notProved(
    "operator's key",
    `nobody vouches for key ${kid}: it comes from the same source as the data, and an attacker would supply another. Get the ` +
      `operator's key independently (its website, a colleague, an earlier copy), and pass it: --key=${kid}`,
    "key"
  )

/** Throws `Malformed` for a cosignature from before what the note holds, or of a time that has not come yet. */
const demandPossible = (
  { cosigner, timestamp }: Cosignature,
  notOlderThan: string | undefined,
  now: number | undefined
): void => {
  const at = timestamp * 1000
  demand(
    notOlderThan === undefined || at >= Date.parse(notOlderThan) - clockTolerance,
    `${cosigner.name} cosigned at ${isoSecond(at)}, before the batch in it was closed at ${notOlderThan}`,
    "time"
  )
  demand(
    now === undefined || at <= now + clockTolerance,
    `${cosigner.name} cosigned at ${isoSecond(at)}, a time that has not come yet`,
    "time"
  )
}

/** The checks of a key that signed a checkpoint. */
export const signerChecks = (
  signed: {
    readonly note: string
    readonly cosignatures: ReadonlyArray<string>
    readonly outcome?: TimestampVerdict | undefined
    /** A time that the note cannot be older than, such as the close of a batch in it. */
    readonly notOlderThan?: string | undefined
  },
  signers: ReadonlyArray<LogServiceKey>,
  document: KeyDocument,
  trust: Trust
): ReadonlyArray<Check> => {
  const { pins = [] } = trust
  const origin = document.checkpointOrigin
  // During a rotation two keys sign: the one that the caller gave decides, else the newer.
  const key =
    signers.find((one) => pins.some((pin) => isPinned(one, pin, origin))) ??
    [...signers].sort((a, b) => Date.parse(b.notBefore) - Date.parse(a.notBefore))[0]
  if (key === undefined) return []
  const witnessed = reading(
    "witnesses",
    () => {
      const own = ownOf(document)
      for (const witness of trust.witnesses ?? []) demandOther("witness", witness, own)
      const all = cosigned(signed.note, signed.cosignatures, trust)
      if (!isDemoLog(origin)) for (const one of all) demandPossible(one, signed.notOlderThan, trust.now)
      return all
    },
    () => ""
  )
  const cosignatures = witnessed.value ?? []
  return [
    inUse(key, origin, dateOf(origin, signed.outcome, cosignatures), trust),
    vouched(key, document, trust),
    ...(witnessed.value === undefined ? [witnessed.check] : quorumChecks(cosignatures, trust))
  ]
}

/**
 * What a reader remembers of operators: a file of the keys that he was given or has seen, the log that each belongs to, and the
 * rotations of that log's key. It stays with him, so nobody who sends him something to check can change it.
 */
import { Malformed } from "../../../../core/proof/bytes.ts"
import { isRecord } from "../../../../core/proof/canonical.ts"
import { type Check, check, demand, failed, type Pins } from "../../../../core/proof/check.ts"
import { parseVkey } from "../../../../core/proof/checkpoint.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import {
  isPinned,
  type KeyDocument,
  type KeyPurpose,
  type RotationProof,
  type ServiceKey,
  thumbprint
} from "../../../../core/proof/keys.ts"
import { parseRotation, type Rotation } from "../../../../core/proof/rotation.ts"
import * as s from "../../../../core/proof/shape.ts"
import { day } from "../../../../core/proof/time.ts"
import { readRotation } from "../../../../core/proof/trust.ts"

export interface RememberedKey {
  readonly kid: string
  readonly purpose: KeyPurpose
  /** `given`: by the reader. `rotation`: the operator's key before it names it. `first use`: seen, and nobody vouches for it. */
  readonly by: "given" | "rotation" | "first use"
  /** ISO 8601 UTC. */
  readonly since: string
}

/** A rotation of the log's key whose two signatures and whose entry in the log held. */
export interface RememberedRotation {
  readonly old: string
  readonly new: string
  /** The old key signs nothing after this. */
  readonly not_after: string
}

/** A signed head that was checked. */
export interface RememberedHead {
  readonly size: number
  /** Hex. */
  readonly root: string
  /** The signed note: the evidence, should another head of this size appear. */
  readonly note: string
}

/** Two signed heads of one size with two roots: evidence against the operator. */
export interface RememberedFork {
  readonly at: string
  readonly remembered: string
  readonly other: string
}

/** One log and the keys of its operator. */
export interface RememberedLog {
  readonly origin: string
  readonly keys: ReadonlyArray<RememberedKey>
  readonly rotations: ReadonlyArray<RememberedRotation>
  /** The newest heads that were checked, one for each size. */
  readonly heads: ReadonlyArray<RememberedHead>
  readonly forks: ReadonlyArray<RememberedFork>
  /** The hour of the log's first document of runs, where that was proved. */
  readonly runs_from?: string
  /** When the reader last gave a key of it, or saw its key document at its own address. */
  readonly checked: string
}

export type Memory = ReadonlyArray<RememberedLog>

const tag = "service-pins-v1"

/** Heads and forks of a log that are remembered. */
const mostHeads = 500

/** A key of a memory counts as fresh for so long, in milliseconds: a rotation since then cannot be known. */
const freshFor = 30 * day

const key = s.nested<RememberedKey>("a key", {
  kid: s.name,
  purpose: s.oneOf("answers", "log"),
  by: s.oneOf("given", "rotation", "first use"),
  since: s.time
})
const rotation = s.nested<RememberedRotation>("a rotation", { old: s.name, new: s.name, not_after: s.time })
const log: s.Shape<RememberedLog> = {
  origin: s.name,
  keys: s.listOf(key),
  rotations: s.listOf(rotation),
  heads: s.listOf(s.nested<RememberedHead>("a head", { size: s.count, root: s.hash, note: s.text })),
  forks: s.listOf(s.nested<RememberedFork>("two heads", { at: s.time, remembered: s.text, other: s.text })),
  runs_from: s.optional(s.hour),
  checked: s.time
}

/** Reads the file. Throws `Malformed`. */
export const parseMemory = (text: string): Memory => {
  const value = parseJson(text)
  if (!isRecord(value) || value.v !== tag || !Array.isArray(value.logs))
    throw new Malformed(`a file of pins must be an object with \`v\`: "${tag}" and a list \`logs\``)
  return value.logs.map((one) => s.readShape("a log", one, log))
}

/** The file's text. */
export const memoryText = (memory: Memory): string => `${JSON.stringify({ v: tag, logs: memory }, null, 2)}\n`

export const rememberedLog = (memory: Memory | undefined, origin: string): RememberedLog | undefined =>
  memory?.find((one) => one.origin === origin)

/** The other log that a key is remembered for: a key proves one log. */
const otherLogOf = (memory: Memory | undefined, kid: string, origin: string): string | undefined =>
  memory?.find((one) => one.origin !== origin && one.keys.some((each) => each.kid === kid))?.origin

/** The kids that the reader was given, or that rotations lead to from them. */
export const vouchedKids = (remembered: RememberedLog | undefined): ReadonlyArray<string> =>
  remembered?.keys.flatMap(({ by, kid }) => (by === "first use" ? [] : [kid])) ?? []

/** True if a rotation since the memory was made cannot be ruled out. `now` is in epoch milliseconds. */
export const isStale = (remembered: RememberedLog, now: number): boolean =>
  now - Date.parse(remembered.checked) > freshFor

const isBefore = (a: string, b: unknown): boolean => typeof b !== "string" || Date.parse(a) < Date.parse(b)

/**
 * A key document with the ends that the reader remembers: a document that says that a rotated key goes on signing does not
 * make it so. Anything else is left as it is, for the verification to judge.
 */
export const withRememberedEnds = (keys: unknown, remembered: RememberedLog | undefined): unknown => {
  if (remembered === undefined || !isRecord(keys) || !Array.isArray(keys.keys)) return keys
  const ends = new Map(remembered.rotations.map((one) => [one.old, one.not_after]))
  return {
    ...keys,
    keys: keys.keys.map((member: unknown) => {
      if (!isRecord(member) || member.purpose !== "log") return member
      const end = ends.get(String(member.kid))
      return end !== undefined && isBefore(end, member.not_after) ? { ...member, not_after: end } : member
    })
  }
}

/** The remembered head that another one contradicts: of the same size, with another root. */
export const contradicted = (
  remembered: RememberedLog | undefined,
  head: RememberedHead | undefined
): RememberedHead | undefined =>
  head === undefined
    ? undefined
    : remembered?.heads.find(({ root, size }) => size === head.size && root !== head.root)

/**
 * The remembered head that another one is held to by a proof: the next larger, which it must be the beginning of, else the largest. None
 * where a head of this size was seen, or no head at all.
 */
export const nextTo = (
  remembered: RememberedLog | undefined,
  head: RememberedHead | undefined
): RememberedHead | undefined => {
  if (head === undefined || remembered === undefined) return undefined
  const heads = remembered.heads.toSorted((one, other) => one.size - other.size)
  return heads.some(({ size }) => size === head.size)
    ? undefined
    : (heads.find(({ size }) => size > head.size) ?? heads.at(-1))
}

/** What is said of two heads that cannot both be of one log; `place` is the file that has both. */
export const forkCheck = (
  origin: string,
  earlier: RememberedHead,
  head: RememberedHead,
  place: string
): Check =>
  failed(
    "remembered head",
    `${origin} had the root ${earlier.root} with ${head.size} entries when this reader saw it, and here it has ${head.root}: two signed heads that cannot both be true. Both notes are in ${place} (\`forks\`): send them to the witnesses of this log, to whoever relies on it, and to its operator, and make them public`,
    "contradiction"
  )

/** The memory with both heads as evidence. */
export const withFork = (memory: Memory, origin: string, fork: RememberedFork): Memory =>
  memory.map((one) =>
    one.origin === origin && one.forks.every(({ other }) => other !== fork.other)
      ? { ...one, forks: [...one.forks, fork].slice(-mostHeads) }
      : one
  )

/** What the memory says of a key document: its keys belong to this log, and a rotation that was seen is the first and the last. */
export const memoryChecks = (memory: Memory, document: KeyDocument): ReadonlyArray<Check> => {
  const { checkpointOrigin: origin } = document
  const remembered = rememberedLog(memory, origin)
  const isElsewhere = document.log.some(({ kid }) => otherLogOf(memory, kid, origin) !== undefined)
  if (remembered === undefined && !isElsewhere) return []
  return [
    check("remembered keys", () => {
      for (const { kid } of document.log) {
        const other = otherLogOf(memory, kid, origin)
        demand(
          other === undefined,
          `key ${kid} is that of the log ${other}, and a key proves one log; this is ${origin}`,
          "key"
        )
      }
      for (const { document: note } of document.rotations) {
        const { rotation } = parseRotation(note)
        const [old, next] = [kidOf(rotation.old), kidOf(rotation.new)]
        const earlier = remembered?.rotations.find((one) => one.old === old)
        demand(
          earlier === undefined || earlier.new === next,
          `key ${old} was followed by key ${earlier?.new}, as this reader has seen; here it names ${next}, and the first rotation is final`,
          "key"
        )
      }
      return `nothing contradicts what was seen of ${origin} until ${remembered?.checked ?? "now"}`
    })
  ]
}

/** The rotation, if its signatures and its place in the log hold. */
const heldRotation = (proof: RotationProof): Rotation | undefined => {
  try {
    return readRotation(proof).rotation
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

const kidOf = (verifier: string): string => thumbprint(parseVkey(verifier).publicKey)

/** What was seen of a service in one verification. */
export interface Sighting {
  readonly document: KeyDocument
  /** The kids of the keys that signed what was verified. */
  readonly signers: ReadonlyArray<string>
  /** Keys that the reader gave by hand, in any form. */
  readonly given: Pins
  /** True if the document came from the service's own address just now. */
  readonly isLive: boolean
  /** A head that was checked. */
  readonly head?: RememberedHead
  /** The hour of the first document of runs, where it was proved. */
  readonly runsFrom?: string | undefined
  /** ISO 8601 UTC. */
  readonly at: string
}

/**
 * Remembers what held. Keys that nobody vouches for are noted as of first use. A rotation is remembered whichever of its keys signed
 * what was verified, or was given: both signed the rotation itself.
 */
export const remember = (
  memory: Memory,
  { at, document, given: explicit, head, isLive, runsFrom, signers }: Sighting
): Memory => {
  const { checkpointOrigin: origin } = document
  const before = rememberedLog(memory, origin)
  const keys = new Map((before?.keys ?? []).map((one) => [`${one.purpose} ${one.kid}`, one]))
  const note = (one: ServiceKey, by: RememberedKey["by"]): void => {
    const name = `${one.purpose} ${one.kid}`
    const before = keys.get(name)
    if (before === undefined || (before.by === "first use" && by !== "first use"))
      keys.set(name, { kid: one.kid, purpose: one.purpose, by, since: at })
  }
  const rotated = document.rotations.flatMap((proof) => {
    const rotation = heldRotation(proof)
    return rotation === undefined
      ? []
      : [{ old: kidOf(rotation.old), new: kidOf(rotation.new), not_after: rotation.not_after }]
  })
  // Nothing signs the document, so of its keys only those count that signed something: a rotation, too.
  const signing = new Set([...signers, ...rotated.flatMap((one) => [one.old, one.new])])
  const all = [...document.answers, ...document.log].filter(({ kid }) => signing.has(kid))
  const isGiven = (one: ServiceKey) => explicit.some((pin) => isPinned(one, pin, origin))
  for (const one of all) if (isGiven(one)) note(one, "given")
  const isVouched = (kid: string) =>
    [...keys.values()].some((one) => one.purpose === "log" && one.kid === kid && one.by !== "first use")
  const rotations = [...(before?.rotations ?? [])]
  for (const rotation of rotated) {
    const successor = document.log.find(({ kid }) => kid === rotation.new)
    if (isVouched(rotation.old) && successor !== undefined) note(successor, "rotation")
    const isSeen = [rotation.old, rotation.new].some((kid) => isVouched(kid) || signers.includes(kid))
    if (isSeen && !rotations.some((one) => one.old === rotation.old)) rotations.push(rotation)
  }
  for (const one of all) if (signers.includes(one.kid)) note(one, "first use")
  const isFresh = isLive || all.some(isGiven)
  const heads = before?.heads ?? []
  const isNew = head !== undefined && heads.every(({ size }) => size !== head.size)
  const first = before?.runs_from ?? runsFrom
  const log: RememberedLog = {
    origin,
    keys: [...keys.values()],
    rotations,
    heads: isNew ? [...heads, head].slice(-mostHeads) : heads,
    forks: before?.forks ?? [],
    ...(first === undefined ? {} : { runs_from: first }),
    checked: before === undefined || isFresh ? at : before.checked
  }
  return [...memory.filter((one) => one.origin !== origin), log]
}

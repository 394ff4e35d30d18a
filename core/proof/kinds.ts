/** The kinds of evidence that a bundle of version 4 may carry. What is new in a proof is a new kind here, and no new version. */
import { sha256 } from "@noble/hashes/sha2.js"
import { type Agreed, agreedShape } from "./agreed.ts"
import { bodyShape, saidIn } from "./body.ts"
import { CouldNotLook, Malformed, toHex, utf8 } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { chainEvidenceShape, type DemandLater } from "./chainEvidence.ts"
import { type Check, check, demand, failed, notChecked, notProved, reading } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { firstKeysShape, loggedKeysShape, type RunEvidence, runEvidenceShape } from "./evidence.ts"
import { type Kind, kind, type Spine, type StepTitle } from "./kind.ts"
import { type AbsentSeries, isNumberText, type RowLeaf, readingLine } from "./leaf.ts"
import { runWithRow } from "./observed.ts"
import type { RanLeaf } from "./runLeaf.ts"
import * as s from "./shape.ts"
import { checkAgreed, laterHeadOf } from "./verifyAgreed.ts"
import { demandLater, laterDocumentShape } from "./verifyLater.ts"
import { checkFirstKeys, checkLoggedKeys } from "./verifyLoggedKeys.ts"
import { checkNotaries } from "./verifyNotaries.ts"
import { checkRun, derivesTheDay, needsRun } from "./verifyRun.ts"

/** The incident that keeps a value out of what is served. */
export interface Excluded {
  readonly incident: number
  readonly reason: string
  readonly opened_at: string
}

export const excludedShape: s.Shape<Excluded> = { incident: s.ordinal, reason: s.nonEmpty, opened_at: s.time }

/** What a bundle says of an incident: only its number can be in the leaf, and only that of one that was open at the close. */
const excluded = kind({
  kind: "excluded",
  v: 1,
  shape: excludedShape,
  verify: (member, { leaf }) => {
    if (member === undefined) return []
    const where = "look it up in /v1/incidents, and in the log with `monitor`"
    if (leaf?.kind === "absent")
      return [failed("excluded", "an absence has no reading that an incident could exclude", "contradiction")]
    return [
      leaf?.excluded_by === member.incident
        ? notProved(
            "excluded",
            `the leaf is excluded by incident ${member.incident}; nothing here proves its reason and its time: ${where}`
          )
        : notProved(
            "excluded",
            `nothing here proves that incident ${member.incident} excludes the value since it was sealed: ${where}`
          )
    ]
  },
  steps: { excluded: "Incident" },
  options: []
})

/** The lines are of the leaf's day, in order, and the last one gives its value. Throws `Malformed`. */
const demandLines = (lines: ReadonlyArray<string>, leaf: RowLeaf): void => {
  let before = Number.NEGATIVE_INFINITY
  for (const line of lines) {
    const [asOf = "", value = "", ...more] = line.split("|")
    demand(
      s.time.is(asOf) && isNumberText(value) && more.length === 0,
      `${line} is not a reading \`as_of|value\``
    )
    demand(
      asOf.startsWith(`${leaf.day}T`),
      `the reading of ${asOf} is not of the leaf's day, ${leaf.day}`,
      "contradiction"
    )
    demand(Date.parse(asOf) > before, `the reading of ${asOf} is out of order, or there twice`)
    before = Date.parse(asOf)
  }
  const last = lines.at(-1)
  const says = readingLine(leaf)
  demand(
    last === undefined || last === says,
    `the last reading is ${last}, but the leaf says ${says}`,
    "contradiction"
  )
}

/** The readings of the day. */
export interface Readings {
  readonly lines: ReadonlyArray<string>
}

const readings = kind({
  kind: "readings",
  v: 1,
  shape: { lines: s.listOf(s.text) } as s.Shape<Readings>,
  verify: (member, { leaf }) => {
    if (leaf === undefined)
      return member === undefined ? [] : [notChecked("readings", "the leaf cannot be read", "unavailable")]
    if (member === undefined) {
      return leaf.kind === "absent"
        ? []
        : [
            notChecked(
              "readings",
              "the bundle does not have the readings of the day, which are kept for a time",
              "unavailable"
            )
          ]
    }
    const { lines } = member
    return [
      check("readings", () => {
        demand(
          leaf.kind !== "absent",
          "the bundle has readings, but proves that there were none",
          "contradiction"
        )
        demand(
          toHex(sha256(utf8(lines.join("\n")))) === leaf.readings_sha256,
          "the readings do not match the leaf's readings_sha256",
          "hash"
        )
        demand(
          lines.length === leaf.n_observations,
          `the bundle has ${lines.length} readings, but the leaf counts ${leaf.n_observations}`,
          "contradiction"
        )
        demandLines(lines, leaf)
        return `${lines.length} readings of the day`
      })
    ]
  },
  steps: { readings: "Leaf" },
  options: []
})

/** A series without a reading, and the text of the whole list that its day's absence leaf commits to. */
export interface Absence extends AbsentSeries {
  readonly list: string
}

export const absenceShape: s.Shape<Absence> = {
  symbol: s.name,
  metric: s.name,
  source: s.name,
  ended: s.optional(s.trueOrAbsent),
  list: s.text
}

/**
 * Which of the series of an absence leaf is meant: the check `value` of the spine reads it. That the service listed it is proved; of the
 * rows that its runs read without a leaf the log has hashes alone.
 */
const absence = kind({
  kind: "absence",
  v: 1,
  shape: absenceShape,
  verify: (member, { leaf }) =>
    member === undefined || leaf?.kind !== "absent"
      ? []
      : [notChecked("no run read it", derivesTheDay(leaf.day))],
  steps: { "no run read it": "Leaf" },
  options: []
})

const keys = kind({
  kind: "keys",
  v: 1,
  shape: loggedKeysShape,
  verify: (member, { batch, checkpoint, firstKeys, signed }) => {
    if (checkpoint === undefined) return []
    return member === undefined && firstKeys !== undefined
      ? [checkFirstKeys(firstKeys, checkpoint, signed)]
      : [checkLoggedKeys(member, checkpoint, signed, batch)]
  },
  steps: { "keys in log": "Head" },
  options: []
})

/** That the log had no keys under the bundle's head: the check `keys in log` reads it. */
const firstKeys = kind({
  kind: "first-keys",
  v: 1,
  shape: firstKeysShape,
  verify: () => [],
  steps: {},
  options: []
})

/** The head that a run is under: the bundle's, or one that extends it. */
const headOfRun = ({ head }: RunEvidence, checkpoint: Checkpoint, { signed }: Spine) =>
  reading(
    "run",
    () => {
      if (head === undefined) return checkpoint
      if (signed === undefined)
        throw new Malformed("the signature of the bundle's checkpoint does not hold", "signature")
      return laterHeadOf(head, checkpoint, signed, "the run")
    },
    () => ""
  )

const run = kind({
  kind: "run",
  v: 1,
  shape: runEvidenceShape,
  verify: (member = {}, spine) => {
    const { batch, batchIndex, beside, checkpoint, demands, leaf } = spine
    if (checkpoint === undefined) return []
    const later = headOfRun(member, checkpoint, spine)
    return later.value === undefined
      ? [later.check]
      : [
          ...checkRun(member, {
            checkpoint: later.value,
            signed: spine.signed,
            leaf,
            batch,
            batchIndex,
            runsFrom: demands.runsFrom,
            hasBody: beside.body !== undefined
          }),
          ...checkNotaries(member.observed, later.value, leaf, demands.notaries, spine)
        ]
  },
  steps: {
    run: "Run",
    "the value follows from the body": "Run",
    "the last of its day": "Run",
    drawn: "Run",
    schedule: "Run",
    notaries: "Notaries"
  },
  options: ["notary", "notaries"]
})

/** The run that a body is of, under its head. Throws `Malformed` unless it is a run that has the value's row. */
const runOfBody = (spine: Spine, leaf: RowLeaf): RanLeaf => {
  const { checkpoint, beside } = spine
  const { observed } = beside.run ?? {}
  if (observed === undefined || checkpoint === undefined)
    throw new CouldNotLook("the run that read the body is not beside it")
  const later = headOfRun(beside.run ?? {}, checkpoint, spine)
  if (later.value === undefined) throw new CouldNotLook("the run that read the body does not hold")
  return runWithRow(observed, later.value, leaf).run
}

const body = kind({
  kind: "body",
  v: 1,
  shape: bodyShape,
  verify: (member, spine) => {
    const { leaf } = spine
    if (member === undefined) return []
    if (leaf === undefined) return [notChecked("body", "the leaf cannot be read", "unavailable")]
    return [
      check("body", () => {
        demand(needsRun(leaf), "a leaf without a reading has no body that says it", "contradiction")
        return `run ${runOfBody(spine, leaf).run} read ${saidIn(member, runOfBody(spine, leaf), leaf)}`
      })
    ]
  },
  steps: { body: "Run" },
  options: []
})

const agreement = kind({
  kind: "agreement",
  v: 1,
  shape: agreedShape,
  verify: (member: Agreed | undefined, { checkpoint, leaf, signed }) =>
    member === undefined || checkpoint === undefined ? [] : [checkAgreed(member, checkpoint, signed, leaf)],
  steps: { "other operators": "Other operators" },
  options: []
})

/** That the log has a document under a head that extends the bundle's. */
const laterUnder =
  ({ checkpoint, signed }: Spine): DemandLater =>
  (logged, about) => {
    if (checkpoint === undefined || signed === undefined)
      throw new CouldNotLook("the signature of the bundle's checkpoint does not hold")
    demandLater(logged, about, checkpoint, signed)
  }

const chain = kind({
  kind: "chain",
  v: 1,
  shape: chainEvidenceShape,
  verify: (member, spine) =>
    member === undefined
      ? []
      : (spine.demands.chains?.(member, spine.leaf, laterUnder(spine)) ?? [
          notChecked("state of the chain", "proofs of chains are not checked here", "unavailable")
        ]),
  steps: { "state of the chain": "State of its chain", "block of the chain": "Block of its chain" },
  options: []
})

/** Who signed the block that the evidence `chain` names. */
const finality = kind({
  kind: "finality",
  v: 1,
  shape: laterDocumentShape,
  verify: (member, spine) =>
    spine.demands.finality?.(member, spine.beside.chain, laterUnder(spine)) ??
    (member === undefined
      ? []
      : [
          notChecked("block signed on the chain", "signatures of chains are not checked here", "unavailable")
        ]),
  steps: { "block signed on the chain": "Block of its chain" },
  options: ["trust", "final"]
})

export const kinds = [
  absence,
  excluded,
  readings,
  keys,
  firstKeys,
  run,
  body,
  chain,
  finality,
  agreement
] as const

export type AnyKind = (typeof kinds)[number]

type MemberOf<K> = K extends Kind<string, infer A, string> ? A : never

/** What a bundle has of each kind. */
export type Members = { readonly [K in AnyKind as K["kind"]]?: MemberOf<K> }

type ChecksOf<K> = K extends Kind<string, infer _, infer CheckName> ? CheckName : never

/** Names of the checks that evidence is put to. */
export type EvidenceCheck = ChecksOf<AnyKind>

/** Options of the command that ask for evidence. */
export type EvidenceOption = AnyKind["options"][number]

/** One of a bundle's list. Its other members are the kind's. */
export interface EvidenceItem {
  readonly kind: string
  readonly v: number
}

/** Of a name that is no kind, nothing is read but this. */
const nameForm = /^[a-z][a-z0-9-]{0,39}$/

/** More than any list has; a stranger's longer one is not read. */
const most = 64

const itemsOf = (list: unknown): ReadonlyArray<EvidenceItem> => {
  demand(Array.isArray(list) && list.length <= most, `\`evidence\` must be a list of at most ${most}`)
  const items = list.map((item: unknown) => {
    demand(
      isRecord(item) &&
        typeof item["kind"] === "string" &&
        nameForm.test(item["kind"]) &&
        s.ordinal.is(item["v"]),
      "each of `evidence` must have a `kind` in lower case and a `v`"
    )
    return { ...item, kind: item["kind"], v: item["v"] }
  })
  const twice = items.find(({ kind: name }, index) => items.findIndex((one) => one.kind === name) !== index)
  demand(twice === undefined, `the evidence ${twice?.kind} is there twice`)
  return items
}

/**
 * Reads a bundle's list: what is known of it by kind, and what is not, which is no fault. Throws `Malformed` where a kind that is known
 * has other members than it must.
 */
export const readEvidence = (
  list: unknown
): { readonly members: Members; readonly unknown: ReadonlyArray<EvidenceItem> } => {
  const members: Record<string, unknown> = {}
  const unknown: Array<EvidenceItem> = []
  for (const { kind: name, v, ...rest } of itemsOf(list)) {
    const definition = kinds.find((one) => one.kind === name && one.v === v)
    if (definition === undefined) unknown.push({ kind: name, v })
    else members[name] = s.readShape<object>(`the evidence ${name}`, rest, definition.shape)
  }
  return { members, unknown }
}

/** The list of what is there, in the order of the kinds. */
export const evidenceOf = (members: Members): ReadonlyArray<EvidenceItem> =>
  kinds.flatMap(({ kind: name, v }) => {
    const member = members[name]
    return member === undefined ? [] : [{ kind: name, v, ...member }]
  })

/** Each kind's checks of what a bundle has of it, and of what it lacks. */
export const checkEvidence = (
  members: Members,
  unknown: ReadonlyArray<EvidenceItem>,
  spine: Spine
): ReadonlyArray<Check> => [
  ...kinds.flatMap((one) => verifyMember(one, members, spine)),
  ...unknown.map(({ kind: name, v }) =>
    notChecked(
      `evidence ${name}`,
      `this verifier does not know it${kinds.some((one) => one.kind === name) ? ` in version ${v}` : ""}`,
      "newer"
    )
  )
]

/** The member that a kind is given is its own, since `readEvidence` put it there by its name. */
const verifyMember = (
  one: Pick<Kind<string, object, EvidenceCheck>, "kind" | "verify">,
  members: Readonly<Record<string, object | undefined>>,
  spine: Spine
): ReadonlyArray<Check<EvidenceCheck>> => one.verify(members[one.kind], spine)

/** The step that shows each check of evidence. */
export const stepsOfEvidence: Readonly<Record<EvidenceCheck, StepTitle>> = Object.assign(
  {},
  ...kinds.map(({ steps }) => steps)
)

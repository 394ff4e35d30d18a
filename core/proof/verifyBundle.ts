/** Verifies a bundle, from the served value up to the Bitcoin block that timestamps it. */
import { checkLeafOf } from "./batch.ts"
import { type Bundle, type Bundle4, type Parts, partsOf } from "./bundle.ts"
import { fromBase64, fromHex, Malformed, toHex } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import type { ChainChecks, FinalityChecks } from "./chainEvidence.ts"
import { type Check, check, demand, notChecked, notProved, reading } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type BatchEntry, isBatch, parseEntry } from "./entry.ts"
import type { Evidence } from "./evidence.ts"
import { isIncluded } from "./inclusion.ts"
import { parseKeyDocument } from "./keys.ts"
import { checkEvidence } from "./kinds.ts"
import { type Leaf, parseLeaf, provenAbsence, type RowLeaf } from "./leaf.ts"
import type { BitcoinNetwork } from "./ots/bitcoin.ts"
import { parseDetached } from "./ots/codec.ts"
import { heightsOf, type TimestampVerdict } from "./ots/verify.ts"
import { signerChecks, type Trust } from "./trust.ts"
import { verifyAnchor } from "./verifyAnchor.ts"
import { checkEarlier, checkFresh, pinsOf, signersOf } from "./verifyCheckpoint.ts"

export interface BundleOptions extends Trust {
  /** What was gathered beside the bundle, from the service, a mirror or a file. */
  readonly evidence?: Evidence
  /** What checks the proof of a chain that the bundle has (`chainsFor`); without it that is not checked. */
  readonly chains?: ChainChecks
  /** What checks who signed the block of that proof, given with it. */
  readonly finality?: FinalityChecks
  /** What the bundle should be about; a bundle for anything else fails. */
  readonly about?: {
    readonly symbol?: string
    readonly metric?: string
    readonly day?: string
    readonly source?: string
  }
  /** A checkpoint kept earlier, which the bundle's must not contradict. Its signers are trusted if no key is given. */
  readonly kept?: string
  /** A batch closed before this time is stale and fails. */
  readonly notBefore?: string
}

export interface BundleVerdict {
  readonly checks: ReadonlyArray<Check>
  readonly leaf: Leaf | undefined
  readonly timestamp: TimestampVerdict | undefined
}

/** Heights of the blocks named by the bundle's timestamp; empty if it cannot be read. */
export const blocksOf = (
  bundle: Bundle | Bundle4,
  network: BitcoinNetwork = "bitcoin"
): ReadonlyArray<number> => {
  const { ots } = partsOf(bundle).block
  if (ots === undefined) return []
  try {
    return heightsOf(parseDetached(fromBase64(ots)).timestamp, network)
  } catch (error) {
    if (error instanceof Malformed) return []
    throw error
  }
}

/** All members that a row may have. One that is absent in the leaf is absent in the row. */
const rowMembers = [
  "symbol",
  "metric",
  "value",
  "value_text",
  "unit",
  "source",
  "verify_url",
  "as_of",
  "simulated"
] as const

/** Makes every check of a bundle, in chain order. A check whose input failed is reported as not checked. */
export const verifyBundle = (
  bundle: Bundle | Bundle4,
  { evidence, ...options }: BundleOptions = {}
): BundleVerdict => {
  const parts = partsOf(bundle, evidence)
  const leaf = reading(
    "leaf",
    () => parseLeaf(parts.leaf),
    (read) =>
      `${read.kind} of ${read.day}, ${read.simulated === true ? "SIMULATED: made by the demo, not measured" : "canonical"}`
  )
  const entry = reading("batch entry", () => readBatch(parts, leaf.value), saysBatch)
  const checkpoint = reading(
    "checkpoint form",
    () => parseCheckpointText(parseNote(parts.head).text),
    (read) => `${read.origin}, ${read.size} entries`
  )
  // The checkpoint is not older than the batch that it contains.
  const timestamp = verifyAnchor(parts.block, parts.head, entry.value?.closed_at, options)
  const signed = checkpoint.value === undefined ? undefined : readSigned(parts, checkpoint.value, entry.value)
  const checks: Array<Check> = [
    leaf.check,
    leaf.value === undefined
      ? notChecked("value", "the leaf cannot be read", "unavailable")
      : checkValue(parts, leaf.value),
    ...checkAbout(parts, leaf.value, options.about),
    entry.check,
    entry.value === undefined
      ? notChecked("leaf in batch", "the batch entry does not hold", "unavailable")
      : checkInBatch(parts, entry.value),
    checkpoint.check,
    ...(checkpoint.value === undefined || signed === undefined
      ? [notChecked("batch in log", "the checkpoint cannot be read", "unavailable")]
      : [
          checkInLog(parts, checkpoint.value),
          ...checkSignature(parts, checkpoint.value, entry.value, signed, timestamp.outcome, options)
        ]),
    ...checkEvidence(parts.members, parts.unknown, {
      leaf: leaf.value,
      batch: entry.value,
      batchIndex: parts.log.index,
      checkpoint: checkpoint.value,
      signed: signed?.value,
      beside: parts.members,
      firstKeys: parts.members["first-keys"],
      demands: options
    }),
    timestamp.check
  ]
  return { checks, leaf: leaf.value, timestamp: timestamp.outcome }
}

/** Nobody's cosignatures were looked at: said, since a log that only one reader sees has none that he trusts. */
const unwitnessed = ({ cosignatures }: Parts, { quorum, witnesses }: Trust): ReadonlyArray<Check> =>
  quorum !== undefined || (witnesses ?? []).length > 0
    ? []
    : [
        notChecked(
          "witnesses",
          cosignatures.length === 0
            ? "no witness cosigned this head"
            : `${cosignatures.map((line) => line.split(" ")[1] ?? "?").join(", ")} cosigned it; give the key of a witness that you trust, and it is checked (\`--witness\` of the command, a field of the page /verify)`
        )
      ]

const readBatch = (parts: Parts, leaf: Leaf | undefined): BatchEntry => {
  const entry = parseEntry(parts.batch.entry)
  demand(isBatch(entry), "the log entry is not a batch", "contradiction")
  demand(
    entry.tree_size === parts.batch.size,
    `the batch has ${entry.tree_size} leaves, but the proof is for a tree of ${parts.batch.size}`,
    "contradiction"
  )
  if (leaf === undefined) return entry
  checkLeafOf(entry, leaf)
  const isLast = parts.batch.index === entry.tree_size - 1
  demand(
    isLast === (leaf.kind === "absent"),
    `leaf ${parts.batch.index} of ${entry.tree_size} is ${leaf.kind}, but the absence leaf is the last, and no other`,
    "contradiction"
  )
  return entry
}

const saysBatch = (entry: BatchEntry): string =>
  `${entry.days.join(", ")}: ${entry.tree_size} leaves, closed ${entry.closed_at}${entry.late ? ", late" : ""}`

/** Throws `Malformed` unless the row that version 2 has beside the leaf says the same. */
const demandRow = (row: unknown, leaf: RowLeaf): void => {
  demand(isRecord(row), "the bundle's row must be an object")
  const unknown = Object.keys(row).find((member) => !rowMembers.some((allowed) => allowed === member))
  demand(unknown === undefined, `the row has the member ${unknown}, which no leaf commits to`)
  for (const member of rowMembers) {
    demand(
      row[member] === leaf[member],
      `the row has ${member} = ${JSON.stringify(row[member])}, but the leaf has ${JSON.stringify(leaf[member])}`,
      "contradiction"
    )
  }
}

const checkValue = (parts: Parts, leaf: Leaf): Check =>
  check("value", () => {
    const { absence, excluded } = parts.members
    if ("row" in parts)
      demand(
        (parts.row === undefined) !== (absence === undefined),
        "the bundle must have either a row or an absence"
      )
    if (leaf.kind === "absent") {
      demand(absence !== undefined, "an absence leaf cannot prove a value", "contradiction")
      const { ended } = provenAbsence(leaf, absence.list, absence)
      demand(
        ended === absence.ended,
        "the bundle and the list of absences disagree on whether the series ended",
        "contradiction"
      )
      return `${absence.symbol} ${absence.metric} of ${absence.source} had no reading on ${leaf.day} by ${leaf.cut_off}${ended === true ? ", and is expected no longer" : ""}`
    }
    demand(absence === undefined, "the bundle has an absence, but its leaf is of a value", "contradiction")
    if ("row" in parts) demandRow(parts.row, leaf)
    demand(
      leaf.excluded_by === undefined || excluded?.incident === leaf.excluded_by,
      `the leaf is excluded by incident ${leaf.excluded_by}, but the bundle does not say so`,
      "contradiction"
    )
    const by = leaf.excluded_by === undefined ? "" : `, excluded by incident ${leaf.excluded_by}`
    return `${leaf.symbol} ${leaf.metric} = ${leaf.value_text ?? leaf.value} ${leaf.unit} at ${leaf.as_of} (${leaf.source}), version ${leaf.version} (a newer one may exist)${by}${leaf.n_observations === 0 ? ", WITHDRAWN: every reading of the day is excluded" : ""}`
  })

const checkAbout = (
  { members: { absence } }: Parts,
  leaf: Leaf | undefined,
  about: BundleOptions["about"]
): ReadonlyArray<Check> => {
  if (about === undefined) return []
  if (leaf === undefined) return [notChecked("asked for", "the leaf cannot be read", "unavailable")]
  return [
    check("asked for", () => {
      demand(
        about.day === undefined || leaf.day === about.day,
        `the leaf is for ${leaf.day}, not ${about.day}`,
        "origin"
      )
      // An absence leaf commits to a list; the bundle says which series on it is meant.
      const series = leaf.kind === "absent" ? absence : leaf
      demand(series !== undefined, "the bundle does not say whose absence it proves", "missing")
      demand(
        about.symbol === undefined || series.symbol === about.symbol,
        `the bundle is for ${series.symbol}, not ${about.symbol}`,
        "origin"
      )
      demand(
        about.metric === undefined || series.metric === about.metric,
        `the bundle is for ${series.metric}, not ${about.metric}`,
        "origin"
      )
      demand(
        about.source === undefined || series.source === about.source,
        `the bundle is from ${series.source}, not ${about.source}`,
        "origin"
      )
      return `the bundle is about the requested ${leaf.kind === "absent" ? "absence" : "value"}`
    })
  ]
}

const checkInBatch = (parts: Parts, entry: BatchEntry): Check =>
  check("leaf in batch", () => {
    const { index, size } = parts.batch
    demand(
      isIncluded(parts.leaf, parts.batch, fromHex(entry.root, 32)),
      `the inclusion proof does not lead from leaf ${index} of ${size} to the batch's root ${entry.root}`,
      "hash"
    )
    return `leaf ${index} of ${size} under root ${entry.root}`
  })

const checkInLog = (parts: Parts, checkpoint: Checkpoint): Check =>
  check("batch in log", () => {
    const { index, size } = parts.log
    demand(
      size === checkpoint.size,
      `the checkpoint covers ${checkpoint.size} entries, but the proof is for a log of ${size}`,
      "contradiction"
    )
    demand(
      isIncluded(parts.batch.entry, parts.log, checkpoint.root),
      `the inclusion proof does not lead from entry ${index} of ${size} to the checkpoint's root`,
      "hash"
    )
    return `entry ${index} of ${size} under root ${toHex(checkpoint.root)}`
  })

const readSigned = ({ head, keys }: Parts, { origin }: Checkpoint, entry: BatchEntry | undefined) =>
  reading(
    "checkpoint signature",
    () => {
      const document = parseKeyDocument(keys)
      return {
        document,
        signers: signersOf(head, document, entry === undefined ? undefined : entry.simulated === true)
      }
    },
    ({ signers }) => `signed by ${origin} with key ${signers.map(({ kid }) => kid).join(" and ")}`
  )

const checkSignature = (
  parts: Parts,
  checkpoint: Checkpoint,
  entry: BatchEntry | undefined,
  signed: ReturnType<typeof readSigned>,
  outcome: TimestampVerdict | undefined,
  options: BundleOptions
): ReadonlyArray<Check> => {
  const { cosignatures, head: note } = parts
  return [
    signed.check,
    ...(signed.value === undefined
      ? [notProved("key in use", "the key that signed the checkpoint is unknown", "unavailable")]
      : signerChecks(
          { note, cosignatures, outcome, notOlderThan: entry?.closed_at },
          signed.value.signers,
          signed.value.document,
          { ...options, pins: pinsOf(options.pins, options.kept, signed.value.document) }
        )),
    ...unwitnessed(parts, options),
    ...(options.notBefore === undefined ? [] : [checkFresh(entry?.closed_at, options.notBefore)]),
    ...(options.kept === undefined ? [] : [checkEarlier(checkpoint, options.kept)])
  ]
}

/** Verifies a bundle, from the served value up to the Bitcoin block that timestamps it. */
import { sha256 } from "@noble/hashes/sha2.js"
import { checkLeafOf } from "./batch.ts"
import type { Bundle } from "./bundle.ts"
import { fromBase64, fromHex, Malformed, toHex, utf8 } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { type Check, check, demand, notChecked, notProved, reading } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type BatchEntry, isBatch, parseEntry } from "./entry.ts"
import type { Evidence } from "./evidence.ts"
import { isIncluded } from "./inclusion.ts"
import { parseKeyDocument } from "./keys.ts"
import { isNumberText, type Leaf, parseLeaf, provenAbsence, type RowLeaf, readingLine } from "./leaf.ts"
import type { BitcoinNetwork } from "./ots/bitcoin.ts"
import { parseDetached } from "./ots/codec.ts"
import { heightsOf, type TimestampVerdict } from "./ots/verify.ts"
import { time } from "./shape.ts"
import { signerChecks, type Trust } from "./trust.ts"
import { checkAgreed, laterHeadOf } from "./verifyAgreed.ts"
import { verifyAnchor } from "./verifyAnchor.ts"
import { checkEarlier, checkFresh, pinsOf, signersOf } from "./verifyCheckpoint.ts"
import { checkLoggedKeys } from "./verifyLoggedKeys.ts"
import { checkNotaries } from "./verifyNotaries.ts"
import { checkRun } from "./verifyRun.ts"

export interface BundleOptions extends Trust {
  /** What was gathered beside the bundle, from the service, a mirror or a file. */
  readonly evidence?: Evidence
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
  { anchor: { ots } }: Bundle,
  network: BitcoinNetwork = "bitcoin"
): ReadonlyArray<number> => {
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
export const verifyBundle = (bundle: Bundle, options: BundleOptions = {}): BundleVerdict => {
  const leaf = reading(
    "leaf",
    () => parseLeaf(bundle.leaf),
    (read) =>
      `${read.kind} of ${read.day}, ${read.simulated === true ? "SIMULATED: made by the demo, not measured" : "canonical"}`
  )
  const entry = reading("batch entry", () => readBatch(bundle, leaf.value), saysBatch)
  const checkpoint = reading(
    "checkpoint form",
    () => parseCheckpointText(parseNote(bundle.log.checkpoint).text),
    (read) => `${read.origin}, ${read.size} entries`
  )
  // The checkpoint is not older than the batch that it contains.
  const timestamp = verifyAnchor(bundle.anchor, bundle.log.checkpoint, entry.value?.closed_at, options)
  const checks: Array<Check> = [leaf.check]
  checks.push(
    leaf.value === undefined
      ? notChecked("value", "the leaf cannot be read")
      : checkValue(bundle, leaf.value),
    ...checkAbout(bundle, leaf.value, options.about),
    ...checkExcluded(bundle, leaf.value),
    ...checkReadings(bundle, leaf.value),
    entry.check,
    entry.value === undefined
      ? notChecked("leaf in batch", "the batch entry does not hold")
      : checkInBatch(bundle, entry.value),
    checkpoint.check
  )
  if (checkpoint.value === undefined) {
    checks.push(notChecked("batch in log", "the checkpoint cannot be read"))
  } else {
    checks.push(checkInLog(bundle, checkpoint.value))
    const signed = readSigned(bundle, checkpoint.value, entry.value)
    checks.push(...checkSignature(bundle, checkpoint.value, entry.value, signed, timestamp.outcome, options))
    checks.push(...checkBeside(bundle, checkpoint.value, entry.value, signed.value, leaf.value, options))
  }
  checks.push(timestamp.check)
  return { checks, leaf: leaf.value, timestamp: timestamp.outcome }
}

/** What is beside a bundle: the run of its value, the notaries that carried it, and what other operators have. */
const checkBeside = (
  { log }: Bundle,
  checkpoint: Checkpoint,
  batch: BatchEntry | undefined,
  signed: ReturnType<typeof readSigned>["value"],
  leaf: Leaf | undefined,
  { evidence = {}, notaries, runsFrom }: BundleOptions
): ReadonlyArray<Check> => {
  const { agreement, head, observed } = evidence
  const later = reading(
    "run",
    () => {
      if (head === undefined) return checkpoint
      if (signed === undefined) throw new Malformed("the signature of the bundle's checkpoint does not hold")
      return laterHeadOf(head, checkpoint, signed, "the run")
    },
    () => ""
  )
  const ofRun =
    later.value === undefined
      ? [later.check]
      : [
          ...checkRun(evidence, {
            checkpoint: later.value,
            leaf,
            batch,
            batchIndex: log.index,
            runsFrom
          }),
          ...checkNotaries(observed, later.value, leaf, notaries)
        ]
  return agreement === undefined ? ofRun : [...ofRun, checkAgreed(agreement, checkpoint, signed, leaf)]
}

/** Nobody's cosignatures were looked at: said, since a log that only one reader sees has none that he trusts. */
const unwitnessed = (
  { log: { cosignatures = [] } }: Bundle,
  { quorum, witnesses }: Trust
): ReadonlyArray<Check> =>
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

const readBatch = (bundle: Bundle, leaf: Leaf | undefined): BatchEntry => {
  const entry = parseEntry(bundle.batch.entry)
  demand(isBatch(entry), "the log entry is not a batch")
  demand(
    entry.tree_size === bundle.batch.size,
    `the batch has ${entry.tree_size} leaves, but the proof is for a tree of ${bundle.batch.size}`
  )
  if (leaf === undefined) return entry
  checkLeafOf(entry, leaf)
  const isLast = bundle.batch.index === entry.tree_size - 1
  demand(
    isLast === (leaf.kind === "absent"),
    `leaf ${bundle.batch.index} of ${entry.tree_size} is ${leaf.kind}, but the absence leaf is the last, and no other`
  )
  return entry
}

const saysBatch = (entry: BatchEntry): string =>
  `${entry.days.join(", ")}: ${entry.tree_size} leaves, closed ${entry.closed_at}${entry.late ? ", late" : ""}`

const checkValue = (bundle: Bundle, leaf: Leaf): Check =>
  check("value", () => {
    demand(
      (bundle.row === undefined) !== (bundle.absent === undefined),
      "the bundle must have either a row or an absence"
    )
    if (leaf.kind === "absent") {
      const { absent } = bundle
      demand(absent !== undefined, "an absence leaf cannot prove a value")
      const { ended } = provenAbsence(leaf, absent.list, absent)
      demand(
        ended === absent.ended,
        "the bundle and the list of absences disagree on whether the series ended"
      )
      return `${absent.symbol} ${absent.metric} of ${absent.source} had no reading on ${leaf.day} by ${leaf.cut_off}${ended === true ? ", and is expected no longer" : ""}`
    }
    const { row } = bundle
    demand(isRecord(row), "the bundle's row must be an object")
    const unknown = Object.keys(row).find((member) => !rowMembers.some((allowed) => allowed === member))
    demand(unknown === undefined, `the row has the member ${unknown}, which no leaf commits to`)
    for (const member of rowMembers) {
      demand(
        row[member] === leaf[member],
        `the row has ${member} = ${JSON.stringify(row[member])}, but the leaf has ${JSON.stringify(leaf[member])}`
      )
    }
    demand(
      leaf.excluded_by === undefined || bundle.excluded?.incident === leaf.excluded_by,
      `the leaf is excluded by incident ${leaf.excluded_by}, but the bundle does not say so`
    )
    const excluded = leaf.excluded_by === undefined ? "" : `, excluded by incident ${leaf.excluded_by}`
    return `${leaf.symbol} ${leaf.metric} = ${leaf.value_text ?? leaf.value} ${leaf.unit} at ${leaf.as_of} (${leaf.source}), version ${leaf.version} (a newer one may exist)${excluded}${leaf.n_observations === 0 ? ", WITHDRAWN: every reading of the day is excluded" : ""}`
  })

const checkAbout = (
  { absent }: Bundle,
  leaf: Leaf | undefined,
  about: BundleOptions["about"]
): ReadonlyArray<Check> => {
  if (about === undefined) return []
  if (leaf === undefined) return [notChecked("asked for", "the leaf cannot be read")]
  return [
    check("asked for", () => {
      demand(
        about.day === undefined || leaf.day === about.day,
        `the leaf is for ${leaf.day}, not ${about.day}`
      )
      // An absence leaf commits to a list; the bundle says which series on it is meant.
      const series = leaf.kind === "absent" ? absent : leaf
      demand(series !== undefined, "the bundle does not say whose absence it proves")
      demand(
        about.symbol === undefined || series.symbol === about.symbol,
        `the bundle is for ${series.symbol}, not ${about.symbol}`
      )
      demand(
        about.metric === undefined || series.metric === about.metric,
        `the bundle is for ${series.metric}, not ${about.metric}`
      )
      demand(
        about.source === undefined || series.source === about.source,
        `the bundle is from ${series.source}, not ${about.source}`
      )
      return `the bundle is about the requested ${leaf.kind === "absent" ? "absence" : "value"}`
    })
  ]
}

/** What the bundle says of an incident: only its number can be in the leaf, and only that of one that was open at the close. */
const checkExcluded = ({ excluded }: Bundle, leaf: Leaf | undefined): ReadonlyArray<Check> => {
  if (excluded === undefined) return []
  const name = "excluded"
  const where = "look it up in /v1/incidents, and in the log with `monitor`"
  if (leaf?.kind === "absent")
    return [{ name, ok: false, detail: "an absence has no reading that an incident could exclude" }]
  return [
    leaf?.excluded_by === excluded.incident
      ? notProved(
          name,
          `the leaf is excluded by incident ${excluded.incident}; nothing here proves its reason and its time: ${where}`
        )
      : notProved(
          name,
          `nothing here proves that incident ${excluded.incident} excludes the value since it was sealed: ${where}`
        )
  ]
}

const checkReadings = (bundle: Bundle, leaf: Leaf | undefined): ReadonlyArray<Check> => {
  const { readings } = bundle
  if (leaf === undefined)
    return readings === undefined ? [] : [notChecked("readings", "the leaf cannot be read")]
  if (readings === undefined) {
    return leaf.kind === "absent"
      ? []
      : [
          notChecked(
            "readings",
            "the bundle does not have the readings of the day, which are kept for a time"
          )
        ]
  }
  return [
    check("readings", () => {
      demand(leaf.kind !== "absent", "the bundle has readings, but proves that there were none")
      demand(
        toHex(sha256(utf8(readings.join("\n")))) === leaf.readings_sha256,
        "the readings do not match the leaf's readings_sha256"
      )
      demand(
        readings.length === leaf.n_observations,
        `the bundle has ${readings.length} readings, but the leaf counts ${leaf.n_observations}`
      )
      checkLines(readings, leaf)
      return `${readings.length} readings of the day`
    })
  ]
}

/** The lines are of the leaf's day, in order, and the last one gives its value. Throws `Malformed`. */
const checkLines = (lines: ReadonlyArray<string>, leaf: RowLeaf): void => {
  let before = Number.NEGATIVE_INFINITY
  for (const line of lines) {
    const [asOf = "", value = "", ...more] = line.split("|")
    demand(
      time.is(asOf) && isNumberText(value) && more.length === 0,
      `${line} is not a reading \`as_of|value\``
    )
    demand(asOf.startsWith(`${leaf.day}T`), `the reading of ${asOf} is not of the leaf's day, ${leaf.day}`)
    demand(Date.parse(asOf) > before, `the reading of ${asOf} is out of order, or there twice`)
    before = Date.parse(asOf)
  }
  const last = lines.at(-1)
  const says = readingLine(leaf)
  demand(last === undefined || last === says, `the last reading is ${last}, but the leaf says ${says}`)
}

const checkInBatch = (bundle: Bundle, entry: BatchEntry): Check =>
  check("leaf in batch", () => {
    const { index, size } = bundle.batch
    demand(
      isIncluded(bundle.leaf, bundle.batch, fromHex(entry.root, 32)),
      `the inclusion proof does not lead from leaf ${index} of ${size} to the batch's root ${entry.root}`
    )
    return `leaf ${index} of ${size} under root ${entry.root}`
  })

const checkInLog = (bundle: Bundle, checkpoint: Checkpoint): Check =>
  check("batch in log", () => {
    const { index, size } = bundle.log
    demand(
      size === checkpoint.size,
      `the checkpoint covers ${checkpoint.size} entries, but the proof is for a log of ${size}`
    )
    demand(
      isIncluded(bundle.batch.entry, bundle.log, checkpoint.root),
      `the inclusion proof does not lead from entry ${index} of ${size} to the checkpoint's root`
    )
    return `entry ${index} of ${size} under root ${toHex(checkpoint.root)}`
  })

const readSigned = ({ keys, log }: Bundle, { origin }: Checkpoint, entry: BatchEntry | undefined) =>
  reading(
    "checkpoint signature",
    () => {
      const document = parseKeyDocument(keys)
      return {
        document,
        signers: signersOf(
          log.checkpoint,
          document,
          entry === undefined ? undefined : entry.simulated === true
        )
      }
    },
    ({ signers }) => `signed by ${origin} with key ${signers.map(({ kid }) => kid).join(" and ")}`
  )

const checkSignature = (
  bundle: Bundle,
  checkpoint: Checkpoint,
  entry: BatchEntry | undefined,
  signed: ReturnType<typeof readSigned>,
  outcome: TimestampVerdict | undefined,
  options: BundleOptions
): ReadonlyArray<Check> => {
  const note = bundle.log.checkpoint
  return [
    signed.check,
    checkLoggedKeys(options.evidence?.logged_keys, checkpoint, signed.value),
    ...(signed.value === undefined
      ? [notProved("key in use", "the key that signed the checkpoint is unknown")]
      : signerChecks(
          { note, cosignatures: bundle.log.cosignatures ?? [], outcome, notOlderThan: entry?.closed_at },
          signed.value.signers,
          signed.value.document,
          { ...options, pins: pinsOf(options.pins, options.kept, signed.value.document) }
        )),
    ...unwitnessed(bundle, options),
    ...(options.notBefore === undefined ? [] : [checkFresh(entry?.closed_at, options.notBefore)]),
    ...(options.kept === undefined ? [] : [checkEarlier(checkpoint, options.kept)])
  ]
}

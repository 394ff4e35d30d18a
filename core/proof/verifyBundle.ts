/** Verifies a bundle: from the value that was served up to the block that holds its day. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Bundle } from "./bundle.ts"
import { fromBase64, fromHex, Malformed, toHex, utf8 } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { type Check, check, demand, keyChecks, notChecked, type Pins, reading } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type BatchEntry, isBatch, parseEntry } from "./entry.ts"
import { type Leaf, parseLeaf, provesAbsence } from "./leaf.ts"
import { leafHash, verifyInclusion } from "./merkle.ts"
import { parseDetached } from "./ots/codec.ts"
import { heightsOf, type Outcome, verifyTimestamp } from "./ots/verify.ts"
import { checkFresh, checkKept, signerOf } from "./verifyCheckpoint.ts"

export interface BundleOptions {
  readonly pins?: Pins
  /** What the bundle is asked to be about: a bundle for another value is then no proof. */
  readonly about?: { readonly symbol?: string; readonly metric?: string; readonly day?: string }
  /** Block headers the caller trusts, by height; the bundle's own is used beside them. */
  readonly headers?: ReadonlyMap<number, string>
  /** A checkpoint kept from before: the bundle's must not contradict it. */
  readonly kept?: string
  /** The network whose blocks count. */
  readonly network?: "bitcoin" | "bitcoin-regtest-fixture"
  /** The checkpoint must have been signed at or after this time: an older one is stale. */
  readonly notBefore?: string
}

/** What a bundle says of its time, when its timestamp was looked at. */
export interface BundleVerdict {
  readonly checks: ReadonlyArray<Check>
  readonly leaf: Leaf | undefined
  readonly timestamp: Outcome | undefined
}

/** Heights of the blocks that the bundle's timestamp names; none where it cannot be read. */
export const blocksOf = ({ anchor: { ots } }: Bundle): ReadonlyArray<number> => {
  if (ots === undefined) return []
  try {
    return heightsOf(parseDetached(fromBase64(ots)).timestamp)
  } catch (error) {
    if (error instanceof Malformed) return []
    throw error
  }
}

const rowMembers = ["symbol", "metric", "value", "unit", "source", "verify_url", "as_of"] as const

/** Every check of a bundle, in the order of the chain; a check whose input failed is not made, and says so. */
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
    (read) => `${read.origin}, ${read.size} entries${read.time === undefined ? "" : `, signed ${read.time}`}`
  )
  const checks: Array<Check> = [leaf.check]
  checks.push(
    leaf.value === undefined
      ? notChecked("value", "the leaf cannot be read")
      : checkValue(bundle, leaf.value),
    ...checkAbout(leaf.value, options.about),
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
    checks.push(...checkSignature(bundle, checkpoint.value, entry.value, options))
  }
  const timestamp = checkTimestamp(bundle, checkpoint.value, entry.value, options)
  checks.push(timestamp.check)
  return { checks, leaf: leaf.value, timestamp: timestamp.outcome }
}

const readBatch = (bundle: Bundle, leaf: Leaf | undefined): BatchEntry => {
  const entry = parseEntry(bundle.batch.entry)
  demand(isBatch(entry), "the log entry is not of a batch")
  demand(
    entry.tree_size === bundle.batch.size,
    `the batch has ${entry.tree_size} leaves, the proof is for a tree of ${bundle.batch.size}`
  )
  demand(
    leaf === undefined || leaf.simulated === entry.simulated,
    "a simulated leaf stands in a live batch or the other way round"
  )
  return entry
}

const saysBatch = (entry: BatchEntry): string =>
  `${entry.days.join(", ")}: ${entry.tree_size} leaves, closed ${entry.closed_at}${entry.late ? ", late" : ""}`

const checkValue = (bundle: Bundle, leaf: Leaf): Check =>
  check("value", () => {
    demand(
      (bundle.row === undefined) !== (bundle.absent === undefined),
      "the bundle has either a row or an absence"
    )
    if (leaf.kind === "absent") {
      const { absent } = bundle
      demand(absent !== undefined, "an absence leaf proves no value")
      demand(
        provesAbsence(leaf, absent.list, absent),
        "the list of absent series is not the leaf's, or lacks the series"
      )
      return `${absent.symbol} ${absent.metric} of ${absent.source} had no reading on ${leaf.day} by ${leaf.cut_off}`
    }
    const { row } = bundle
    demand(isRecord(row), "the bundle's row is no object")
    for (const member of rowMembers) {
      demand(
        row[member] === leaf[member],
        `the row says ${member} = ${JSON.stringify(row[member])}, the leaf says ${JSON.stringify(leaf[member])}`
      )
    }
    demand(
      row.value_text === undefined || row.value_text === leaf.value_text,
      "the row's value_text is not the leaf's"
    )
    const excluded = leaf.excluded_by === undefined ? "" : `, excluded by incident ${leaf.excluded_by}`
    return `${leaf.symbol} ${leaf.metric} = ${leaf.value_text ?? leaf.value} ${leaf.unit} at ${leaf.as_of} (${leaf.source}), version ${leaf.version}${excluded}${leaf.n_observations === 0 ? ", TAKEN BACK: no reading of the day counts" : ""}`
  })

const checkAbout = (leaf: Leaf | undefined, about: BundleOptions["about"]): ReadonlyArray<Check> => {
  if (about === undefined) return []
  if (leaf === undefined) return [notChecked("asked for", "the leaf cannot be read")]
  return [
    check("asked for", () => {
      demand(
        about.day === undefined || leaf.day === about.day,
        `the leaf is of ${leaf.day}, not ${about.day}`
      )
      if (leaf.kind === "absent") return `the absence on ${leaf.day}`
      demand(
        about.symbol === undefined || leaf.symbol === about.symbol,
        `the leaf is of ${leaf.symbol}, not ${about.symbol}`
      )
      demand(
        about.metric === undefined || leaf.metric === about.metric,
        `the leaf is of ${leaf.metric}, not ${about.metric}`
      )
      return "the bundle is about what was asked for"
    })
  ]
}

const checkReadings = (bundle: Bundle, leaf: Leaf | undefined): ReadonlyArray<Check> => {
  const { readings } = bundle
  if (readings === undefined || leaf === undefined || leaf.kind === "absent") return []
  return [
    check("readings", () => {
      demand(
        toHex(sha256(utf8(readings.join("\n")))) === leaf.readings_sha256,
        "the readings are not those that the leaf commits to"
      )
      demand(readings.length === leaf.n_observations, "the leaf counts other readings")
      return `${readings.length} readings of the day`
    })
  ]
}

const hashesOf = (path: ReadonlyArray<string>): Array<Uint8Array> => path.map((hash) => fromHex(hash, 32))

const checkInBatch = (bundle: Bundle, entry: BatchEntry): Check =>
  check("leaf in batch", () => {
    const { index, path, size } = bundle.batch
    const held = verifyInclusion({
      leaf: leafHash(utf8(bundle.leaf)),
      index,
      size,
      path: hashesOf(path),
      root: fromHex(entry.root, 32)
    })
    demand(
      held,
      `the path does not lead from this leaf at ${index} of ${size} to the batch's root ${entry.root}`
    )
    return `leaf ${index} of ${size} under root ${entry.root}`
  })

const checkInLog = (bundle: Bundle, checkpoint: Checkpoint): Check =>
  check("batch in log", () => {
    const { index, path, size } = bundle.log
    demand(
      size === checkpoint.size,
      `the checkpoint is of ${checkpoint.size} entries, the proof is for a log of ${size}`
    )
    const held = verifyInclusion({
      leaf: leafHash(utf8(bundle.batch.entry)),
      index,
      size,
      path: hashesOf(path),
      root: checkpoint.root
    })
    demand(held, `the path does not lead from this entry at ${index} of ${size} to the checkpoint's root`)
    return `entry ${index} of ${size} under root ${toHex(checkpoint.root)}`
  })

const checkSignature = (
  bundle: Bundle,
  checkpoint: Checkpoint,
  entry: BatchEntry | undefined,
  options: BundleOptions
): ReadonlyArray<Check> => {
  const signer = reading(
    "checkpoint signature",
    () =>
      signerOf(
        bundle.log.checkpoint,
        bundle.keys,
        entry === undefined ? undefined : entry.simulated === true
      ),
    (key) => `signed by ${checkpoint.origin} with key ${key.kid}`
  )
  // Without a time of its own, the checkpoint is at least as late as the newest thing it is shown to hold.
  const time = checkpoint.time ?? entry?.closed_at
  return [
    signer.check,
    ...(signer.value === undefined || time === undefined
      ? [notChecked("key in use", "no key is known to have signed the checkpoint")]
      : keyChecks(signer.value, time, options.pins ?? [])),
    ...(options.notBefore === undefined ? [] : [checkFresh(time, options.notBefore)]),
    ...(options.kept === undefined ? [] : [checkKept(checkpoint, options.kept)])
  ]
}

const twoHours = 7_200_000

const checkTimestamp = (
  bundle: Bundle,
  checkpoint: Checkpoint | undefined,
  entry: BatchEntry | undefined,
  options: BundleOptions
): { readonly check: Check; readonly outcome: Outcome | undefined } => {
  const { anchor } = bundle
  const name = "timestamp"
  if (anchor.ots === undefined) {
    const check =
      anchor.status === "none"
        ? notChecked(name, `not anchored: ${anchor.reason ?? "no reason given"}`)
        : { name, ok: false, detail: `the anchor is said to be ${anchor.status}, but there is no proof` }
    return { check, outcome: undefined }
  }
  const ots = anchor.ots
  const network = options.network ?? "bitcoin"
  const read = reading(
    name,
    () => {
      demand(
        anchor.network === network,
        `the anchor is of ${anchor.network}, which is not ${network}: a fixture proves no time`
      )
      const detached = parseDetached(fromBase64(ots))
      const digest = toHex(sha256(utf8(bundle.log.checkpoint)))
      demand(
        detached.fileHash === 0x08 && toHex(detached.timestamp.message) === digest,
        `the timestamp is of ${toHex(detached.timestamp.message)}, the checkpoint is ${digest}`
      )
      const headers = new Map(anchor.header === undefined ? [] : [[anchor.header.height, anchor.header.hex]])
      for (const [height, hex] of options.headers ?? []) headers.set(height, hex)
      const outcome = verifyTimestamp(detached.timestamp, headers, network)
      demand(outcome.status !== "failed", outcome.detail)
      const claimed = checkpoint?.time ?? entry?.closed_at
      demand(
        outcome.status !== "verified" ||
          claimed === undefined ||
          outcome.block.header.time * 1000 >= Date.parse(claimed) - twoHours,
        "the block is older than the checkpoint that it is said to hold"
      )
      return outcome
    },
    (outcome) =>
      outcome.status === "verified" && !options.headers?.has(outcome.block.height)
        ? `${outcome.detail}; the header is the bundle's own: compare its hash with a block explorer's`
        : outcome.detail
  )
  if (read.value === undefined || read.value.status === "verified") {
    return { check: read.check, outcome: read.value }
  }
  const claim = anchor.status === "confirmed" || anchor.status === "final"
  return {
    check:
      claim && read.value.status === "pending"
        ? { name, ok: false, detail: `said to be ${anchor.status}, but ${read.value.detail}` }
        : notChecked(name, read.value.detail),
    outcome: read.value
  }
}

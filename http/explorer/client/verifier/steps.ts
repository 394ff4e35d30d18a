/** A verification as the steps that a reader follows, each with the hashes that were compared. */
import { sha256 } from "@noble/hashes/sha2.js"
import { type Bundle, type Bundle4, type Parts, partsOf } from "../../../../core/proof/bundle.ts"
import { fromBase64, Malformed, toHex, utf8 } from "../../../../core/proof/bytes.ts"
import { type Check, notChecked } from "../../../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../../../core/proof/checkpoint.ts"
import { isBatch, parseEntry } from "../../../../core/proof/entry.ts"
import { type StepTitle, stepTitles } from "../../../../core/proof/kind.ts"
import { stepsOfEvidence } from "../../../../core/proof/kinds.ts"
import { leafHash } from "../../../../core/proof/merkle.ts"
import { parseDetached } from "../../../../core/proof/ots/codec.ts"
import { formatNumber } from "../../html/format.ts"
import type { Step } from "./outcome.ts"

/** What the verdict rests on, in words. */
export const summaryOf = (checks: ReadonlyArray<Check>, subject: string): string => {
  const wrong = checks.find(({ ok }) => ok === false)
  if (wrong !== undefined) return `${subject} is not proved, and something does not hold: ${wrong.detail}.`
  const open = checks.find(({ ok }) => ok === "not proved")
  if (open?.name === "operator's key")
    return "Every step holds, but nobody vouches for the key: it comes from this service, and an attacker would supply another. Enter a key that you obtained independently, and check again."
  if (open !== undefined) return `Nothing fails, but this is not proved: ${open.detail}.`
  return `${subject} holds, by a key that you gave.`
}

/** What a text hashes to, or why it cannot be read. */
const tried = (work: () => string): string => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

const hashes = (count: number): string => (count === 1 ? "1 hash" : `${count} hashes`)

/** Where a Bitcoin block can be looked up that this browser has from the service alone. */
const explorer = "https://mempool.space/block/"

/** The step that shows a check; undefined for one that is of no step, as of the answer that carried the bundle. */
const stepOf = (name: string): StepTitle | undefined =>
  ofSpine[name] ?? ofEvidence[name] ?? (name.startsWith("header of block") ? "Bitcoin" : undefined)

const ofEvidence: Readonly<Record<string, StepTitle>> = stepsOfEvidence

const ofSpine: Readonly<Record<string, StepTitle>> = {
  leaf: "Leaf",
  value: "Leaf",
  "asked for": "Leaf",
  evidence: "Leaf",
  "batch entry": "Batch",
  "leaf in batch": "Batch",
  "checkpoint form": "Log",
  "batch in log": "Log",
  "checkpoint signature": "Head",
  "key in use": "Head",
  "operator's key": "Head",
  "kept checkpoint": "Head",
  witnesses: "Witnesses",
  "ML-DSA-44 cosignatures": "Witnesses",
  timestamp: "Bitcoin"
}

/** A step without its title and checks. */
type Wording = Omit<Step, "title" | "checks">

const bitcoinStep = (
  { block, head }: Parts,
  checks: ReadonlyArray<Check>,
  trustedHeights: ReadonlySet<number>
): Wording => {
  const { header, ots } = block
  const own = header !== undefined && !trustedHeights.has(header.height)
  const hash = /[0-9a-f]{64}/.exec(checks.find(({ ok }) => ok === true)?.detail ?? "")?.[0]
  return {
    says:
      ots === undefined
        ? "The head is not in a Bitcoin block, so only the operator says when it was made."
        : own
          ? `The head's hash leads to the Merkle root of a Bitcoin block. The header of block ${header.height} came from this service; compare the block's hash with one from elsewhere.`
          : "The head's hash leads to the Merkle root of a Bitcoin block, whose header decides the time.",
    hashes:
      ots === undefined
        ? []
        : [
            ["SHA-256 of the head, computed here", toHex(sha256(utf8(head)))],
            [
              "hash that the timestamp covers",
              tried(() => toHex(parseDetached(fromBase64(ots)).timestamp.message))
            ],
            ...(hash === undefined ? [] : [["hash of the block, computed here", hash] as const])
          ],
    ...(hash === undefined || !own
      ? {}
      : { beyond: { text: "Compare the block at mempool.space", address: `${explorer}${hash}` } })
  }
}

/** What each step says, by its title; some have nothing to show where nothing of them was checked. */
const wordingOf = (
  parts: Parts,
  checksOf: (title: StepTitle) => ReadonlyArray<Check>,
  trustedHeights: ReadonlySet<number>
): Readonly<Record<StepTitle, Wording>> => {
  const { batch, head, log } = parts
  const leaf = toHex(leafHash(utf8(parts.leaf)))
  const entry = toHex(leafHash(utf8(batch.entry)))
  const batchRoot = tried(() => {
    const read = parseEntry(batch.entry)
    return isBatch(read) ? read.root : "the entry is not a batch"
  })
  const logRoot = tried(() => toHex(parseCheckpointText(parseNote(head).text).root))
  return {
    Leaf: {
      says: "The value, its unit, source and time are exactly the text that was sealed.",
      hashes: [["hash of the leaf, computed here", leaf]]
    },
    Incident: { says: "The operator keeps the value out of what he serves.", hashes: [] },
    Run: { says: "A run of a collector, of which the log was told, gave this value.", hashes: [] },
    "State of its chain": {
      says: "The state of one block has this number. That was computed here, and no node is believed. It does not prove which chain the block is of.",
      hashes: []
    },
    "Block of its chain": {
      says: "That this block is one of the chain is another question. Operators of nodes answer it, or those who signed the block on the chain: whom of these you trust you say at /verify.",
      hashes: []
    },
    Batch: {
      says: `The leaf is one of the ${formatNumber(batch.size)} in the day's batch: ${hashes(batch.path.length)} lead from it to the batch's root.`,
      hashes: [
        ["hash of the leaf, computed here", leaf],
        ["root that the path must lead to", batchRoot]
      ]
    },
    Log: {
      says: `The batch is one of the ${formatNumber(log.size)} entries of the log: ${hashes(log.path.length)} lead from it to the log's root.`,
      hashes: [
        ["hash of the entry, computed here", entry],
        ["root that the path must lead to", logRoot]
      ]
    },
    Head: {
      says: "The head of the log carries the operator's signature, by a key that was in use.",
      hashes: [["root that was signed", logRoot]]
    },
    Witnesses: {
      says: "Others who follow the log signed the same head, so that nobody is shown a log of his own.",
      hashes: []
    },
    Notaries: {
      says: "Others carried the collector’s session, and state what the host answered in the run that gave the value.",
      hashes: []
    },
    "Other operators": {
      says: "Other operators read the same source on their own, and the log says whether they saw the same.",
      hashes: []
    },
    Bitcoin: bitcoinStep(parts, checksOf("Bitcoin"), trustedHeights)
  }
}

/** Steps that a value may have nothing of. Where nothing of the others was checked, that is said. */
const sometimes: ReadonlySet<StepTitle> = new Set([
  "Incident",
  "Run",
  "State of its chain",
  "Block of its chain",
  "Other operators"
])

const none: Readonly<Partial<Record<StepTitle, Check>>> = {
  Notaries: notChecked("notaries", "no notary states what the host answered")
}

/** The steps from the value to Bitcoin, in the order of the chain. */
export const stepsOf = (
  bundle: Bundle | Bundle4,
  checks: ReadonlyArray<Check>,
  trustedHeights: ReadonlySet<number> = new Set()
): ReadonlyArray<Step> => {
  const byStep = Map.groupBy(checks, ({ name }) => stepOf(name))
  const checksOf = (title: StepTitle) => byStep.get(title) ?? (none[title] === undefined ? [] : [none[title]])
  const wording = wordingOf(partsOf(bundle), checksOf, trustedHeights)
  // Whatever a verifier checks is shown: what is of no step comes last.
  const others = byStep.get(undefined) ?? []
  return [
    ...stepTitles
      .filter((title) => !sometimes.has(title) || checksOf(title).length > 0)
      .map((title) => ({ title, checks: checksOf(title), ...wording[title] })),
    ...(others.length === 0
      ? []
      : [
          {
            title: "Also in the bundle",
            says: "What else was looked at of the value.",
            checks: others,
            hashes: []
          }
        ])
  ]
}

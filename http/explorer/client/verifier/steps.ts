/** A verification as the steps that a reader follows, each with the hashes that were compared. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Bundle } from "../../../../core/proof/bundle.ts"
import { fromBase64, Malformed, toHex, utf8 } from "../../../../core/proof/bytes.ts"
import { type Check, notChecked } from "../../../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../../../core/proof/checkpoint.ts"
import { isBatch, parseEntry } from "../../../../core/proof/entry.ts"
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

const named = (checks: ReadonlyArray<Check>, ...names: ReadonlyArray<string>): ReadonlyArray<Check> =>
  checks.filter(({ name }) => names.includes(name))

const hashes = (count: number): string => (count === 1 ? "1 hash" : `${count} hashes`)

/** Where a Bitcoin block can be looked up that this browser has from the service alone. */
const explorer = "https://mempool.space/block/"

const bitcoinStep = (
  bundle: Bundle,
  checks: ReadonlyArray<Check>,
  trustedHeights: ReadonlySet<number>
): Step => {
  const { header, ots } = bundle.anchor
  const anchorChecks = checks.filter(({ name }) => name === "timestamp" || name.startsWith("header of block"))
  const own = header !== undefined && !trustedHeights.has(header.height)
  const hash = /[0-9a-f]{64}/.exec(anchorChecks.find(({ ok }) => ok === true)?.detail ?? "")?.[0]
  return {
    title: "Bitcoin",
    says:
      ots === undefined
        ? "The head is not in a Bitcoin block, so only the operator says when it was made."
        : own
          ? `The head's hash leads to the Merkle root of a Bitcoin block. The header of block ${header.height} came from this service; compare the block's hash with one from elsewhere.`
          : "The head's hash leads to the Merkle root of a Bitcoin block, whose header decides the time.",
    checks: anchorChecks,
    hashes:
      ots === undefined
        ? []
        : [
            ["SHA-256 of the head, computed here", toHex(sha256(utf8(bundle.log.checkpoint)))],
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

/** The steps from the value to Bitcoin, in the order of the chain. */
export const stepsOf = (
  bundle: Bundle,
  checks: ReadonlyArray<Check>,
  trustedHeights: ReadonlySet<number> = new Set()
): ReadonlyArray<Step> => {
  const leaf = toHex(leafHash(utf8(bundle.leaf)))
  const entry = toHex(leafHash(utf8(bundle.batch.entry)))
  const batchRoot = tried(() => {
    const read = parseEntry(bundle.batch.entry)
    return isBatch(read) ? read.root : "the entry is not a batch"
  })
  const logRoot = tried(() => toHex(parseCheckpointText(parseNote(bundle.log.checkpoint).text).root))
  const notaries = named(checks, "notaries")
  const run = named(checks, "run", "the value follows from the body", "drawn")
  const steps: ReadonlyArray<Step> = [
    {
      title: "Leaf",
      says: "The value, its unit, source and time are exactly the text that was sealed.",
      checks: named(checks, "leaf", "value", "asked for", "readings", "evidence", "other operators"),
      hashes: [["hash of the leaf, computed here", leaf]]
    },
    ...(run.length === 0
      ? []
      : [
          {
            title: "Run",
            says: "A run of a collector, of which the log was told, gave this value.",
            checks: run,
            hashes: []
          }
        ]),
    {
      title: "Batch",
      says: `The leaf is one of the ${formatNumber(bundle.batch.size)} in the day's batch: ${hashes(bundle.batch.path.length)} lead from it to the batch's root.`,
      checks: named(checks, "batch entry", "leaf in batch"),
      hashes: [
        ["hash of the leaf, computed here", leaf],
        ["root that the path must lead to", batchRoot]
      ]
    },
    {
      title: "Log",
      says: `The batch is one of the ${formatNumber(bundle.log.size)} entries of the log: ${hashes(bundle.log.path.length)} lead from it to the log's root.`,
      checks: named(checks, "checkpoint form", "batch in log"),
      hashes: [
        ["hash of the entry, computed here", entry],
        ["root that the path must lead to", logRoot]
      ]
    },
    {
      title: "Head",
      says: "The head of the log carries the operator's signature, by a key that was in use.",
      checks: named(
        checks,
        "checkpoint signature",
        "keys in log",
        "key in use",
        "operator's key",
        "kept checkpoint"
      ),
      hashes: [["root that was signed", logRoot]]
    },
    {
      title: "Witnesses",
      says: "Others who follow the log signed the same head, so that nobody is shown a log of his own.",
      checks: named(checks, "witnesses"),
      hashes: []
    },
    {
      title: "Notaries",
      says: "Others carried the collector’s session, and state what the host answered in the run that gave the value.",
      checks:
        notaries.length > 0 ? notaries : [notChecked("notaries", "no notary states what the host answered")],
      hashes: []
    },
    bitcoinStep(bundle, checks, trustedHeights)
  ]
  // Whatever a verifier checks is shown: what no step names comes last.
  const inSteps = new Set(steps.flatMap((step) => step.checks))
  const others = checks.filter((one) => !inSteps.has(one))
  return others.length === 0
    ? steps
    : [
        ...steps,
        {
          title: "Also in the bundle",
          says: "What else was looked at of the value.",
          checks: others,
          hashes: []
        }
      ]
}

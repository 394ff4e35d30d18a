/** How the leaves of a batch and its log entry belong together: the close checks it before it signs, the verifier after. */
import { equalBytes, fromHex, Malformed } from "./bytes.ts"
import type { BatchEntry } from "./entry.ts"

import { clockTolerance, compareLeaves, type Leaf, leafBytes } from "./leaf.ts"
import { root, type Sha256, treeOf } from "./merkle.ts"
import type { Reason } from "./reason.ts"

/** Throws `Malformed` if the leaf cannot be in the batch of this entry. */
export const checkLeafOf = (entry: BatchEntry, leaf: Leaf): void => {
  const [day] = entry.days
  const refuse = (message: string, reason: Reason = "contradiction"): never => {
    throw new Malformed(message, reason)
  }
  if (leaf.simulated !== entry.simulated)
    refuse("the leaf and its batch disagree on whether they are simulated")
  if (leaf.kind === "absent") {
    if (leaf.day !== day) refuse(`the absence leaf is of ${leaf.day}, but its batch closes ${day}`)
    if (leaf.cut_off !== entry.cut_off)
      refuse(`the absence leaf has the cut-off ${leaf.cut_off}, but its batch has ${entry.cut_off}`)
    if (leaf.n_series !== entry.n_absent || leaf.series_sha256 !== entry.absent_sha256)
      refuse("the absence leaf and its batch entry name different lists of absences")
    return
  }
  const counted = { reading: entry.n_readings, late: entry.n_late, revision: entry.n_revisions }[leaf.kind]
  if (counted === 0) refuse(`the leaf is of kind ${leaf.kind}, but its batch entry counts none of that kind`)
  if (leaf.day > day) refuse(`the leaf is of ${leaf.day}, after the day ${day} that its batch closes`, "time")
  if (Date.parse(leaf.recorded_at) > Date.parse(entry.closed_at) + clockTolerance)
    refuse(
      `the leaf was recorded at ${leaf.recorded_at}, after its batch was closed at ${entry.closed_at}`,
      "time"
    )
  if (leaf.kind !== "reading") return
  if (leaf.day !== day)
    refuse(`a reading of ${leaf.day} cannot be in the batch of ${day}: it would be late`, "time")
  if (Date.parse(leaf.recorded_at) > Date.parse(entry.cut_off))
    refuse(
      `a reading recorded at ${leaf.recorded_at}, after the batch's cut-off ${entry.cut_off}, would be late`,
      "time"
    )
}

/** Throws `Malformed` unless these are the leaves of the entry: all of them, in order, each kind as often as it says. */
export const checkLeavesOf = (entry: BatchEntry, leaves: ReadonlyArray<Leaf>, sha?: Sha256): void => {
  for (const leaf of leaves) checkLeafOf(entry, leaf)
  for (const [place, leaf] of leaves.entries()) {
    const before = leaves[place - 1]
    if (before !== undefined && compareLeaves(before, leaf) >= 0)
      throw new Malformed(`leaf ${place} of the batch is out of order, or there twice`)
  }
  const counts = { reading: 0, late: 0, revision: 0, absent: 0 }
  for (const { kind } of leaves) counts[kind]++
  for (const [kind, counted] of [
    ["reading", entry.n_readings],
    ["late", entry.n_late],
    ["revision", entry.n_revisions],
    ["absent", 1]
  ] as const) {
    if (counts[kind] !== counted)
      throw new Malformed(
        `the batch has ${counts[kind]} leaves of kind ${kind}, but its entry says ${counted}`,
        "contradiction"
      )
  }
  if (!equalBytes(root(treeOf(leaves.map(leafBytes), sha), sha), fromHex(entry.root, 32)))
    throw new Malformed("the leaves do not hash to the batch's root", "hash")
}

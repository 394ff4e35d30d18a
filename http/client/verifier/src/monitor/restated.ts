/** Checks a document of revisions together with the batch before it, whose close published both. */

import { type Finding, findingOf } from "../../../../../core/proof/finding.ts"
import type { Revision } from "../../../../../core/proof/revisions.ts"
import { isBefore } from "./incidents.ts"
import type { Memory, Progress } from "./memory.ts"
import {
  byDay,
  checkBefore,
  checkRestatedValue,
  isPublished,
  mostRevisions,
  type Restated,
  revisedDay
} from "./revisions.ts"
import { firstOf, leafName, nameOf, seriesDay } from "./series.ts"

const unpublishedOf = (owed: ReadonlyArray<Restated>): ReadonlyArray<Finding> =>
  firstOf(
    owed.map(({ leaf }) => ({
      what: "revision",
      where: leafName(leaf),
      expected: "a revision of that day in the document that follows the leaf's batch",
      found: "none",
      reason: "missing"
    }))
  )

/** The leaves of kind `revision` that no document explains, once the entry after their batch is none. Forgets them. */
export const unpublished = (memory: Memory): ReadonlyArray<Finding> => {
  const revisions = byDay(memory.revisions)
  const owed = memory.owed.filter((one) => !isPublished(one, revisions.get(seriesDay(one.leaf)) ?? []))
  memory.owed = []
  return unpublishedOf(owed)
}

/** Checks the revisions of a document against the leaves before it, and adds them to the memory. */
export const checkRestated = async (
  memory: Memory,
  where: string,
  revisions: ReadonlyArray<Revision>,
  progress: Progress
): Promise<ReadonlyArray<Finding>> => {
  // Those of the document before may have come after the leaves of its batch were made.
  const all = byDay([...memory.revisions, ...revisions])
  const of = ({ leaf }: Restated) => all.get(seriesDay(leaf)) ?? []
  const left = memory.owed.filter((one) => !isPublished(one, of(one)))
  const findings = memory.owed
    .filter((one) => !left.includes(one))
    .flatMap((one) =>
      findingOf(
        {
          what: "revision",
          where: leafName(one.leaf),
          expected: "the value that the reading was restated to"
        },
        () => checkRestatedValue(one, of(one))
      )
    )
  // What a full document leaves out is in the next one.
  const isFull = revisions.length >= mostRevisions
  memory.owed = isFull ? left : []
  if (!isFull) findings.push(...unpublishedOf(left))
  findings.push(...firstOf(await againstLeaves(memory, where, revisions, all, progress)))
  memory.revisions = revisions
  return findings
}

/** Revisions of closed days that the batch has no leaf of, or that say another value than was published. */
const againstLeaves = async (
  { batch, past }: Memory,
  where: string,
  revisions: ReadonlyArray<Revision>,
  all: ReadonlyMap<string, ReadonlyArray<Revision>>,
  { earlier = "" }: Progress
): Promise<ReadonlyArray<Finding>> => {
  const findings: Array<Finding> = []
  if (batch === undefined) return findings
  const [day] = batch.entry.days
  const leaves = new Set(batch.rows.map(seriesDay))
  const since = batch.before.close?.closed_at
  const dayOf = ({ as_of }: Revision) => as_of.slice(0, 10)
  const closed = revisions.filter((one) => dayOf(one) < day && dayOf(one) > earlier)
  const sorted = closed.sort((a, b) => (a.as_of < b.as_of ? -1 : 1))
  for (const [key, of] of Map.groupBy(sorted, revisedDay)) {
    const [first] = of
    if (first === undefined) continue
    const name = `${nameOf(first)} on ${dayOf(first)}`
    // Only what was recorded between two closes must be in the second one.
    const due = of.find(
      ({ recorded_at }) =>
        since !== undefined &&
        Date.parse(recorded_at) > Date.parse(since) &&
        isBefore(recorded_at, batch.entry)
    )
    if (due !== undefined && !leaves.has(key)) {
      findings.push({
        what: "revision",
        where,
        expected: `a leaf of ${name} in the batch of ${day}, as revision ${due.id} restated it`,
        found: "none",
        reason: "missing"
      })
    }
    const chains = await past.chains({ ...first, day: dayOf(first) }, day)
    findings.push(
      ...findingOf(
        { what: "revision", where: `${where}, ${name}`, expected: "the value that was published" },
        () => checkBefore(all.get(key) ?? [], chains)
      )
    )
  }
  return findings
}

/** How the leaves of kind `revision` and the published revisions belong together. */
import { Malformed } from "../../../../../core/proof/bytes.ts"
import { clockTolerance, type RowLeaf } from "../../../../../core/proof/leaf.ts"
import type { Revision } from "../../../../../core/proof/revisions.ts"
import type { Chains } from "./past.ts"
import { seriesDay } from "./series.ts"

/** The largest document: what is left over is published with the next batch. */
export const mostRevisions = 20_000

/** A leaf of kind `revision`, with the version that it follows and the chains of its series and day after its batch. */
export interface Restated {
  readonly leaf: RowLeaf
  readonly before: RowLeaf | undefined
  readonly chains: Chains
}

const ms = (time: string): number => Date.parse(time)

/** Series and UTC day of a revised reading, as one text. */
export const revisedDay = (one: Revision): string => seriesDay({ ...one, day: one.as_of.slice(0, 10) })

/** The published revisions by series and day. */
export const byDay = (revisions: ReadonlyArray<Revision>): ReadonlyMap<string, ReadonlyArray<Revision>> =>
  Map.groupBy(revisions, revisedDay)

/** True if a revision of the leaf's day was recorded since the version before, and not after the leaf. */
export const isPublished = ({ before, leaf }: Restated, revisions: ReadonlyArray<Revision>): boolean =>
  revisions.some(
    ({ recorded_at }) =>
      (before === undefined || ms(recorded_at) > ms(before.recorded_at)) &&
      ms(recorded_at) <= ms(leaf.recorded_at)
  )

/**
 * Throws `Malformed` if the leaf's reading was restated to another value than the leaf's. If the day has readings under an
 * incident, the restated one may be among them.
 */
export const checkRestatedValue = ({ chains, leaf }: Restated, revisions: ReadonlyArray<Revision>): void => {
  const newest = revisions.findLast(
    ({ as_of, recorded_at }) => ms(as_of) === ms(leaf.as_of) && ms(recorded_at) <= ms(leaf.recorded_at)
  )
  if (newest === undefined || chains.size > 1) return
  if (newest.after_value !== leaf.value || newest.after_text !== leaf.value_text)
    throw new Malformed(
      `revision ${newest.id} says ${newest.after_text ?? newest.after_value}, the leaf ${leaf.value_text ?? leaf.value}`,
      "contradiction"
    )
}

/** Throws `Malformed` if a published leaf of the revised reading had another value than the first revision since says. */
export const checkBefore = (revisions: ReadonlyArray<Revision>, chains: Chains): void => {
  const leaf = chains.get(0)
  if (leaf === undefined || chains.size > 1) return
  const first = revisions.find(
    ({ as_of, recorded_at }) => ms(as_of) === ms(leaf.as_of) && ms(recorded_at) > ms(leaf.recorded_at)
  )
  if (first === undefined) return
  if (first.before_value !== leaf.value || first.before_text !== leaf.value_text)
    throw new Malformed(
      `revision ${first.id} says that ${first.before_text ?? first.before_value} was restated, version ${leaf.version} of the leaf says ${leaf.value_text ?? leaf.value}`,
      "contradiction"
    )
}

/** Throws `Malformed` if the revisions of one reading do not follow one another, or one was recorded before its reading. */
export const checkSequence = (revisions: ReadonlyArray<Revision>, recordedAt: string): void => {
  const newest = new Map<string, Revision>()
  for (const one of revisions) {
    if (ms(one.recorded_at) < ms(one.as_of) - clockTolerance)
      throw new Malformed(`revision ${one.id} was recorded before its reading was true`, "time")
    if (ms(one.recorded_at) > ms(recordedAt) + clockTolerance)
      throw new Malformed(`revision ${one.id} was recorded after its document`, "time")
    const key = `${revisedDay(one)}\n${one.as_of}`
    const before = newest.get(key)
    if (
      before !== undefined &&
      (one.version !== before.version + 1 ||
        one.before_value !== before.after_value ||
        one.before_text !== before.after_text)
    )
      throw new Malformed(
        `revision ${one.id} does not follow revision ${before.id} of the same reading`,
        "contradiction"
      )
    newest.set(key, one)
  }
}

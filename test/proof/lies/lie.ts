/** One lie, and how it is told in a story. */
import type { RowLeaf } from "../../../core/proof/leaf.ts"
import { type Close, dayOf, type document, type Loose, type Story } from "./story.ts"

export interface Lie {
  /** What the page says, in short. */
  readonly sentence: string
  readonly of?: () => Story
  readonly lie: (story: Story) => void
  /** The kind of finding, and what it says. */
  readonly find: string
  readonly says: RegExp
}

export const close = ({ closes }: Story, n: number): Close => {
  const one = closes[n - 1]
  if (one === undefined) throw new RangeError(`no day ${n}`)
  return one
}

type Named = Pick<RowLeaf, "symbol" | "metric" | "source">

/** Changes the leaf of a batch that is about a series, a day and an incident or none. */
export const alter = (
  story: Story,
  n: number,
  of: Named,
  day: number,
  how: (leaf: RowLeaf) => Loose,
  incident?: number
) => {
  const one = close(story, n)
  const place = one.leaves.findIndex(
    (leaf) =>
      leaf.symbol === of.symbol &&
      leaf.metric === of.metric &&
      leaf.day === dayOf(day) &&
      leaf.excluded_by === incident
  )
  const leaf = one.leaves[place]
  if (leaf === undefined) throw new RangeError("no such leaf")
  one.leaves[place] = { ...leaf, ...how(leaf) } as RowLeaf
}

export const drop = (story: Story, n: number, is: (leaf: RowLeaf) => boolean) => {
  const one = close(story, n)
  one.leaves = one.leaves.filter((leaf) => !is(leaf))
}

/** Replaces the documents of a kind before or after a batch. */
export const replace = (
  story: Story,
  n: number,
  kind: string,
  ...by: ReadonlyArray<ReturnType<typeof document>>
) => {
  const one = close(story, n)
  for (const side of ["before", "after"] as const) {
    const place = one[side].findIndex((doc) => doc.kind === kind)
    if (place >= 0) one[side].splice(place, 1, ...by)
  }
}

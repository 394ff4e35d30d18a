/** Checks by which heads the notaries of an hour's runs were drawn: each is one that the log signed. */
import { equalBytes, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import { drawingNote, readDrawingHead } from "../../../../../core/proof/drawingHead.ts"
import { type Finding, findingOf, unread } from "../../../../../core/proof/finding.ts"
import type { RunLeaf } from "../../../../../core/proof/runLeaf.ts"
import type { Runs } from "../../../../../core/proof/runs.ts"
import { extendsPrevious } from "./entries.ts"
import type { Memory } from "./memory.ts"
import type { Source } from "./source.ts"

/** Whether the log has a head of this size and root: by its entries where they were read, else by its tiles. */
const hasHead = async (
  source: Source,
  { head, roots }: Memory,
  { root, size }: { readonly root: Uint8Array; readonly size: number }
): Promise<boolean> => {
  const ownRoot = roots.get(size)
  return ownRoot === undefined
    ? extendsPrevious(source, { root, size }, head.checkpoint)
    : equalBytes(ownRoot, root)
}

/** Checks the draws of an hour, whose entry is at `place`. `before` is how many documents before it had draws, where that is ownRoot. */
export const checkDraws = async (
  source: Source,
  memory: Memory,
  { document, leaves }: { readonly document: Runs; readonly leaves: ReadonlyArray<RunLeaf> },
  {
    before,
    place,
    where
  }: { readonly before: number | undefined; readonly place: number; readonly where: string }
): Promise<ReadonlyArray<Finding>> => {
  const about = { what: "draw", where, expected: "notaries that were drawn by heads which this log signed" }
  const drawn = leaves.filter((leaf) => leaf.outcome !== "skipped" && leaf.lot !== undefined)
  const ofCount = findingOf(about, () => {
    const { drawn_from, n_draws } = document
    if ((n_draws === undefined) !== (drawn_from === undefined))
      throw new Malformed("`n_draws` must be there exactly if the runs drew notaries", "missing")
    if (n_draws !== undefined && before !== undefined && n_draws !== before + 1)
      throw new Malformed(
        `document ${n_draws} with draws follows document ${before}: one is missing or there twice`,
        "contradiction"
      )
  })
  if (ofCount.length > 0) return ofCount
  const notes = new Set<string>()
  for (const leaf of drawn) {
    if (leaf.outcome === "skipped") continue
    const note = drawingNote(document, leaf)
    if (note === undefined)
      return [
        {
          ...about,
          found: `the run ${leaf.run} was drawn by the head ${leaf.lot?.head}, which its hour does not give`,
          reason: "missing"
        }
      ]
    notes.add(note)
  }
  for (const note of notes) {
    try {
      const head = readDrawingHead(note, memory.head.keys, place)
      if (!(await hasHead(source, memory, head)))
        return [
          {
            ...about,
            found: `a head of ${head.size} entries, root ${toHex(head.root)}, which this log does not extend`,
            reason: "hash"
          }
        ]
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      return [unread(about, error)]
    }
  }
  return []
}

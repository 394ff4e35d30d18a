/**
 * The chain of runs: what every collector did in an hour. Log entries of kind `runs` commit to the hour's document, and its
 * root to a leaf for each run, so that one run is proved without the others, and a run that is missing is seen.
 */
import { equalBytes, fromHex, Malformed, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import { drawnNotary, notaryListHash } from "./lot.ts"
import { root, type Sha256, treeOf } from "./merkle.ts"
import { compareRunLeaves, hourBegins, type RanLeaf, type RunLeaf, runLeafText } from "./runLeaf.ts"
import * as s from "./shape.ts"
import { hour as hourMs, minute } from "./time.ts"

/** What the collectors did in an hour. An hour in which they did nothing has no document. */
export interface Runs {
  readonly v: Tag<"service-runs-v1">
  /** Counts the documents of runs of this log from 1: the first says that the log has no run of an earlier hour. */
  readonly n: number
  /** An hour of UTC, `YYYY-MM-DDTHH`. */
  readonly hour: string
  /** True exactly if the document's entry was made more than 10 minutes after the hour's end; never in a demo. */
  readonly late: boolean
  /** Merkle root over the leaves, hex. */
  readonly root: string
  /** Number of leaves. */
  readonly tree_size: number
  /** Leaves of runs that were recorded after the document of their own hour. */
  readonly n_late: number
  /** Leaves of runs that were due and did not take place. */
  readonly n_skipped: number
  /** Exchanges with upstreams in all leaves. */
  readonly n_exchanges: number
  /** Exchanges that a notary has a note of. */
  readonly n_notarised: number
  /** Verifier keys of these notaries, each once, in order. */
  readonly notaries: ReadonlyArray<string>
  /** What the runs drew their notaries from, as their leaves name it: verifier keys in the order of the draw. Absent where none did. */
  readonly drawn_from?: ReadonlyArray<ReadonlyArray<string>>
  /** Counts the documents with draws from 1; absent where none drew. */
  readonly n_draws?: number
  /** The heads by which they drew: signed notes of this log, each with one cosignature where it had any. */
  readonly drawn_by?: ReadonlyArray<string>
  /** SHA-256 of the schedule that was the newest in the log; absent where there was none. */
  readonly schedule?: string
  readonly simulated?: true
}

export const runsTag = "service-runs-v1"
export const runsKind = "runs"

/** How long after an hour its document may be entered, in milliseconds. */
const runsWithin = 10 * minute

const shape: s.Shape<Runs> = {
  v: s.oneOf<Tag<"service-runs-v1">>(runsTag, `${runsTag}-demo`),
  n: s.ordinal,
  hour: s.hour,
  late: s.flag,
  root: s.hash,
  tree_size: s.ordinal,
  n_late: s.count,
  n_skipped: s.count,
  n_exchanges: s.count,
  n_notarised: s.count,
  notaries: s.listOf(s.name),
  drawn_from: s.optional(s.listOf(s.listOf(s.name))),
  n_draws: s.optional(s.ordinal),
  drawn_by: s.optional(s.listOf(s.text)),
  schedule: s.optional(s.hash),
  simulated: s.optional(s.trueOrAbsent)
}

const isInOrder = (names: ReadonlyArray<string>): boolean =>
  names.every((one, place) => place === 0 || one > (names[place - 1] ?? ""))

const check = (value: unknown): Runs => {
  const document = s.readShape("a document of runs", value, shape)
  checkTag(document, runsTag)
  const { drawn_from, n_exchanges, n_late, n_notarised, n_skipped, notaries, tree_size } = document
  if (Math.max(n_late, n_skipped) > tree_size)
    throw new Malformed("a document of runs counts more late or skipped runs than it has leaves")
  if (n_notarised > n_exchanges)
    throw new Malformed("a document of runs counts more exchanges with a note than exchanges")
  if (!isInOrder(notaries)) throw new Malformed("a document of runs must name each notary once, in order")
  if (drawn_from?.some((list) => list.length === 0 || !isInOrder(list)) || drawn_from?.length === 0)
    throw new Malformed("a document of runs must list what notaries were drawn from, each once and in order")
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const runsText = (document: Runs): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseRuns = (text: string): Runs => check(parseCanonical(text))

/** Subject of the document's log entry: its hour. */
export const runsSubject = ({ hour }: Pick<Runs, "hour">): string => hour

/** The hour of a time, both as they are written. */
export const hourOf = (time: string | number): string => new Date(time).toISOString().slice(0, 13)

/** True if a document of the hour that is entered at `at` (epoch milliseconds) is late. */
export const isLateRuns = (hour: string, at: number): boolean => at > hourBegins(hour) + hourMs + runsWithin

/** What the leaves of an hour, in their order, say together. */
export const countsOf = (
  leaves: ReadonlyArray<RunLeaf>
): Pick<Runs, "n_exchanges" | "n_late" | "n_notarised" | "n_skipped"> => {
  const exchanges = leaves.flatMap((leaf) => (leaf.outcome === "skipped" ? [] : leaf.exchanges))
  return {
    n_late: leaves.filter((leaf) => leaf.outcome !== "skipped" && leaf.late === true).length,
    n_skipped: leaves.filter(({ outcome }) => outcome === "skipped").length,
    n_exchanges: exchanges.length,
    n_notarised: exchanges.filter(({ notes }) => notes.length > 0).length
  }
}

/** The notaries that a run drew from; undefined where nobody wrote them down. Throws `Malformed` if it drew otherwise than they say. */
export const lotOf = (
  { drawn_from = [] }: Runs,
  { due, lot, plugin, run }: RanLeaf
): ReadonlyArray<string> | undefined => {
  if (lot?.from === undefined) return undefined
  const from = drawn_from.find((list) => notaryListHash(list) === lot.from)
  if (from === undefined)
    throw new Malformed(`the document does not list the notaries that run ${run} drew from`, "contradiction")
  const drawn = drawnNotary(from, lot.head, { id: run, plugin, ...(due === undefined ? {} : { due }) })
  if (drawn !== lot.notary)
    throw new Malformed(
      `run ${run} used the notary ${lot.notary}, but the lot fell on ${drawn}`,
      "contradiction"
    )
  return from
}

/** Throws `Malformed` if the leaf cannot be in the document. */
export const checkRunOf = (document: Runs, leaf: RunLeaf): void => {
  if (leaf.simulated !== document.simulated)
    throw new Malformed("the run and its document disagree on whether they are simulated", "contradiction")
  const begins = hourBegins(document.hour)
  if (leaf.outcome === "skipped") {
    if (Date.parse(leaf.until) <= begins) return
    throw new Malformed(
      `a run that could begin until ${leaf.until} cannot have been skipped in the hour ${document.hour}`,
      "time"
    )
  }
  lotOf(document, leaf)
  const ended = Date.parse(leaf.ended)
  if (ended >= begins + hourMs)
    throw new Malformed(`a run that ended after the hour ${document.hour} cannot be in its document`, "time")
  if (ended < begins !== (leaf.late === true))
    throw new Malformed(
      `a run must be \`late\` exactly if it ended before the hour of its document, ${document.hour}`,
      "time"
    )
}

/** Throws `Malformed` unless these are the leaves of the document: all of them, in order, as it counts them. */
export const checkRunsOf = (document: Runs, leaves: ReadonlyArray<RunLeaf>, sha?: Sha256): void => {
  for (const leaf of leaves) checkRunOf(document, leaf)
  for (const [place, leaf] of leaves.entries()) {
    const before = leaves[place - 1]
    if (before !== undefined && compareRunLeaves(before, leaf) >= 0)
      throw new Malformed(`run ${place} of the hour is out of order, or there twice`)
  }
  if (leaves.length !== document.tree_size)
    throw new Malformed(
      `the hour has ${leaves.length} runs, but its document says ${document.tree_size}`,
      "contradiction"
    )
  const counts = countsOf(leaves)
  for (const name of ["n_exchanges", "n_late", "n_notarised", "n_skipped"] as const) {
    if (document[name] !== counts[name])
      throw new Malformed(
        `\`${name}\` of the leaves is ${counts[name]}, but the document says ${document[name]}`,
        "contradiction"
      )
  }
  const tree = treeOf(
    leaves.map((leaf) => utf8(runLeafText(leaf))),
    sha
  )
  if (!equalBytes(root(tree, sha), fromHex(document.root, 32)))
    throw new Malformed("the leaves do not hash to the root of the hour", "hash")
}

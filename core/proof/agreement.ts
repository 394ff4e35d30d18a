/**
 * What other operators have of a day's values. Log entries of kind `agreement` commit to the day's document, and its root to a
 * leaf for each series that the service published, so that one comparison is proved without the others.
 */

import { type AgreementLeaf, agreementLeafText, verdictOf } from "./agreementLeaf.ts"
import { equalBytes, fromHex, Malformed, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, compareSeries, type Tag } from "./leaf.ts"
import { root, type Sha256, treeOf } from "./merkle.ts"
import * as s from "./shape.ts"

/** The log of another operator, as it was read for the day. */
export type Observer = ReadObserver | UnreadObserver

interface Named {
  /** The name of its log. */
  readonly origin: string
  /** The kid of the key that its head must be signed with: the one that the operator of this service named. */
  readonly key: string
}

/** Its head holds, and the leaves of the day are those that it commits to. */
export interface ReadObserver extends Named {
  readonly state: "read"
  /** Entries of its head, and the root over them, hex. */
  readonly size: number
  readonly root: string
  /** Root of its batch of the day, hex. */
  readonly batch_root: string
}

/** `silent`: it did not answer, or had no batch of the day. `invalid`: what it answered contradicts its key, its log or itself. */
export interface UnreadObserver extends Named {
  readonly state: "silent" | "invalid"
  /** In words of the service. */
  readonly why: string
}

/** What the observers say of the values of a day. */
export interface Agreement {
  readonly v: Tag<"service-agreement-v1">
  readonly day: string
  /** In the order in which the leaves number them, from 0. */
  readonly observers: ReadonlyArray<Observer>
  /** Series of which an observer has a value: `n_equal`, `n_close` and `n_differs` together. */
  readonly n_compared: number
  /** By the furthest of the observers' values: all are the same number. */
  readonly n_equal: number
  /** All are within the tolerance. */
  readonly n_close: number
  /** One is outside of it, or in another unit. */
  readonly n_differs: number
  /** No observer has a value to compare. */
  readonly n_silent: number
  /** Merkle root over the leaves, hex. */
  readonly root: string
  /** Number of leaves: the series that were compared or silent. */
  readonly tree_size: number
  readonly simulated?: true
}

export const agreementTag = "service-agreement-v1"
export const agreementKind = "agreement"

/** Observers of one service. */
export const mostObservers = 16

/** Characters of `why`. */
export const longestWhy = 300

interface AnyObserver extends Named {
  readonly state: Observer["state"]
  readonly size?: number
  readonly root?: string
  readonly batch_root?: string
  readonly why?: string
}

const observerShape: s.Shape<AnyObserver> = {
  origin: s.name,
  key: s.name,
  state: s.oneOf("read", "silent", "invalid"),
  size: s.optional(s.ordinal),
  root: s.optional(s.hash),
  batch_root: s.optional(s.hash),
  why: s.optional(s.name)
}

const isObserver = (value: unknown): value is Observer => {
  const { batch_root, root, size, state, why } = s.readShape("an observer", value, observerShape)
  const isRead = state === "read"
  if ([size, root, batch_root].some((one) => (one !== undefined) !== isRead))
    throw new Malformed("an observer must have `size`, `root` and `batch_root` exactly if its state is read")
  if ((why === undefined) !== isRead)
    throw new Malformed("an observer must have `why` exactly if its state is silent or invalid")
  if (why !== undefined && why.length > longestWhy)
    throw new Malformed(`\`why\` of an observer must have at most ${longestWhy} characters`)
  return true
}

const shape: s.Shape<Agreement> = {
  v: s.oneOf<Tag<"service-agreement-v1">>(agreementTag, `${agreementTag}-demo`),
  day: s.day,
  observers: s.listOf<Observer>({ is: isObserver, says: "an observer", optional: false }),
  n_compared: s.count,
  n_equal: s.count,
  n_close: s.count,
  n_differs: s.count,
  n_silent: s.count,
  root: s.hash,
  tree_size: s.ordinal,
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): Agreement => {
  const document = s.readShape("a document of agreement", value, shape)
  checkTag(document, agreementTag)
  const { n_close, n_compared, n_differs, n_equal, n_silent, observers, tree_size } = document
  if (observers.length === 0 || observers.length > mostObservers)
    throw new Malformed(`a document of agreement must have 1 to ${mostObservers} observers`)
  if (new Set(observers.map(({ key }) => key)).size < observers.length)
    throw new Malformed("a document of agreement must name each observer once")
  if (n_equal + n_close + n_differs !== n_compared)
    throw new Malformed("`n_compared` must be `n_equal`, `n_close` and `n_differs` together")
  if (n_compared + n_silent !== tree_size)
    throw new Malformed("`tree_size` must be `n_compared` and `n_silent` together")
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const agreementText = (document: Agreement): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseAgreement = (text: string): Agreement => check(parseCanonical(text))

/** Subject of the document's log entry: its day. */
export const agreementSubject = ({ day }: Pick<Agreement, "day">): string => day

/** What the leaves say together: each counts once, by the furthest of its observers. */
export const countsOf = (
  leaves: ReadonlyArray<AgreementLeaf>
): Pick<Agreement, "n_close" | "n_compared" | "n_differs" | "n_equal" | "n_silent"> => {
  const counts = { equal: 0, close: 0, differs: 0, silent: 0 }
  for (const leaf of leaves) counts[verdictOf(leaf)]++
  const { close, differs, equal, silent } = counts
  return {
    n_compared: equal + close + differs,
    n_equal: equal,
    n_close: close,
    n_differs: differs,
    n_silent: silent
  }
}

/** Throws `Malformed` if the leaf cannot be in the document. */
export const checkComparisonOf = (document: Agreement, leaf: AgreementLeaf): void => {
  if (leaf.simulated !== document.simulated)
    throw new Malformed(
      "the comparison and its document disagree on whether they are simulated",
      "contradiction"
    )
  if (leaf.day !== document.day)
    throw new Malformed(
      `a comparison of ${leaf.day} cannot be in the document of ${document.day}`,
      "contradiction"
    )
  if (leaf.seen.length !== document.observers.length)
    throw new Malformed(
      `a comparison names ${leaf.seen.length} observers, but its document has ${document.observers.length}`,
      "contradiction"
    )
  for (const [place, { leaf_hash }] of leaf.seen.entries()) {
    if (leaf_hash !== undefined && document.observers[place]?.state !== "read")
      throw new Malformed(`observer ${place} was not read, but a comparison has its leaf`, "contradiction")
  }
}

/** Throws `Malformed` unless these are the leaves of the document: all of them, in order, as it counts them. */
export const checkComparisonsOf = (
  document: Agreement,
  leaves: ReadonlyArray<AgreementLeaf>,
  sha?: Sha256
): void => {
  for (const [place, leaf] of leaves.entries()) {
    checkComparisonOf(document, leaf)
    const before = leaves[place - 1]
    if (before !== undefined && compareSeries(before, leaf) >= 0)
      throw new Malformed(`comparison ${place} of the day is out of order, or there twice`)
  }
  if (leaves.length !== document.tree_size)
    throw new Malformed(
      `the day has ${leaves.length} comparisons, but its document says ${document.tree_size}`,
      "contradiction"
    )
  const counts = countsOf(leaves)
  for (const name of ["n_compared", "n_equal", "n_close", "n_differs", "n_silent"] as const) {
    if (document[name] !== counts[name])
      throw new Malformed(
        `\`${name}\` of the comparisons is ${counts[name]}, but the document says ${document[name]}`,
        "contradiction"
      )
  }
  const texts = leaves.map((leaf) => utf8(agreementLeafText(leaf)))
  if (!equalBytes(root(treeOf(texts, sha), sha), fromHex(document.root, 32)))
    throw new Malformed("the comparisons do not hash to the root of the day", "hash")
}

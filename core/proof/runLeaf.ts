/** The leaf of one run: what a collector read, with which code, and which rows it gave. One line of an hour's leaves. */
import { sha256 } from "@noble/hashes/sha2.js"
import { inPlace, Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import { root, type Sha256, treeOf } from "./merkle.ts"
import * as s from "./shape.ts"

/** One exchange with an upstream, in the order in which they were completed. */
export interface RunExchange {
  readonly method: "GET" | "POST" | "LISTEN"
  /** The address that was read, without secrets; one of more than 500 characters is named by its hash alone. */
  readonly url?: string
  readonly url_sha256?: string
  /** SHA-256 of the request's body; absent where it had none. */
  readonly request_sha256?: string
  /** When the answer was complete. */
  readonly at: string
  readonly status: number
  /** SHA-256 of the answer's headers that a collector may read, as canonical JSON; absent where it had none. */
  readonly headers_sha256?: string
  /** SHA-256 of the answer's body after content decoding. */
  readonly sha256: string
  /** The upstream confirmed that an earlier body is still current (304). */
  readonly confirmed?: true
  /** SHA-256 of what notaries say of this exchange. */
  readonly notes: ReadonlyArray<string>
}

/** Which notary was to carry a run's sessions, as `drawnNotary` draws it. */
export interface Lot {
  /** SHA-256 of a signed checkpoint of the log, with one cosignature where it had any. */
  readonly head: string
  /** Verifier key of the notary. Exchanges without its notes went direct, or it did not state them. */
  readonly notary: string
  /** `notaryListHash` of those that it was drawn from, which the hour's document lists; absent of runs of earlier versions. */
  readonly from?: string
}

interface Common {
  readonly v: Tag<"service-run-v1">
  readonly plugin: string
  readonly simulated?: true
}

/** How a run ended. `stored`: it gave readings that were new; `unchanged`: none was; `refused`: all were refused; `recheck`: only compared. */
export type Outcome = "stored" | "unchanged" | "refused" | "failed" | "recheck"

/** A run that took place. */
export interface RanLeaf extends Common {
  /** Its id, a UUIDv7. */
  readonly run: string
  /** When it was to begin; absent where no schedule asked for it. */
  readonly due?: string
  readonly began: string
  readonly ended: string
  /** The fixed current time that the collector saw. */
  readonly now: string
  /** Recorded after the document of its own hour, so it is in a later one. */
  readonly late?: true
  readonly outcome: Outcome
  readonly code_hash: string
  readonly targets_sha256: string
  readonly settings_sha256: string
  /** Merkle root over the rows that it gave, each the text of `rowText`. */
  readonly rows_root: string
  readonly n_rows: number
  readonly n_refused: number
  readonly exchanges: ReadonlyArray<RunExchange>
  /** How its notary was drawn; absent where there was none to draw from. */
  readonly lot?: Lot
  /** The run whose exchanges these are: they were read again with newer code. */
  readonly rederives?: string
}

/** A run that was due and did not take place. */
export interface SkippedLeaf extends Common {
  readonly due: string
  /** When the run after it was due: up to here it could have begun. */
  readonly until: string
  readonly outcome: "skipped"
  /** Why, as the service knows it. */
  readonly cause: string
}

export type RunLeaf = RanLeaf | SkippedLeaf

export const runLeafTag = "service-run-v1"

/** A longer address is in a leaf by its hash. */
export const longestUrl = 500

/** The root of a run without rows. */
export const noRows = toHex(sha256(new Uint8Array()))

const common = {
  v: s.oneOf<Tag<"service-run-v1">>(runLeafTag, `${runLeafTag}-demo`),
  plugin: s.name,
  simulated: s.optional(s.trueOrAbsent)
}

const exchangeShape: s.Shape<RunExchange> = {
  method: s.oneOf("GET", "POST", "LISTEN"),
  url: s.optional(s.name),
  url_sha256: s.optional(s.hash),
  request_sha256: s.optional(s.hash),
  at: s.time,
  status: s.count,
  headers_sha256: s.optional(s.hash),
  sha256: s.hash,
  confirmed: s.optional(s.trueOrAbsent),
  notes: s.hashes
}

const ranShape: s.Shape<RanLeaf> = {
  ...common,
  run: s.name,
  due: s.optional(s.time),
  began: s.time,
  ended: s.time,
  now: s.time,
  late: s.optional(s.trueOrAbsent),
  outcome: s.oneOf("stored", "unchanged", "refused", "failed", "recheck"),
  code_hash: s.hash,
  targets_sha256: s.hash,
  settings_sha256: s.hash,
  rows_root: s.hash,
  n_rows: s.count,
  n_refused: s.count,
  exchanges: s.listOf(s.nested("an exchange", exchangeShape)),
  lot: s.optional(
    s.nested<Lot>("the lot of a run", { head: s.hash, notary: s.name, from: s.optional(s.hash) })
  ),
  rederives: s.optional(s.name)
}

const skippedShape: s.Shape<SkippedLeaf> = {
  ...common,
  due: s.time,
  until: s.time,
  outcome: s.oneOf("skipped"),
  cause: s.nonEmpty
}

const checkRan = (leaf: RanLeaf): void => {
  const { began, ended, exchanges, n_refused, n_rows, outcome, rows_root } = leaf
  if (Date.parse(ended) < Date.parse(began)) throw new Malformed(`a run ended at ${ended}, before it began`)
  if ((n_rows === 0) !== (rows_root === noRows))
    throw new Malformed("a run must have the root of nothing exactly if it has no rows")
  if (outcome === "stored" && n_rows === 0) throw new Malformed("a run without rows stored none")
  if ((outcome === "failed" || outcome === "refused") && n_rows > 0)
    throw new Malformed(`a run that was ${outcome} has no rows`)
  if (outcome === "refused" && n_refused === 0) throw new Malformed("a run of which nothing was refused")
  for (const { url, url_sha256 } of exchanges) {
    if ((url === undefined) === (url_sha256 === undefined))
      throw new Malformed("an exchange must have either `url` or `url_sha256`")
    if (url !== undefined && url.length > longestUrl)
      throw new Malformed(`an address of more than ${longestUrl} characters must be named by its hash`)
  }
}

/**
 * Whether a run may be one that was due, or states that it was not made. One whose bodies were derived again asked no upstream, and
 * one that looked again left nothing.
 */
export const isAnswerToSchedule = (leaf: RunLeaf): boolean =>
  leaf.outcome === "skipped" || (leaf.outcome !== "recheck" && leaf.rederives === undefined)

const isSkipped = (value: unknown): boolean => Object(value)["outcome"] === "skipped"

const checkLeaf = (value: unknown): RunLeaf => {
  if (isSkipped(value)) {
    const leaf = s.readShape("a skipped run", value, skippedShape)
    checkTag(leaf, runLeafTag)
    if (Date.parse(leaf.until) <= Date.parse(leaf.due))
      throw new Malformed(`a run due at ${leaf.due} cannot be skipped by ${leaf.until}`)
    return leaf
  }
  const leaf = s.readShape("a run", value, ranShape)
  checkTag(leaf, runLeafTag)
  checkRan(leaf)
  return leaf
}

/** The leaf's canonical JSON. Throws `Malformed` if the leaf is not valid. */
export const runLeafText = (leaf: RunLeaf): string => canonical(checkLeaf(leaf))

/** Parses a leaf, which must be canonical JSON. Throws `Malformed`. */
export const parseRunLeaf = (text: string): RunLeaf => checkLeaf(parseCanonical(text))

/** Parses the leaves of an hour, one a line. Throws `Malformed`, naming the line. */
export const parseRunLeaves = (text: string): ReadonlyArray<RunLeaf> => {
  const lines = text.split("\n")
  if (lines.pop() !== "") throw new Malformed("the last line of the runs does not end")
  return lines.map((line, at) => {
    try {
      return parseRunLeaf(line)
    } catch (error) {
      if (error instanceof Malformed) throw inPlace(`run ${at}`, error)
      throw error
    }
  })
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The order of an hour's leaves: runs by their id; then those that did not take place, by plugin and time. No two are equal. */
export const compareRunLeaves = (a: RunLeaf, b: RunLeaf): number => {
  if (a.outcome !== "skipped") return b.outcome === "skipped" ? -1 : compareText(a.run, b.run)
  if (b.outcome !== "skipped") return 1
  return compareText(a.plugin, b.plugin) || Date.parse(a.due) - Date.parse(b.due)
}

/** When an hour begins, in epoch milliseconds. */
export const hourBegins = (hour: string): number => Date.parse(`${hour}:00:00Z`)

/** A row of a run, with what its leaf commits to. */
export interface Row {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly as_of: string
  readonly value: number
  readonly value_text?: string
  readonly unit: string
  readonly verify_url: string
}

/** A row as a run's `rows_root` and `rows_sha256` have it: a JSON array without white space. */
export const rowText = ({
  as_of,
  metric,
  source,
  symbol,
  unit,
  value,
  value_text,
  verify_url
}: Row): string =>
  JSON.stringify([symbol, metric, source, as_of, value, value_text ?? null, unit, verify_url])

/** The root over rows in their order. The server passes its native SHA-256; the default is portable. */
export const rowsRoot = (rows: ReadonlyArray<Row>, sha?: Sha256): string =>
  toHex(
    root(
      treeOf(
        rows.map((row) => utf8(rowText(row))),
        sha
      ),
      sha
    )
  )

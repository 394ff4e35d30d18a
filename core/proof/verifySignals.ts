/** Verifies signal ledger rows: each hash, each link, and that no row is missing at either end. */
import { inPlace, Malformed } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { type Check, check, demand, notChecked } from "./check.ts"
import { isBatch, type LogEntry } from "./entry.ts"
import * as s from "./shape.ts"
import { type HashedSignal, isWithheld, readSignal } from "./signal.ts"

/** Saved or fetched rows, and what the answer claims about the first and last. */
export interface SignalPages {
  /** Rows as served, not yet parsed. */
  readonly rows: ReadonlyArray<unknown>
  /** The ledger's newest row, as the answer claims. */
  readonly head?: { readonly n: number; readonly hash: string }
  /** Number of the newest expected row; undefined if unknown. */
  readonly newest?: number
  /** Number of the oldest expected row; undefined if unknown. */
  readonly oldest?: number
}

const numberOf = (what: string, value: unknown): number => {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value
  demand(s.ordinal.is(number), `${what} must be a row number, not ${JSON.stringify(value)}`)
  return number
}

/** Reads an answer of `/v1/signals`, a purchase of it, or a bare list of rows. Throws `Malformed`. */
export const signalPages = (document: unknown): SignalPages => {
  if (Array.isArray(document)) return { rows: document }
  const answer = isRecord(document) && isRecord(document.data) ? document.data : document
  if (!isRecord(answer) || !Array.isArray(answer.signals)) {
    throw new Malformed(
      "the document has no `signals`; pass an answer of /v1/signals, a purchase of signal_ledger, or a list of rows"
    )
  }
  const { cursor, head, next_cursor, signals: rows } = answer
  if (head === null) return { rows, newest: 0, oldest: 1 }
  demand(isRecord(head) && s.ordinal.is(head.n) && s.hash.is(head.hash), "`head` must have `n` and `hash`")
  return {
    rows,
    head: { n: head.n, hash: head.hash },
    newest: cursor === undefined ? head.n : Math.min(head.n, numberOf("`cursor`", cursor) - 1),
    oldest: next_cursor === undefined ? 1 : numberOf("`next_cursor`", next_cursor)
  }
}

/**
 * Makes every check of these rows. `knownHashes` lists hashes of rows known from elsewhere; `log` is the whole log, if it was
 * read: every row it names must be among these.
 */
export const verifySignals = (
  { head, newest, oldest, rows: served }: SignalPages,
  knownHashes: ReadonlyArray<string> = [],
  log?: ReadonlyArray<LogEntry>
): ReadonlyArray<Check> => {
  const rows: Array<HashedSignal> = []
  const withheld = served.filter(isWithheld).length
  const hashes = check("hashes", () => {
    for (const [place, row] of served.entries()) {
      try {
        rows.push(readSignal(row))
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        const n = isRecord(row) && typeof row.n === "number" ? `row ${row.n}` : `row at place ${place + 1}`
        throw inPlace(`${n}`, error)
      }
    }
    return `${rows.length - withheld} rows match their hashes`
  })
  if (hashes.ok !== true) return [hashes, notChecked("links", "a row does not match its hash", "unavailable")]
  if ((rows[0]?.n ?? 0) > (rows.at(-1)?.n ?? 0)) rows.reverse()
  const [first, last] = [rows[0], rows.at(-1)]
  const links = check("links", () => {
    for (const [place, row] of rows.entries()) {
      const before = rows[place - 1]
      if (before === undefined) continue
      demand(
        row.n === before.n + 1,
        `row ${row.n} follows row ${before.n}: rows are missing or out of order`,
        "contradiction"
      )
      demand(
        row.prev_hash === before.hash,
        `row ${row.n}: prev_hash is not the hash of row ${before.n}`,
        "hash"
      )
      demand(row.v === before.v, `row ${row.n}: the ledger mixes live and demo rows`, "contradiction")
    }
    return first === undefined ? "no rows" : `rows ${first.n} to ${last?.n} are linked`
  })
  if (links.ok !== true) return [hashes, links]
  return [
    hashes,
    links,
    ...(withheld === 0 ? [] : [notChecked("withheld rows", withheldWords(withheld), "unavailable")]),
    beginning(first, oldest),
    end(last, newest, head),
    ...knownHashes.map((hash) => among(rows, hash)),
    ...(log === undefined ? [] : [logged(rows, log)])
  ]
}

const withheldWords = (n: number): string =>
  `${n} of the rows have no values, as the terms of their sources ask, so their hashes cannot be computed; each stands in the row after it`

const beginning = (first: HashedSignal | undefined, oldest: number | undefined): Check => {
  const name = "beginning"
  if (first?.n === 1) return { name, ok: true, detail: "row 1 follows the genesis hash" }
  if (oldest === undefined) return notChecked(name, "the oldest row is unknown, and row 1 is not included")
  if (first !== undefined && first.n === oldest) {
    return notChecked(name, `the rows before ${oldest} are on other pages; pass the URL to read them all`)
  }
  return check(name, () => {
    demand(
      first === undefined && oldest === 1,
      `the rows start at ${first?.n}, but should start at ${oldest}`,
      "missing"
    )
    return "no rows"
  })
}

const end = (
  last: HashedSignal | undefined,
  newest: number | undefined,
  head: SignalPages["head"]
): Check => {
  const name = "end"
  if (newest === undefined) {
    return notChecked(name, "the newest row is unknown, so rows may be missing at the end (pass --head)")
  }
  return check(name, () => {
    demand(
      (last?.n ?? 0) === newest,
      `the rows end at ${last?.n ?? 0}, but should end at ${newest}: rows are missing`,
      "missing"
    )
    if (head === undefined || last === undefined) return "the ledger is empty"
    if (last.n < head.n) return `row ${last.n} is the last of this page; the head is row ${head.n}`
    demand(last.hash === head.hash, `row ${last.n} is not the head ${head.hash}`, "hash")
    return `row ${last.n} is the head ${head.hash}`
  })
}

const logged = (rows: ReadonlyArray<HashedSignal>, log: ReadonlyArray<LogEntry>): Check => {
  const name = "rows in the log"
  const named = log.flatMap((entry) => (isBatch(entry) || entry.kind !== "signals" ? [] : [entry]))
  const newest = named.at(-1)
  if (newest === undefined) return notChecked(name, "no log entry names a row yet", "unavailable")
  return check(name, () => {
    const hashes = new Map(rows.map(({ hash, n }) => [String(n), hash]))
    for (const { recorded_at, sha256, subject } of named) {
      demand(
        hashes.get(subject) === sha256,
        `the log recorded row ${subject} with hash ${sha256} at ${recorded_at}, but the ledger does not contain it: it was rewritten or rolled back`,
        "contradiction"
      )
    }
    return `all ${named.length} rows named in the log are present; the newest is row ${newest.subject}`
  })
}

const among = (rows: ReadonlyArray<HashedSignal>, hash: string): Check =>
  check("head given", () => {
    const row = rows.find((one) => one.hash === hash)
    demand(
      row !== undefined,
      `no row has the hash ${hash}: the ledger was rewritten or rolled back, or the row is on another page`,
      "missing"
    )
    return `row ${row.n} has the given hash`
  })

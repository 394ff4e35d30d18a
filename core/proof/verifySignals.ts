/** Verifies rows of the signal ledger: each hash, each link, and that none is missing at either end. */
import { Malformed } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { type Check, check, demand, notChecked } from "./check.ts"
import { isBatch, type LogEntry } from "./entry.ts"
import * as s from "./shape.ts"
import { type HashedSignal, readSignal } from "./signal.ts"

/** What was saved or fetched: rows in one direction, and what the answer says of their ends. */
export interface SignalPages {
  /** Rows as they were served, not read yet. */
  readonly rows: ReadonlyArray<unknown>
  /** The newest row of the ledger, by its own word. */
  readonly head?: { readonly n: number; readonly hash: string }
  /** Number of the newest row that must be among them; undefined where nothing says it. */
  readonly newest?: number
  /** Number of the oldest row that must be among them; undefined where nothing says it. */
  readonly oldest?: number
}

const numberOf = (what: string, value: unknown): number => {
  const number = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value
  demand(s.ordinal.is(number), `${what} must be a row's number`)
  return number
}

/** The pages of a document: an answer of `/v1/signals`, a purchase of it, or a bare list of rows. Throws `Malformed`. */
export const signalPages = (document: unknown): SignalPages => {
  if (Array.isArray(document)) return { rows: document }
  const answer = isRecord(document) && isRecord(document.data) ? document.data : document
  if (!isRecord(answer) || !Array.isArray(answer.signals)) {
    throw new Malformed(
      "no `signals`: give an answer of /v1/signals, a purchase of signal_ledger, or a list of rows"
    )
  }
  const { cursor, head, next_cursor, signals: rows } = answer
  if (head === null) return { rows, newest: 0, oldest: 1 }
  demand(isRecord(head) && s.ordinal.is(head.n) && s.hash.is(head.hash), "`head` must hold `n` and `hash`")
  return {
    rows,
    head: { n: head.n, hash: head.hash },
    newest: cursor === undefined ? head.n : Math.min(head.n, numberOf("`cursor`", cursor) - 1),
    oldest: next_cursor === undefined ? 1 : numberOf("`next_cursor`", next_cursor)
  }
}

/**
 * Every check of these rows. `kept` is the hash of a row that was kept from before, or read in the log; `log` the
 * entries of the whole log, where they were read: each row that one names must be among these.
 */
export const verifySignals = (
  { head, newest, oldest, rows: served }: SignalPages,
  kept: ReadonlyArray<string> = [],
  log?: ReadonlyArray<LogEntry>
): ReadonlyArray<Check> => {
  const rows: Array<HashedSignal> = []
  const hashes = check("hashes", () => {
    for (const [place, row] of served.entries()) {
      try {
        rows.push(readSignal(row))
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        const n = isRecord(row) && typeof row.n === "number" ? `row ${row.n}` : `row at place ${place + 1}`
        throw new Malformed(`${n}: ${error.message}`)
      }
    }
    return `${rows.length} rows are what their hashes say`
  })
  if (hashes.ok !== true) return [hashes, notChecked("links", "a row is broken")]
  if ((rows[0]?.n ?? 0) > (rows.at(-1)?.n ?? 0)) rows.reverse()
  const [first, last] = [rows[0], rows.at(-1)]
  const links = check("links", () => {
    for (const [place, row] of rows.entries()) {
      const before = rows[place - 1]
      if (before === undefined) continue
      demand(row.n === before.n + 1, `row ${row.n} comes after row ${before.n}: rows are missing or moved`)
      demand(row.prev_hash === before.hash, `row ${row.n}: prev_hash is not the hash of row ${before.n}`)
      demand(row.v === before.v, `row ${row.n}: live and demo rows in one ledger`)
    }
    return first === undefined ? "no rows" : `rows ${first.n} to ${last?.n} follow each other`
  })
  if (links.ok !== true) return [hashes, links]
  return [
    hashes,
    links,
    beginning(first, oldest),
    end(last, newest, head),
    ...kept.map((hash) => among(rows, hash)),
    ...(log === undefined ? [] : [logged(rows, log)])
  ]
}

const beginning = (first: HashedSignal | undefined, oldest: number | undefined): Check => {
  const name = "beginning"
  if (first?.n === 1) return { name, ok: true, detail: "row 1 follows the genesis hash" }
  if (oldest === undefined)
    return notChecked(name, "nothing says which row is the oldest, and row 1 is not here")
  if (first !== undefined && first.n === oldest) {
    return notChecked(
      name,
      `the rows before ${oldest} are on further pages: give the address to have all read`
    )
  }
  return check(name, () => {
    demand(
      first === undefined && oldest === 1,
      `the rows begin at ${first?.n}, and ${oldest} must be the first`
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
    return notChecked(name, "nothing says which row is the newest: rows may be missing at the end (--head)")
  }
  return check(name, () => {
    demand(
      (last?.n ?? 0) === newest,
      `the rows end at ${last?.n ?? 0}, and ${newest} must be the last: rows are missing`
    )
    if (head === undefined || last === undefined) return "the ledger is empty"
    if (last.n < head.n) return `row ${last.n} is the last of this page; the head is row ${head.n}`
    demand(last.hash === head.hash, `row ${last.n} is not the head ${head.hash}`)
    return `row ${last.n} is the head ${head.hash}`
  })
}

const logged = (rows: ReadonlyArray<HashedSignal>, log: ReadonlyArray<LogEntry>): Check => {
  const name = "rows in the log"
  const named = log.flatMap((entry) => (isBatch(entry) || entry.kind !== "signals" ? [] : [entry]))
  const newest = named.at(-1)
  if (newest === undefined) return notChecked(name, "no entry of the log names a row yet")
  return check(name, () => {
    const hashes = new Map(rows.map(({ hash, n }) => [String(n), hash]))
    for (const { recorded_at, sha256, subject } of named) {
      demand(
        hashes.get(subject) === sha256,
        `the log names row ${subject} with the hash ${sha256} at ${recorded_at}, and the ledger does not have it: it was rewritten or rolled back`
      )
    }
    return `all ${named.length} that it names are these, the newest is row ${newest.subject}`
  })
}

const among = (rows: ReadonlyArray<HashedSignal>, hash: string): Check =>
  check("head given", () => {
    const row = rows.find((one) => one.hash === hash)
    demand(
      row !== undefined,
      `no row has the hash ${hash}: the ledger was rewritten or rolled back, or it is of another page`
    )
    return `row ${row.n} has the hash that was kept`
  })

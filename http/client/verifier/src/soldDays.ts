/** Compares the rows of what was sold with the leaves of their days, one batch after the other. */

import { sha256 } from "@noble/hashes/sha2.js"
import { checkLeavesOf } from "../../../../core/proof/batch.ts"
import { Malformed } from "../../../../core/proof/bytes.ts"
import { type Check, failed, notChecked, notProved, refused } from "../../../../core/proof/check.ts"
import type { BatchEntry } from "../../../../core/proof/entry.ts"
import { leavesPath } from "../../../../core/proof/fetched.ts"
import type { RowLeaf } from "../../../../core/proof/leaf.ts"
import type { Sha256 } from "../../../../core/proof/merkle.ts"
import type { SoldRow } from "../../../../core/proof/soldRows.ts"
import { parseLeaves } from "./monitor/past.ts"
import type { Source } from "./monitor/source.ts"

/** What the leaves say of a row. `later`: the day has a later reading, and only the last one of a day is a leaf. */
type Verdict = "equal" | "differs" | "later" | "absent"

const seriesOf = ({ metric, source, symbol }: Pick<SoldRow, "metric" | "source" | "symbol">): string =>
  JSON.stringify([symbol, metric, source])

const isTheSame = (row: SoldRow, leaf: RowLeaf): boolean => {
  if (leaf.value !== row.value || leaf.n_observations === 0) return false
  for (const name of ["value_text", "unit", "verify_url"] as const)
    if (row[name] !== undefined && row[name] !== leaf[name]) return false
  if (row.as_of === undefined) return true
  const [sold, last] = [Date.parse(row.as_of), Date.parse(leaf.as_of)]
  return row.orNewer === true ? last >= sold : last === sold
}

const judge = (row: SoldRow, leaves: ReadonlyArray<RowLeaf>): Verdict => {
  if (leaves.length === 0) return "absent"
  if (leaves.some((leaf) => isTheSame(row, leaf))) return "equal"
  const { as_of } = row
  const isLater = as_of !== undefined && leaves.some((leaf) => Date.parse(leaf.as_of) > Date.parse(as_of))
  return isLater ? "later" : "differs"
}

const describeRow = ({ day, metric, source, symbol, value }: SoldRow): string =>
  `${symbol} ${metric} of ${source} on ${day} = ${value}`

/** What came of the rows, each in exactly one list. */
interface Compared {
  readonly equal: Array<SoldRow>
  readonly differs: Array<SoldRow>
  readonly later: Array<SoldRow>
  readonly open: Array<SoldRow>
  readonly unread: Array<SoldRow>
}

interface Log {
  readonly source: Source
  /** By day. */
  readonly batches: ReadonlyMap<string, BatchEntry>
  readonly sha?: Sha256
}

/** The leaves of a batch that are about these rows, by series and day; undefined where the file is not there. */
const leavesAbout = async (
  { batches, sha = sha256, source }: Log,
  day: string,
  rows: ReadonlyArray<SoldRow>
): Promise<ReadonlyMap<string, ReadonlyArray<RowLeaf>> | undefined> => {
  const batch = batches.get(day)
  const bytes = batch === undefined ? undefined : await source.read(leavesPath(day))
  if (batch === undefined || bytes === undefined) return undefined
  const leaves = parseLeaves(bytes)
  checkLeavesOf(batch, leaves, sha)
  const names = new Set(rows.map((row) => `${row.day} ${seriesOf(row)}`))
  const about = leaves.filter(
    (leaf): leaf is RowLeaf => leaf.kind !== "absent" && names.has(`${leaf.day} ${seriesOf(leaf)}`)
  )
  return Map.groupBy(about, (leaf) => `${leaf.day} ${seriesOf(leaf)}`)
}

/**
 * Later batches have the late and the revised values of a day. Moves what they explain; what is left differs, unless the leaves that
 * may explain it are not there.
 */
const inLaterBatches = async (log: Log, left: ReadonlyArray<SoldRow>, compared: Compared): Promise<void> => {
  let open = left
  const unread = new Set<SoldRow>()
  for (const [day, { n_late, n_revisions }] of log.batches) {
    const about = open.filter((row) => row.day < day)
    if (about.length === 0 || n_late + n_revisions === 0) continue
    const leaves = await leavesAbout(log, day, about)
    if (leaves === undefined) {
      for (const row of about) unread.add(row)
      continue
    }
    open = open.filter((row) => {
      const verdict = judge(row, leaves.get(`${row.day} ${seriesOf(row)}`) ?? [])
      if (verdict === "equal") compared.equal.push(row)
      else if (verdict === "later") compared.later.push(row)
      return verdict === "absent" || verdict === "differs"
    })
  }
  for (const row of open) compared[unread.has(row) ? "unread" : "differs"].push(row)
}

const compareAll = async (log: Log, rows: ReadonlyArray<SoldRow>): Promise<Compared> => {
  const compared: Compared = { equal: [], differs: [], later: [], open: [], unread: [] }
  const left: Array<SoldRow> = []
  for (const [day, ofDay] of Map.groupBy(rows, (row) => row.day)) {
    if (!log.batches.has(day)) {
      compared.open.push(...ofDay)
      continue
    }
    const leaves = await leavesAbout(log, day, ofDay)
    if (leaves === undefined) {
      compared.unread.push(...ofDay)
      continue
    }
    for (const row of ofDay) {
      const verdict = judge(row, leaves.get(`${day} ${seriesOf(row)}`) ?? [])
      if (verdict === "equal") compared.equal.push(row)
      else if (verdict === "later") compared.later.push(row)
      else left.push(row)
    }
  }
  await inLaterBatches(log, left, compared)
  return compared
}

const most = 20

const named = (rows: ReadonlyArray<SoldRow>): string =>
  `${rows.slice(0, most).map(describeRow).join("; ")}${rows.length > most ? `; and ${rows.length - most} more` : ""}`

/** Checks each row of a closed day against the leaves of that day. Needs the memory of one day's leaves at a time. */
export const checkSoldRows = async (
  log: Log,
  rows: ReadonlyArray<SoldRow>
): Promise<ReadonlyArray<Check>> => {
  let compared: Compared
  try {
    compared = await compareAll(log, rows)
  } catch (error) {
    if (error instanceof Malformed) return [refused("leaves", error)]
    throw error
  }
  // The reading of a figure whose row has one time for several may be of a later day.
  const [unsure, wrong] = [
    compared.differs.filter(({ orNewer }) => orNewer === true),
    compared.differs.filter(({ orNewer }) => orNewer !== true)
  ]
  const days = new Set(compared.equal.map(({ day }) => day)).size
  const equal = `${compared.equal.length} of ${rows.length} rows are leaves of ${days} closed days`
  return [
    wrong.length > 0
      ? failed(
          "rows",
          `${wrong.length} rows are not what the log has: ${named(wrong)}. ${equal}`,
          "contradiction"
        )
      : compared.equal.length > 0
        ? { name: "rows", ok: true, detail: equal }
        : notProved("rows", `no row could be compared with a leaf: ${equal}`),
    ...(unsure.length === 0
      ? []
      : [
          notProved(
            "figures",
            `${unsure.length} figures are not those of their row's oldest time, which may be of a later day: ${named(unsure)}`,
            "unavailable"
          )
        ]),
    ...(compared.unread.length === 0
      ? []
      : [
          notProved(
            "leaves",
            `the leaves of ${compared.unread.length} rows are not there: ${named(compared.unread)}`,
            "unavailable"
          )
        ]),
    ...(compared.open.length === 0
      ? []
      : [
          notChecked(
            "open days",
            `${compared.open.length} rows are of days that the log has not closed: check them again once it has`,
            "unavailable"
          )
        ]),
    ...(compared.later.length === 0
      ? []
      : [
          notChecked(
            "later readings",
            `${compared.later.length} rows have a later reading on their day, and only the last one of a day is a leaf`,
            "unavailable"
          )
        ])
  ]
}

/**
 * The payload of a product as tables, for people who open it in a spreadsheet: one table for each list of records in it. A
 * list within a record is a table of its own, whose rows begin with the texts of that record.
 */
import { isRecord } from "../proof/canonical.ts"
import type { Row } from "../readings/csv.ts"

export interface Table {
  /** Where the list is in the payload, such as `networks` or `categories.networks`. */
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly rows: Iterable<Row>
}

type Member = Readonly<Record<string, unknown>>

/** Rows that a table is made of, and whether each is a series in columns. */
interface Draft {
  readonly rows: Array<Row>
  /** True if each row has `dates` and `values`: such a row is one of the table for each of its days. */
  inColumns: boolean
}

const isRecords = (value: unknown): value is ReadonlyArray<Member> =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord)

const isInColumns = ({ dates, values }: Member): boolean =>
  Array.isArray(dates) && Array.isArray(values) && dates.length === values.length

/** The members of a record with those of the records in it, named `outer.inner`; lists of records are left out. */
const flat = (member: Member, before = ""): Row =>
  Object.fromEntries(
    Object.entries(member).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (isRecords(value)) return []
      if (isRecord(value)) return Object.entries(flat(value, `${before}${name}.`))
      return [[`${before}${name}`, value]]
    })
  )

/** The texts of a record, which name it in the tables of its lists. */
const namesOf = (member: Member, table: string): Row =>
  Object.fromEntries(
    Object.entries(member).flatMap(([name, value]) =>
      typeof value === "string" ? [[`${table}.${name}`, value]] : []
    )
  )

const collect = (member: Member, path: string, names: Row, drafts: Map<string, Draft>): void => {
  for (const [name, value] of Object.entries(member)) {
    const place = path === "" ? name : `${path}.${name}`
    if (isRecords(value)) {
      const draft = drafts.get(place) ?? { rows: [], inColumns: true }
      drafts.set(place, draft)
      for (const one of value) {
        draft.rows.push({ ...names, ...flat(one) })
        draft.inColumns &&= isInColumns(one)
        collect(one, place, { ...names, ...namesOf(one, name) }, drafts)
      }
    } else if (isRecord(value) && place !== "methodology") collect(value, place, names, drafts)
  }
}

/** One row for each day of a series. */
function* daily(rows: ReadonlyArray<Row>): Generator<Row> {
  for (const { dates, values, ...rest } of rows) {
    if (!Array.isArray(dates) || !Array.isArray(values)) continue
    for (const [n, date] of dates.entries()) yield { ...rest, date, value: values[n] }
  }
}

/** Columns that say what a row is about come first: canonical JSON has the members by the alphabet. */
const leading = ["category", "symbol", "name", "metric"]

const inOrder = (columns: Iterable<string>): ReadonlyArray<string> => {
  const all = [...columns]
  return [...leading.filter((name) => all.includes(name)), ...all.filter((name) => !leading.includes(name))]
}

/** The tables in the order of the payload; one of a single row, named `payload`, if it has no list of records. */
export const tablesOf = (payload: unknown): ReadonlyArray<Table> => {
  if (!isRecord(payload)) return []
  const drafts = new Map<string, Draft>()
  collect(payload, "", {}, drafts)
  if (drafts.size === 0) drafts.set("payload", { rows: [flat(payload)], inColumns: false })
  return [...drafts].map(([name, { inColumns, rows }]) => {
    const columns = new Set<string>()
    for (const row of rows) for (const column of Object.keys(row)) columns.add(column)
    if (!inColumns) return { name, columns: inOrder(columns), rows }
    const others = [...columns].filter((column) => column !== "dates" && column !== "values")
    return { name, columns: [...inOrder(others), "date", "value"], rows: daily(rows) }
  })
}

/** The body of `/v1/asof`, to columns: JSON, or CSV with a header line. Runs in a thread: 10,000 rows take a while. */
import { Exit, Schema } from "effect"
import { firstIssue } from "../../core/process/decodeMessage.ts"
import type { AsofColumns, RequestedRow } from "../../core/readings/read/asof.ts"
import { notATime, timeOf } from "../../core/readings/read/parameters.ts"
import { AsofRequest, AsofRow, mostRows } from "../../core/wire/data/asof.ts"
import type { BadParameter } from "../../core/wire/problems/request.ts"
import { messageIn, readTable } from "./joinTable.ts"

export interface JoinBody {
  readonly form: "json" | "csv"
  readonly text: string
}

/** What is wrong with a body: the members of a `BadParameter`. */
export type JoinFault = Pick<BadParameter, "field" | "message" | "valid">

export interface JoinColumns {
  readonly columns: AsofColumns
  /** Of rows that were sent as CSV, the line of each. */
  readonly lines: Uint32Array | undefined
}

export type JoinRows = JoinColumns | { readonly fault: JoinFault }

const columnNames = Object.keys(AsofRow.fields)
const members = columnNames.join(", ")
const validRows = `rows, of which each has the members ${members}, the last two optional`
const validTable = `CSV (RFC 4180) with a header line of the columns ${members}, the last two optional`

const fault = (field: string, message: string, valid?: string): { readonly fault: JoinFault } => ({
  fault: { field, message: `${field} ${message}`, ...(valid === undefined ? {} : { valid }) }
})

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Without the members that are null: some clients send every member, with null for those that they leave out. */
const present = (row: unknown): unknown =>
  isObject(row) && Object.values(row).includes(null)
    ? Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
    : row

const ofJson = (text: string): unknown => {
  const body: unknown = JSON.parse(text)
  return isObject(body) && "rows" in body && Array.isArray(body.rows)
    ? { ...body, rows: body.rows.map(present) }
    : body
}

const decode = Schema.decodeUnknownExit(AsofRequest, { onExcessProperty: "error" })

/** The rows as they are sent, or what is wrong with them. */
const requestOf = (body: unknown): AsofRequest | { readonly fault: JoinFault } => {
  const decoded = decode(body)
  if (Exit.isSuccess(decoded)) return decoded.value
  const { message, path } = firstIssueOf(decoded)
  return fault(path.length === 0 ? "body" : path.join("."), `is not valid: ${message}.`, validRows)
}

const firstIssueOf = (exit: Exit.Failure<unknown, Schema.SchemaError>) => {
  const matches = Exit.findError(exit)
  return matches._tag === "Success"
    ? firstIssue(matches.success.issue)
    : { path: [], message: "it cannot be read" }
}

/** What rows ask for, each series once. */
class RequestedSeries {
  readonly all: Array<RequestedRow> = []
  readonly #places = new Map<string, number>()

  placeOf({ metric, source, symbol }: AsofRow, row: number): number {
    const key = JSON.stringify([symbol, metric, source])
    const before = this.#places.get(key)
    if (before !== undefined) return before
    this.#places.set(key, this.all.length)
    return this.all.push({ symbol, metric, source, row }) - 1
  }
}

const columnsOf = ({
  rows
}: AsofRequest): { readonly columns: AsofColumns } | { readonly fault: JoinFault } => {
  const requested = new RequestedSeries()
  const seriesOf = new Uint16Array(rows.length)
  const knownAt = new Float64Array(rows.length)
  const at = new Float64Array(rows.length)
  for (const [n, row] of rows.entries()) {
    const knownTime = timeOf(row.as_known_at)
    const until = row.at === undefined ? Number.NaN : timeOf(row.at)
    if (knownTime === undefined) return { fault: notATime(`rows.${n}.as_known_at`) }
    if (until === undefined) return { fault: notATime(`rows.${n}.at`) }
    seriesOf[n] = requested.placeOf(row, n)
    knownAt[n] = knownTime
    at[n] = until
  }
  return { columns: { requested: requested.all, seriesOf, knownAt, at } }
}

const columnsIn = (body: unknown): ReturnType<typeof columnsOf> => {
  const request = requestOf(body)
  if ("fault" in request) return request
  const { length } = request.rows
  return length >= 1 && length <= mostRows
    ? columnsOf(request)
    : fault("rows", `has ${length} rows; send 1 to ${mostRows}.`, `1 to ${mostRows} rows`)
}

const readJson = (text: string): JoinRows => {
  let body: unknown
  try {
    body = ofJson(text)
  } catch {
    return fault("body", "must be JSON.")
  }
  const read = columnsIn(body)
  return "fault" in read ? read : { ...read, lines: undefined }
}

const readCsv = (text: string): JoinRows => {
  const table = readTable(text, columnNames)
  if ("why" in table) return fault("body", `is no such CSV: ${table.why}.`, validTable)
  const { lines, rows } = table
  const read = columnsIn({ rows })
  return "fault" in read
    ? { fault: { ...read.fault, message: messageIn(lines, read.fault) } }
    : { ...read, lines }
}

/** The columns of a body, or what is wrong with it. */
export const readJoin = ({ form, text }: JoinBody): JoinRows =>
  form === "csv" ? readCsv(text) : readJson(text)

/** The tables of a purchased payload as CSV, some rows at a time: what a thread does with long ones, and the service with short ones. */
import { Effect, Stream } from "effect"
import { type Table, tablesOf } from "../../core/products/tables.ts"
import { csv, type Row } from "../../core/readings/csv.ts"

export interface ChunkTask {
  /** The same for the same bytes. */
  readonly id: string
  /** The payload, JSON. In shared memory where a thread reads it. */
  readonly bytes: Uint8Array
  /** The table; the first one without a name. */
  readonly table: string | undefined
  /** How many rows of it were read before. */
  readonly from: number
}

export interface TableChunk {
  /** All tables of the payload. */
  readonly names: ReadonlyArray<string>
  /** Undefined if there is no such table. */
  readonly table: string | undefined
  /** The header line, at the beginning of the table, and some rows. */
  readonly text: string
  /** How many rows were read; undefined at the end. */
  readonly next: number | undefined
}

/** Rows of a chunk: about a megabyte of text. */
const atOnce = 5000

/** The rows of a table that are not read yet. */
interface Reading {
  readonly key: string
  readonly tables: ReadonlyArray<Table>
  readonly table: Table | undefined
  readonly rows: Iterator<Row>
  read: number
}

const begin = (key: string, { bytes, table: named }: ChunkTask): Reading => {
  // A decoder takes no shared memory.
  const payload: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes)))
  const tables = tablesOf(payload)
  const table = named === undefined ? tables[0] : tables.find(({ name }) => name === named)
  return { key, tables, table, rows: (table?.rows ?? [])[Symbol.iterator](), read: 0 }
}

/** Reads chunks one after the other; what was parsed for the last one is there for the next. */
export const chunkReader = () => {
  let reading: Reading | undefined
  return (task: ChunkTask): TableChunk => {
    const key = `${task.id} ${task.table ?? ""}`
    if (reading?.key !== key || reading.read !== task.from) {
      reading = begin(key, task)
      while (reading.read < task.from && reading.rows.next().done !== true) reading.read++
    }
    const { rows, table, tables } = reading
    const some: Array<Row> = []
    let end = false
    while (some.length < atOnce && !end) {
      const { done, value } = rows.next()
      if (done === true) end = true
      else some.push(value)
    }
    reading.read += some.length
    const next = end ? undefined : reading.read
    const whole = Effect.runSync(Stream.mkString(csv(table?.columns ?? [])(Stream.fromIterable(some))))
    if (end) reading = undefined
    return {
      names: tables.map(({ name }) => name),
      table: table?.name,
      text: task.from === 0 ? whole : whole.slice(whole.indexOf("\n") + 1),
      next
    }
  }
}

/** The least and the greatest times of a file's columns, from its Parquet footer: readers pass over files without a day. */
import { Effect, Schema } from "effect"
import { parquetMetadata } from "hyparquet"
import type { Content } from "../archive/ArchiveFiles.ts"

const Range = Schema.optionalKey(Schema.Tuple([Schema.Finite, Schema.Finite]))

/** Epoch milliseconds by column, the least and the greatest; without the columns that a file states no bounds of. */
export const Bounds = Schema.Struct({ day: Range, as_of: Range, recorded_at: Range })
export interface Bounds extends Schema.Schema.Type<typeof Bounds> {}

const columns = ["day", "as_of", "recorded_at"] as const

/** Bytes at the end of a Parquet file, the first four of which say how long its footer is. */
const tailBytes = 8

const instants = (values: ReadonlyArray<unknown>): ReadonlyArray<number> | undefined => {
  const sure = values.flatMap((value) => (value instanceof Date ? [value.getTime()] : []))
  return sure.length === values.length && sure.length > 0 ? sure : undefined
}

const boundsIn = (footer: Uint8Array): Bounds => {
  const { row_groups } = parquetMetadata(new Uint8Array(footer).buffer)
  return Object.fromEntries(
    columns.flatMap((name) => {
      const statistics = row_groups.map(
        ({ columns }) =>
          columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)?.meta_data?.statistics
      )
      const least = instants(statistics.map((each) => each?.min_value))
      const most = instants(statistics.map((each) => each?.max_value))
      return least === undefined || most === undefined
        ? []
        : [[name, [Math.min(...least), Math.max(...most)]]]
    })
  )
}

/** The bounds of a Parquet file. */
export const boundsOf = Effect.fn("Archive.boundsOf")(function* ({
  bytes,
  read
}: Pick<Content, "bytes" | "read">) {
  const tail = yield* read(bytes - tailBytes, bytes)
  const footer = new DataView(tail.buffer, tail.byteOffset, tail.byteLength).getUint32(0, true)
  return boundsIn(yield* read(bytes - tailBytes - footer, bytes))
})

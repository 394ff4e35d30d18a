/** The columns of the archive's files as a schema of Iceberg, and what has no other form than the schema's. */
import { type Column, dayColumns } from "../../proof/archive.ts"

/** https://iceberg.apache.org/spec/#primitive-types. A `time` is an instant; that its files have milliseconds is no loss. */
const types = {
  boolean: "boolean",
  date: "date",
  double: "double",
  hash: "fixed[32]",
  integer: "int",
  text: "string",
  time: "timestamptz"
} as const satisfies Record<Column["type"], string>

/** Files from before sources had terms lack the last column. */
export const withoutRights = 0
export const withRights = 1
export type SchemaId = typeof withoutRights | typeof withRights

/** Columns are only added at the end of the files, so that the place of one is its id forever. */
const fields = dayColumns.map((column: Column, n) => ({
  id: n + 1,
  name: column.name,
  required: column.optional !== true,
  type: types[column.type]
}))

/** The id of a column. */
export const fieldId = (name: (typeof dayColumns)[number]["name"]): number =>
  dayColumns.findIndex((column) => column.name === name) + 1

export const schemaOf = (id: SchemaId) => ({
  type: "struct",
  "schema-id": id,
  fields: id === withRights ? fields : fields.filter(({ name }) => name !== "licence")
})

/** The files have no ids of columns: readers find them by name. */
export const nameMapping = JSON.stringify(fields.map(({ id, name }) => ({ "field-id": id, names: [name] })))

/** A file of a day is not of a single day: late values of earlier ones are in it. So the table has no partitions. */
export const partitionFields: ReadonlyArray<never> = []

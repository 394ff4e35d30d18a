/**
 * Avro object container files (https://avro.apache.org/docs/1.12.0/specification/#object-container-files). The marker between
 * blocks, which other writers draw at random, is taken from the content: the same records give the same bytes.
 */
import { createHash } from "node:crypto"
import avro from "avsc"

/** What precedes the blocks. */
const header = avro.Type.forSchema({
  type: "record",
  name: "header",
  fields: [
    { name: "magic", type: { type: "fixed", name: "magic", size: 4 } },
    { name: "meta", type: { type: "map", values: "bytes" } },
    { name: "sync", type: { type: "fixed", name: "sync", size: 16 } }
  ]
})
const long = avro.Type.forSchema("long")

const magic = Buffer.from("Obj\u0001", "latin1")

/** The schema of a record as JSON, with extra attributes for readers, such as `field-id`. */
interface RecordSchema {
  readonly type: "record"
  readonly name: string
  readonly fields: ReadonlyArray<object>
}

/** Writes files of records of a schema, each in one block; throws if a record is not of the schema. */
export const avroWriter = (schema: RecordSchema) => {
  const text = JSON.stringify(schema)
  const type = avro.Type.forSchema(JSON.parse(text))
  return (metadata: Readonly<Record<string, string>>, records: ReadonlyArray<object>): Uint8Array => {
    const block = Buffer.concat(records.map((record) => type.toBuffer(record)))
    const meta = Object.fromEntries(
      Object.entries({ ...metadata, "avro.codec": "null", "avro.schema": text }).map(([key, value]) => [
        key,
        Buffer.from(value)
      ])
    )
    const sync = createHash("sha256")
      .update(JSON.stringify([metadata, text]))
      .update(block)
      .digest()
      .subarray(0, 16)
    return Buffer.concat([
      header.toBuffer({ magic, meta, sync }),
      long.toBuffer(records.length),
      long.toBuffer(block.length),
      block,
      sync
    ])
  }
}

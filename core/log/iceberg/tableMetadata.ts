/** The metadata of the table (https://iceberg.apache.org/spec/#table-metadata), format version 2, after some of its days. */
import { tablePath } from "../../proof/archive.ts"
import type { TableDay } from "./days.ts"
import { fileAt, type Group, listName, snapshotId } from "./manifests.ts"
import { nameMapping, partitionFields, type SchemaId, schemaOf, withoutRights, withRights } from "./schema.ts"

/** Snapshots of a version, the newest. Those before are in earlier versions, which stay. */
export const mostSnapshots = 400

/** A UUID of the application's own making (RFC 9562, version 8), of the first file: each archive has another one. */
const uuidOf = ({ sha256 }: TableDay): string =>
  [
    sha256.slice(0, 8),
    sha256.slice(8, 12),
    `8${sha256.slice(13, 16)}`,
    `8${sha256.slice(17, 20)}`,
    sha256.slice(20, 32)
  ].join("-")

/** The totals of a snapshot, and of which file it is: the log has its hash. */
const summaryOf = (day: TableDay, totals: { readonly rows: number; readonly bytes: number }) => ({
  operation: "append",
  "added-data-files": "1",
  "added-records": String(day.rows),
  "added-files-size": String(day.bytes),
  "total-data-files": String(day.sequence),
  "total-records": String(totals.rows),
  "total-files-size": String(totals.bytes),
  "total-delete-files": "0",
  "total-position-deletes": "0",
  "total-equality-deletes": "0",
  "plumbline.day": day.day,
  "plumbline.file": day.name,
  "plumbline.sha256": day.sha256,
  "plumbline.log-index": String(day.log_index)
})

/** The newest snapshots, whose totals are of all days. */
const snapshotsOf = (base: string, days: Group) => {
  const skipped = Math.max(0, days.length - mostSnapshots)
  const totals = { rows: 0, bytes: 0 }
  return days.flatMap((day, n) => {
    totals.rows += day.rows
    totals.bytes += day.bytes
    const parent = days[n - 1]
    return n < skipped
      ? []
      : [
          {
            "snapshot-id": snapshotId(day),
            ...(parent === undefined ? {} : { "parent-snapshot-id": snapshotId(parent) }),
            "sequence-number": day.sequence,
            "timestamp-ms": day.known_at,
            "manifest-list": fileAt(base, listName(day)),
            "schema-id": day.schema,
            summary: summaryOf(day, totals)
          }
        ]
  })
}

/** The metadata after these days as JSON; the version is their number. */
export const tableMetadata = (base: string, days: Group): string => {
  const last = days.at(-1) ?? days[0]
  const snapshots = snapshotsOf(base, days)
  const schemas = ([withoutRights, withRights] satisfies ReadonlyArray<SchemaId>)
    .filter((id) => days.some(({ schema }) => schema === id))
    .map(schemaOf)
  return JSON.stringify({
    "format-version": 2,
    "table-uuid": uuidOf(days[0]),
    location: `${base}${tablePath}`,
    "last-sequence-number": last.sequence,
    "last-updated-ms": last.known_at,
    "last-column-id": Math.max(...schemas.flatMap(({ fields }) => fields.map(({ id }) => id))),
    "current-schema-id": last.schema,
    schemas,
    "default-spec-id": 0,
    "partition-specs": [{ "spec-id": 0, fields: partitionFields }],
    "last-partition-id": 999,
    "default-sort-order-id": 0,
    "sort-orders": [{ "order-id": 0, fields: [] }],
    properties: { "schema.name-mapping.default": nameMapping },
    "current-snapshot-id": snapshotId(last),
    refs: { main: { "snapshot-id": snapshotId(last), type: "branch" } },
    snapshots,
    "snapshot-log": snapshots.map((each) => ({
      "timestamp-ms": each["timestamp-ms"],
      "snapshot-id": each["snapshot-id"]
    }))
  })
}

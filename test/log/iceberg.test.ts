/** The archive's files as a table of Iceberg: what is in its files, day after day. */
import { assert, describe, it } from "@effect/vitest"
import avro from "avsc"
import type { TableDay } from "../../core/log/iceberg/days.ts"
import { newestFiles } from "../../core/log/iceberg/files.ts"
import {
  type Group,
  groupAt,
  groupsOf,
  lengthsOf,
  manifest,
  manifestList,
  manifestName
} from "../../core/log/iceberg/manifests.ts"
import { withoutRights, withRights } from "../../core/log/iceberg/schema.ts"
import { mostSnapshots, tableMetadata } from "../../core/log/iceberg/tableMetadata.ts"
import { dayColumns } from "../../core/proof/archive.ts"

const base = "https://plumbline.test"
const length = 86_400_000

/** Days from one on, each with a file of as many rows as its place. */
const daysFrom = (first: string, count: number): Group => {
  const [head, ...rest] = Array.from({ length: count }, (_, n): TableDay => {
    const at = Date.parse(first) + n * length
    const day = new Date(at).toISOString().slice(0, 10)
    return {
      sequence: n + 1,
      day,
      name: `daily/${day.replaceAll("-", "/")}.parquet`,
      rows: n + 1,
      bytes: 1000 + n,
      sha256: (n + 1).toString(16).padStart(64, "0"),
      log_index: 2 * n + 1,
      known_at: at + 32 * 3_600_000,
      schema: withRights,
      bounds: { day: [at - length, at], as_of: [at, at + 1] }
    }
  })
  assert.isDefined(head)
  return [head as TableDay, ...rest]
}

/** The records of an Avro file and its metadata, as the library reads them. */
const opened = (bytes: Uint8Array) => {
  const header = avro.Type.forSchema({
    type: "record",
    name: "header",
    fields: [
      { name: "magic", type: { type: "fixed", name: "magic", size: 4 } },
      { name: "meta", type: { type: "map", values: "bytes" } },
      { name: "sync", type: { type: "fixed", name: "sync", size: 16 } }
    ]
  })
  const buffer = Buffer.from(bytes)
  const { offset, value } = header.decode(buffer)
  const meta = Object.fromEntries(
    Object.entries(value.meta as Record<string, Buffer>).map(([key, text]) => [key, text.toString()])
  )
  const type = avro.Type.forSchema(JSON.parse(meta["avro.schema"] ?? ""))
  const long = avro.Type.forSchema("long")
  const count = long.decode(buffer, offset)
  const size = long.decode(buffer, count.offset)
  const records: Array<Record<string, never>> = []
  for (let at = size.offset; records.length < count.value; ) {
    const record = type.decode(buffer, at)
    records.push(record.value)
    at = record.offset
  }
  assert.deepStrictEqual(buffer.subarray(-16), value.sync)
  return { meta, records: records as ReadonlyArray<Record<string, unknown>> }
}

describe("the table", () => {
  it("puts days that are over together, so that a snapshot has few manifests", () => {
    const days = daysFrom("2024-11-29", 36)
    const namesAt = (count: number) => groupsOf(days.slice(0, count)).map(manifestName)
    assert.deepStrictEqual(namesAt(2), ["days-1-1.avro", "days-2-2.avro"])
    assert.deepStrictEqual(namesAt(3), ["days-1-2.avro", "days-3-3.avro"])
    assert.deepStrictEqual(namesAt(34), ["days-1-33.avro", "days-34-34.avro"])
    assert.isAtMost(groupsOf(daysFrom("2024-01-01", 3650)).length, 9 + 11 + 31)
    // Nothing else is a file of the table.
    const all = daysFrom("2024-11-29", 36)
    const served = new Set(all.flatMap((_, n) => namesAt(n + 1)))
    for (let first = 1; first <= 36; first++)
      for (let last = first; last <= 37; last++) {
        const name = `days-${first}-${last}.avro`
        assert.strictEqual(groupAt(all, first, last) !== undefined, served.has(name), name)
      }
  })

  it("keeps a day out of order in a manifest of its own", () => {
    const days = daysFrom("2026-08-29", 5)
    const swapped = [...days.slice(0, 2), ...days.slice(3), days[2] as TableDay]
    const [head, ...rest] = swapped.map((day, n) => ({ ...day, sequence: n + 1 }))
    const groups = groupsOf([head as TableDay, ...rest])
    assert.deepStrictEqual(groups.map(manifestName), [
      "days-1-2.avro",
      "days-3-3.avro",
      "days-4-4.avro",
      "days-5-5.avro"
    ])
  })

  it("gives each file its path, its rows, its size, its bounds and the snapshot that it came with", () => {
    const days = daysFrom("2026-08-30", 3)
    const merged = opened(manifest(base, [days[0], days[1] as TableDay]))
    assert.deepStrictEqual(
      [merged.meta["format-version"], merged.meta["content"], merged.meta["partition-spec"]],
      ["2", "data", "[]"]
    )
    const [first] = merged.records
    assert.deepInclude(first, {
      status: 0,
      snapshot_id: 20260830,
      sequence_number: 1,
      file_sequence_number: 1
    })
    const file = first?.["data_file"] as Record<string, unknown>
    assert.deepInclude(file, {
      file_path: `${base}/v1/archive/daily/2026/08/30.parquet`,
      record_count: 1,
      file_size_in_bytes: 1000
    })
    const [day, asOf] = file["lower_bounds"] as ReadonlyArray<{ key: number; value: Buffer }>
    assert.deepStrictEqual([day?.key, day?.value.readInt32LE()], [1, Date.parse("2026-08-29") / length])
    assert.deepStrictEqual(
      [asOf?.key, asOf?.value.readBigInt64LE()],
      [8, BigInt(Date.parse("2026-08-30")) * 1000n]
    )
    const list = opened(manifestList(base, days, lengthsOf(base)))
    assert.deepStrictEqual(
      list.records.map((each) => [
        each["manifest_path"],
        each["sequence_number"],
        each["added_snapshot_id"],
        each["existing_rows_count"],
        each["added_rows_count"],
        each["manifest_length"]
      ]),
      [
        [
          `${base}/v1/archive/iceberg/metadata/days-1-2.avro`,
          3,
          20260901,
          3,
          0,
          manifest(base, [days[0], days[1] as TableDay]).length
        ],
        [
          `${base}/v1/archive/iceberg/metadata/days-3-3.avro`,
          3,
          20260901,
          0,
          3,
          manifest(base, [days[2] as TableDay]).length
        ]
      ]
    )
    assert.deepStrictEqual(
      [list.meta["snapshot-id"], list.meta["parent-snapshot-id"], list.meta["sequence-number"]],
      ["20260901", "20260831", "3"]
    )
  })

  it("is the same to the byte each time", () => {
    const [one, two] = [daysFrom("2026-08-30", 40), daysFrom("2026-08-30", 40)].map((days) =>
      newestFiles(base, days)?.fixed.map(({ content }) => Buffer.from(content()).toString("base64"))
    )
    assert.deepStrictEqual(one, two)
    assert.notDeepEqual(
      manifest(base, daysFrom("2026-08-30", 1)).slice(-16),
      manifest(base, daysFrom("2026-08-31", 1)).slice(-16)
    )
  })

  it("has a schema for files from before sources had terms, and the newer one from the first file on that has them", () => {
    const days = daysFrom("2026-08-30", 4).map(
      (day, n): TableDay => ({ ...day, schema: n < 2 ? withoutRights : withRights })
    )
    const [head, ...rest] = days
    assert.isDefined(head)
    const metadata = JSON.parse(tableMetadata(base, [head as TableDay, ...rest]))
    assert.deepStrictEqual(
      metadata.schemas.map((schema: { fields: ReadonlyArray<unknown> }) => schema.fields.length),
      [dayColumns.length - 1, dayColumns.length]
    )
    assert.strictEqual(metadata["current-schema-id"], withRights)
    assert.deepStrictEqual(
      metadata.snapshots.map((each: Record<string, unknown>) => each["schema-id"]),
      [0, 0, 1, 1]
    )
    const early = JSON.parse(tableMetadata(base, [head as TableDay]))
    assert.deepStrictEqual([early["current-schema-id"], early["last-column-id"]], [0, 18])
  })

  it("never gives a column another number", () => {
    const { schemas } = JSON.parse(tableMetadata(base, daysFrom("2026-08-30", 1)))
    assert.deepStrictEqual(
      schemas[0].fields.map(({ id, name, type }: Record<string, unknown>) => `${id} ${name} ${type}`),
      [
        "1 day date",
        "2 symbol string",
        "3 metric string",
        "4 source string",
        "5 unit string",
        "6 value double",
        "7 value_text string",
        "8 as_of timestamptz",
        "9 n_observations int",
        "10 verify_url string",
        "11 kind string",
        "12 version int",
        "13 excluded_by int",
        "14 recorded_at timestamptz",
        "15 simulated boolean",
        "16 readings_sha256 fixed[32]",
        "17 follows fixed[32]",
        "18 leaf_hash fixed[32]",
        "19 licence string"
      ]
    )
  })

  it("has the newest snapshots in a version, whatever the age of the archive", () => {
    const days = daysFrom("2024-01-01", mostSnapshots + 10)
    const metadata = JSON.parse(tableMetadata(base, days))
    assert.lengthOf(metadata.snapshots, mostSnapshots)
    assert.strictEqual(metadata.snapshots[0]["sequence-number"], 11)
    const rows = days.reduce((sum, { rows }) => sum + rows, 0)
    assert.strictEqual(metadata.snapshots.at(-1).summary["total-records"], String(rows))
    const files = newestFiles(base, days)?.fixed ?? []
    assert.strictEqual(files.filter(({ name }) => name.startsWith("snap-")).length, mostSnapshots)
    // Whatever a snapshot names is among them.
    const names = new Set(files.map(({ name }) => name))
    for (const count of [11, days.length])
      for (const group of groupsOf(days.slice(0, count))) assert.isTrue(names.has(manifestName(group)))
  })
})

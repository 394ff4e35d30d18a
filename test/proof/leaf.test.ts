/** Leaves, log entries and lists of absent series: one text each, and no other is read. */
import { createHash } from "node:crypto"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromUtf8, Malformed } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { type BatchEntry, entryBytes, isBatch, parseEntryBytes } from "../../core/proof/entry.ts"
import {
  absenceList,
  compareLeaves,
  type Leaf,
  leafBytes,
  leafHashHex,
  parseAbsenceList,
  parseLeaf,
  parseLeafBytes,
  provenAbsence,
  type RowLeaf,
  readingsSha256
} from "../../core/proof/leaf.ts"
import { batches, rowLeaf } from "../support/publication.ts"

const sha = (text: string) => createHash("sha256").update(text).digest("hex")
const leaf = rowLeaf("FIL", "devices_total", "2026-09-04")

describe("a leaf", () => {
  it("is this text", () => {
    assert.strictEqual(
      fromUtf8(leafBytes(leaf)),
      '{"as_of":"2026-09-04T11:00:00Z","day":"2026-09-04","kind":"reading","metric":"devices_total","n_observations":2,' +
        `"readings_sha256":"${sha("2026-09-04T06:00:00Z|40\n2026-09-04T11:00:00Z|41.5")}",` +
        '"recorded_at":"2026-09-04T11:00:04Z","source":"example-feed","symbol":"FIL","unit":"count",' +
        '"v":"service-leaf-v2","value":41.5,"verify_url":"https://upstream.example/stats","version":1}'
    )
    assert.strictEqual(leafHashHex(leafBytes(leaf)), sha(`\0${fromUtf8(leafBytes(leaf))}`))
  })

  it("is read back, whatever its names and numbers", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/\p{Cc}/u.test(text)),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 1, max: 99 }),
        (symbol, value, version) => {
          const rowLeaf: RowLeaf = {
            ...leaf,
            symbol,
            value: value === 0 ? 0 : value,
            value_text: JSON.stringify(value),
            kind: version === 1 ? "reading" : "revision",
            version,
            ...(version > 1 ? { follows: leafHashHex(leafBytes(leaf)) } : {})
          }
          assert.deepStrictEqual(parseLeafBytes(leafBytes(rowLeaf)), rowLeaf)
        }
      )
    )
  })

  it("is refused in any other shape", () => {
    const changes: ReadonlyArray<object> = [
      { v: "service-leaf-v1" },
      { kind: "other" },
      { symbol: "" },
      { symbol: "FI\0L" },
      { verify_url: "https://upstream.example/\n" },
      { symbol: 1 },
      { value: "41.5" },
      { value: null },
      { value_text: "" },
      { value_text: "41.51" },
      { value_text: "0x29.8" },
      { value_text: " 41.5" },
      { recorded_at: "2026-09-04T10:54:59Z" },
      { recorded_at: "2026-09-31T11:00:04Z" },
      { kind: "late" },
      { day: "2026-09-05" },
      { day: "2026-9-4" },
      { as_of: "2026-09-04 11:00:00" },
      { as_of: "2026-09-04T11:00:00+00:00" },
      { n_observations: 0 },
      { readings_sha256: "AB" },
      { version: 0 },
      { version: 2 },
      { version: 2, follows: "0".repeat(64) },
      { follows: "0".repeat(64) },
      { kind: "revision" },
      { excluded_by: 0 },
      { simulated: false },
      { simulated: true },
      { extra: 1 }
    ]
    for (const change of changes) {
      assert.throws(
        () => parseLeaf(canonical({ ...leaf, ...change })),
        Malformed,
        undefined,
        JSON.stringify(change)
      )
    }
    for (const member of Object.keys(leaf)) {
      const { [member as "unit"]: _left, ...rest } = leaf
      assert.throws(
        () => parseLeaf(canonical(rest)),
        new RegExp(`\`${member}\` is missing`),
        undefined,
        member
      )
    }
    assert.throws(() => parseLeaf(JSON.stringify(leaf)), /canonical form/)
    assert.throws(() => leafBytes({ ...leaf, value: Number.NaN }), Malformed)
  })

  it("is late only if it was recorded after the cut-off of its day, and a clock may be five minutes behind", () => {
    const late = { ...leaf, kind: "late" as const, recorded_at: "2026-09-05T08:00:00.001Z" }
    assert.deepStrictEqual(parseLeafBytes(leafBytes(late)), late)
    for (const recorded_at of ["2026-09-05T07:59:59Z", "2026-09-05T08:00:00Z"]) {
      assert.throws(() => leafBytes({ ...late, recorded_at }), /after the cut-off/, undefined, recorded_at)
    }
    const early = { ...leaf, recorded_at: "2026-09-04T10:55:00Z" }
    assert.deepStrictEqual(parseLeafBytes(leafBytes(early)), early)
  })

  it("has its place in the batch whatever order it came in", () => {
    const leaves: ReadonlyArray<Leaf> = [
      leaf,
      { ...leaf, excluded_by: 4 },
      { ...leaf, kind: "revision", version: 2, follows: "0".repeat(64) },
      { ...leaf, source: "another-feed" },
      { ...leaf, symbol: "\ufb33" },
      { ...leaf, symbol: "\ud83d\ude00" },
      { ...leaf, metric: "z" },
      ...(batches[0]?.leaves ?? [])
    ]
    const order = (list: ReadonlyArray<Leaf>) => [...list].sort(compareLeaves).map((one) => canonical(one))
    const sorted = order(leaves)
    fc.assert(
      fc.property(fc.shuffledSubarray([...leaves], { minLength: leaves.length }), (shuffled) => {
        assert.deepStrictEqual(order(shuffled), sorted)
      })
    )
    assert.include(sorted.at(-1) ?? "", '"absent"')
    assert.isTrue(
      leaves.every((one, at) => leaves.every((other, to) => at === to || compareLeaves(one, other) !== 0))
    )
  })
})

describe("the readings of a day", () => {
  it("are hashed in their order, the exact text before the number", () => {
    const readings = [
      { as_of: "2026-09-04T11:00:00.500Z", value: 1e21, value_text: "1000000000000000000001" },
      { as_of: "2026-09-04T11:00:00Z", value: 1e-7 },
      { as_of: "2026-09-04T06:00:00Z", value: 0 }
    ]
    assert.strictEqual(
      readingsSha256(readings),
      sha(
        "2026-09-04T06:00:00Z|0\n2026-09-04T11:00:00Z|1e-7\n2026-09-04T11:00:00.500Z|1000000000000000000001"
      )
    )
    assert.strictEqual(readingsSha256([...readings].reverse()), readingsSha256(readings))
  })
})

describe("absence", () => {
  const series = [
    { symbol: "HNT", metric: "nodes_online", source: "b" },
    { symbol: "HNT", metric: "nodes_online", source: "a" },
    { symbol: "AR", metric: "z", source: "c" }
  ]
  const list = absenceList(series)
  const absent = {
    v: "service-leaf-v2" as const,
    kind: "absent" as const,
    day: "2026-09-04",
    cut_off: "2026-09-05T08:00:00Z",
    n_series: 3,
    series_sha256: list.sha256
  }

  it("is one sorted list", () => {
    assert.strictEqual(
      list.text,
      '[{"metric":"z","source":"c","symbol":"AR"},{"metric":"nodes_online","source":"a","symbol":"HNT"},' +
        '{"metric":"nodes_online","source":"b","symbol":"HNT"}]'
    )
    assert.strictEqual(list.sha256, sha(list.text))
    assert.deepStrictEqual(absenceList([...series].reverse()), list)
    assert.deepStrictEqual(parseLeafBytes(leafBytes(absent)), absent)
  })

  it("is proved for what is on the list alone", () => {
    for (const one of series) assert.deepStrictEqual(provenAbsence(absent, list.text, one), one)
    const other = { symbol: "AR", metric: "nodes_online", source: "a" }
    const listed = { symbol: "AR", metric: "z", source: "c" }
    assert.throws(() => provenAbsence(absent, list.text, other), /not on the list/)
    assert.throws(() => provenAbsence(absent, "[]", listed), /does not match/)
    assert.throws(() => provenAbsence({ ...absent, n_series: 2 }, list.text, listed), /counts 2/)
  })

  it("says when it is a series' last", () => {
    const ended = absenceList([...series, { symbol: "IO", metric: "gpus", source: "d", ended: true }])
    assert.include(ended.text, '{"ended":true,"metric":"gpus","source":"d","symbol":"IO"}')
    const leaf = { ...absent, n_series: 4, series_sha256: ended.sha256 }
    assert.isTrue(provenAbsence(leaf, ended.text, { symbol: "IO", metric: "gpus", source: "d" }).ended)
  })

  it("is refused on a list that is unsorted, repeats a series or says more", () => {
    const [first = "", second = ""] = parseAbsenceList(list.text).map((one) => canonical(one))
    for (const bad of [
      `[${second},${first}]`,
      `[${first},${first}]`,
      '[{"metric":"z","source":"c","symbol":"AR","why":"x"}]',
      '[{"ended":false,"metric":"z","source":"c","symbol":"AR"}]',
      "{}",
      list.text.replace("[", "[ ")
    ]) {
      assert.throws(() => parseAbsenceList(bad), Malformed, undefined, bad)
    }
  })
})

describe("a log entry", () => {
  const entry: BatchEntry = batches[0]?.entry ?? batchless()
  const document = {
    v: "service-entry-v2" as const,
    kind: "brief",
    sha256: "0".repeat(64),
    subject: "2026-09-07",
    recorded_at: "2026-09-07T08:00:00Z"
  }

  it("is read back", () => {
    assert.deepStrictEqual(parseEntryBytes(entryBytes(entry)), entry)
    assert.deepStrictEqual(parseEntryBytes(entryBytes(document)), document)
    assert.isTrue(isBatch(entry))
    assert.isFalse(isBatch(document))
    const demo: BatchEntry = { ...entry, v: "service-batch-v2-demo", simulated: true }
    assert.deepStrictEqual(parseEntryBytes(entryBytes(demo)), demo)
  })

  it("is refused in any other shape", () => {
    for (const bad of [
      { ...entry, simulated: true },
      { ...entry, v: "service-batch-v2-demo" },
      { ...entry, tree_size: 1 },
      { ...entry, root: "" },
      { ...entry, days: "2026-09-01" },
      { ...entry, days: [] },
      { ...entry, days: ["2026-09-01", "2026-09-02"] },
      { ...entry, days: ["2026-09-31"] },
      { ...entry, cut_off: "2026-09-01T23:59:59Z" },
      { ...entry, closed_at: "2026-09-02T07:59:59Z" },
      { ...entry, closed_at: "2026-09-02T09:00:01Z" },
      { ...entry, late: true },
      { ...entry, n_readings: entry.n_readings - 1 },
      { ...entry, n_late: 1 },
      { ...entry, absent_sha256: undefined },
      { ...entry, extra: 1 },
      { ...document, kind: "Brief" },
      { ...document, v: "service-entry-v1" },
      { ...document, sha256: "0" },
      { ...document, simulated: true }
    ]) {
      const text = canonical(JSON.parse(JSON.stringify(bad)))
      assert.throws(() => parseEntryBytes(new TextEncoder().encode(text)), Malformed, undefined, text)
    }
  })

  it("of a batch is late from an hour after its cut-off on", () => {
    const onTime: BatchEntry = { ...entry, closed_at: "2026-09-02T09:00:00Z" }
    const late: BatchEntry = { ...entry, closed_at: "2026-09-02T09:00:00.001Z", late: true }
    for (const one of [onTime, late]) assert.deepStrictEqual(parseEntryBytes(entryBytes(one)), one)
  })
})

const batchless = (): never => {
  throw new Error("the support module publishes no batch")
}

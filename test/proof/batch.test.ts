/** The leaves of a batch against its log entry. */
import { assert, describe, it } from "vitest"
import { checkLeafOf, checkLeavesOf } from "../../core/proof/batch.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import type { BatchEntry } from "../../core/proof/entry.ts"
import type { Leaf, RowLeaf } from "../../core/proof/leaf.ts"
import { absenceLeaf, batchOf, rowLeaf } from "../support/publication.ts"

const day = "2026-09-04"
const reading = rowLeaf("FIL", "devices_total", day)
const late: RowLeaf = {
  ...rowLeaf("FIL", "nodes_online", "2026-09-02"),
  kind: "late",
  recorded_at: "2026-09-04T12:00:00Z"
}
const leaves: ReadonlyArray<Leaf> = [reading, late, absenceLeaf(day)]
const { entry } = batchOf(day, leaves)

describe("a batch", () => {
  it("has exactly the leaves that its entry counts, in order, under its root", () => {
    checkLeavesOf(entry, leaves)
    const [first, second, absent] = leaves
    if (first === undefined || second === undefined || absent === undefined) return assert.fail("no leaves")
    for (const [bad, why] of [
      [[second, first, absent], /out of order/],
      [[first, first, absent], /there twice/],
      [[first, absent], /0 leaves of kind late/],
      [[{ ...reading, value: 2 }, second, absent], /do not hash/]
    ] as const) {
      assert.throws(() => checkLeavesOf(entry, bad), why)
    }
    const counted: BatchEntry = { ...entry, n_readings: 0, n_late: 2 }
    assert.throws(() => checkLeavesOf(counted, leaves), /of kind reading, but its batch entry counts none/)
  })

  it("takes no leaf that another batch would hold", () => {
    const refuses = (leaf: Leaf, why: RegExp) => assert.throws(() => checkLeafOf(entry, leaf), why)
    refuses(rowLeaf("FIL", "devices_total", "2026-09-05"), /after the day/)
    refuses(rowLeaf("FIL", "devices_total", "2026-09-03"), /it would be late/)
    refuses({ ...reading, recorded_at: "2026-09-05T08:00:00.001Z" }, /after the batch's cut-off/)
    refuses({ ...reading, v: "service-leaf-v2-demo", simulated: true }, /simulated/)
    refuses(absenceLeaf("2026-09-03"), /the absence leaf is of 2026-09-03/)
    const absent = absenceLeaf(day)
    if (absent.kind !== "absent") return assert.fail("no absence leaf")
    refuses({ ...absent, cut_off: "2026-09-05T08:00:01Z" }, /the cut-off/)
    refuses({ ...absent, n_series: 2 }, /different lists/)
    refuses({ ...absent, series_sha256: "0".repeat(64) }, /different lists/)
    checkLeafOf(entry, { ...reading, kind: "late", recorded_at: "2026-09-05T08:04:00Z" })
    assert.throws(() => checkLeafOf(entry, absenceLeaf("2026-09-03")), Malformed)
  })
})

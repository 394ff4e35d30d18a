import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { formOf, moved, movedInText, type TimeForm, timeOf } from "../../runtime/tape/times.ts"

const from = Date.parse("2026-09-05T11:00:00Z")
const day = 86_400_000

describe("a time in a payload", () => {
  it.each<readonly [TimeForm, string, string]>([
    ["s", "1788604500", "1788345300"],
    ["s", "1788604500.250", "1788345300.250"],
    ["ms", "1788604500123", "1788345300123"],
    ["us", "1788604500123456", "1788345300123456"],
    ["iso", "2026-09-05T10:35:00Z", "2026-09-02T10:35:00Z"],
    ["iso", "2026-09-05T10:35:00.123Z", "2026-09-02T10:35:00.123Z"],
    ["iso", "2026-09-05 10:35:00", "2026-09-02 10:35:00"],
    ["iso", "2026-09-05T10:35", "2026-09-02T10:35"],
    ["iso", "2026-09-05T12:35:00+02:00", "2026-09-02T12:35:00+02:00"],
    ["iso", "2026-09-05T00:10:00-05:30", "2026-09-02T00:10:00-05:30"],
    ["date", "2026-09-04", "2026-09-01"],
    ["compact", "20260904", "20260901"],
    ["http", "Sat, 05 Sep 2026 10:58:30 GMT", "Wed, 02 Sep 2026 10:58:30 GMT"],
    ["le-ms", "0xe1a73771a0010000", "0xe193c461a0010000"],
    ["be-s", "0x6a9bf5d4", "0x6a980154"]
  ])("in the form %s moves and keeps its form: %s", (form, text, expected) => {
    assert.strictEqual(moved(form, text, { from, to: from - 3 * day }), expected)
    assert.strictEqual(moved(form, expected, { from: from - 3 * day, to: from }), text)
  })

  it("moves by the exact difference, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.constantFrom<TimeForm>("ms", "iso", "le-ms"),
        fc.integer({ min: -30 * day, max: 30 * day }),
        (form, difference) => {
          const text = {
            ms: "1788604500123",
            iso: "2026-09-05T10:35:00.123Z",
            "le-ms": "0xe1a73771a0010000"
          }[form as "ms" | "iso" | "le-ms"]
          const after = moved(form, text, { from, to: from + difference })
          assert.strictEqual((timeOf(form, after) ?? 0) - (timeOf(form, text) ?? 0), difference)
        }
      )
    )
  })

  it("given as a date moves with the calendar of the run", () => {
    const late = Date.parse("2026-09-05T23:30:00Z")
    assert.strictEqual(moved("date", "2026-09-04", { from: late, to: late + 3_600_000 }), "2026-09-05")
    assert.strictEqual(moved("date", "2026-09-04", { from: late, to: late - 3_600_000 }), "2026-09-04")
  })

  it("that means a day moves with the calendar too", () => {
    const later = { from: Date.parse("2026-09-05T11:00:00Z"), to: Date.parse("2026-09-07T03:00:00Z") }
    assert.strictEqual(moved("s", "1788566400", later), "1788739200")
    assert.strictEqual(moved("iso", "2026-09-04T23:59:59Z", later), "2026-09-06T23:59:59Z")
  })

  it.each(["n/a", "", "2026-13-45T00:00:00Z", "12", "1788604500abc"])("is not in %j", (text) => {
    assert.isUndefined(formOf(text, from))
  })

  it("is told from a number of another size, and from a date long ago", () => {
    assert.strictEqual(formOf("1788604500", from), "s")
    assert.isUndefined(formOf("1688604500", from))
    assert.isUndefined(formOf("2021-11-24", from))
  })

  it("moves in an address and nothing else does", () => {
    assert.strictEqual(
      movedInText("https://x.org/data/2026-09-04-h3_4.csv?since=1788604500&id=1234567890&to=20260904", {
        from,
        to: from - day
      }),
      "https://x.org/data/2026-09-03-h3_4.csv?since=1788518100&id=1234567890&to=20260903"
    )
  })
})

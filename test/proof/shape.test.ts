/** Days and times of documents: those of the calendar, and no others. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { day, time } from "../../core/proof/shape.ts"

const digits = (length: number, max: number) =>
  fc.integer({ min: 0, max }).map((n) => String(n).padStart(length, "0"))

const days = fc
  .tuple(digits(4, 9999), digits(2, 14), digits(2, 33))
  .map(([year, month, date]) => `${year}-${month}-${date}`)
const clocks = fc
  .tuple(digits(2, 25), digits(2, 61), digits(2, 61), fc.option(digits(3, 999), { nil: undefined }))
  .map(([hour, minute, second, ms]) => `T${hour}:${minute}:${second}${ms === undefined ? "" : `.${ms}`}Z`)

/** As a calendar has it that another wrote: `Date` reads some days that are none, and writes them as others. */
const isWrittenBack = (text: string): boolean => {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.replace(/Z$/, ""))
}

describe("a day and a time of a document", () => {
  it("are those of the calendar", () => {
    fc.assert(
      fc.property(days, clocks, (date, clock) => {
        assert.strictEqual(day.is(date), isWrittenBack(date), date)
        assert.strictEqual(time.is(date + clock), isWrittenBack(date + clock), date + clock)
      }),
      { numRuns: 5000 }
    )
  })

  it("keep to the leap years of the Gregorian calendar", () => {
    const leap = ["2000-02-29", "2024-02-29", "0000-02-29", "9996-02-29"]
    const common = [
      "1900-02-29",
      "2100-02-29",
      "2026-02-29",
      "2024-02-30",
      "2026-04-31",
      "2026-00-10",
      "2026-01-00"
    ]
    for (const date of leap) assert.isTrue(day.is(date), date)
    for (const date of common) assert.isFalse(day.is(date), date)
  })

  it("have no leap second and no hour 24", () => {
    for (const clock of ["23:59:60", "24:00:00", "00:60:00"])
      assert.isFalse(time.is(`2026-09-04T${clock}Z`), clock)
    assert.isTrue(time.is("2026-09-04T23:59:59.999Z"))
  })
})

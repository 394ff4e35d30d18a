/** What a page of the demo says of time: its clock stands earlier than the one of keys and sales, and nothing on it is later. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as DataClock from "../../core/clock/DataClock.ts"
import { withoutLater } from "../../http/explorer/html/format.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const wall = Date.UTC(2026, 10, 26, 12)
const ahead = Date.UTC(2026, 8, 5, 12) - wall

/** Days that a page writes, whatever their form, outside addresses and hashes. */
const daysIn = (page: string): ReadonlyArray<string> =>
  [
    ...page.matchAll(
      /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}\b|\b20\d\d-\d\d-\d\d\b/g
    )
  ].map(([day]) => day)

/** The log key of a demo is as old as its data (`logSince`), and that of this service is not. */
const logKeyRow = /<tr[^>]*>(?:(?!<\/tr>)[\s\S])*signs the log[\s\S]*?<\/tr>/

/** Its keys are made at the time of the wall clock. */
const service = Layer.unwrap(Effect.as(TestClock.setTime(wall), Service.layer({ mode: "replay" }))).pipe(
  Layer.provide(Layer.succeed(DataClock.offset, ahead))
)

layer(service)("the clock of the demo's pages", (it) => {
  it.effect("is ahead of nothing: keys, heads and what somebody searched are not later than the page", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(wall)
      for (const path of [
        "/",
        "/networks",
        "/trust",
        "/log",
        "/status",
        "/category/storage",
        "/network/4EVER"
      ]) {
        const page = (yield* ask({ path, headers: { accept: "text/html" } })).body.toString("utf8")
        assert.include(page, `<body data-ahead="${ahead}">`, path)
        const days = daysIn(page.replace(logKeyRow, ""))
        assert.isNotEmpty(days, path)
        assert.deepStrictEqual(
          days.filter((day) => Date.parse(`${day} UTC`) > wall + ahead),
          [],
          path
        )
      }
      const trust = (yield* ask("/trust")).body.toString("utf8")
      assert.match(trust, /signs answers(?:(?!<\/tr>)[\s\S])*5 Sep 2026, 1[12]:\d\d UTC/)
    })
  )
})

it("a sentence of the catalog keeps the days before, and is whole without those after", () => {
  const now = Date.UTC(2026, 10, 22, 12)
  const sentences = [
    ["its terms forbid it (read 2026-11-22)", "its terms forbid it (read 2026-11-22)"],
    ["its terms forbid it (read 2026-11-23)", "its terms forbid it"],
    ["opened (searched on 2026-11-25)", "opened"],
    ["no host (oxen-core@b208672, read 2026-11-25)", "no host (oxen-core@b208672)"],
    ["(its documentation, noted 2026-11-21)", "(its documentation, noted 2026-11-21)"]
  ] as const
  for (const [text, shownDays] of sentences) assert.strictEqual(withoutLater(text, now), shownDays)
})

/** The page of a category, and what a network's page says of its place in it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const metric = "active_storage_providers"

const counting = {
  ...manifest,
  covers: { networks: ["FIL", "STORJ", "SC"] },
  metrics: { [metric]: { unit: "count", meaning: "Providers with power.", role: "headline" } }
} as const

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body, status }) => ({
    status,
    body: body.toString("utf8")
  }))

const write = Effect.fnUntraced(function* (
  at: number,
  readings: ReadonlyArray<readonly [symbol: string, value: number, as_of: string]>
) {
  const rows = readings.map(([symbol, value, as_of]) =>
    Runs.row(value, as_of, { symbol, metric, source: "made-up" })
  )
  yield* (yield* Ingest).write(Runs.delivery(at, rows, "made-up"))
})

/** What is said of a sum, without markup. */
const sumIn = (body: string): string =>
  (new RegExp(`data-sum="${metric}">(.*?)</div>`, "s").exec(body)?.[1] ?? "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()

const rowsIn = (body: string): ReadonlyArray<string> =>
  [
    ...body.matchAll(
      /<tr role="row" data-symbol="(\w+)"><td role="cell" class="n">(\d+)<.*?data-label="Share">([^<]*)</gs
    )
  ].map(([, symbol, place, share]) => `${place} ${symbol} ${share}`)

/** Symbol, day and words of each change of rank. */
const ranksIn = (body: string): ReadonlyArray<string> =>
  [...body.matchAll(/<tr role="row" data-symbol="(\w+)">(.*?)<\/tr>/gs)].flatMap(([, symbol, cells = ""]) =>
    [...cells.matchAll(/data-rank="([\d-]+)">([^<]*)</g)].map(
      ([, since, word]) => `${symbol} ${since} ${word}`
    )
  )

/** The lines of the legend under the chart of shares, without markup. */
const sharesIn = (body: string): ReadonlyArray<string> =>
  [...body.matchAll(/<li data-share="[^"]*">(.*?)<\/li>/gs)].map(([, line = ""]) =>
    line.replace(/<[^>]*>/g, "")
  )

layer(Service.layer({ manifests: [counting] }))("a category", (it) => {
  it.effect("adds up like with like, ranks, and names who is missing instead of a smaller sum", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
      yield* write(Date.UTC(2026, 8, 4, 7), [
        ["FIL", 310, "2026-08-31T01:00:00Z"],
        ["FIL", 290, "2026-09-02T01:00:00Z"],
        ["FIL", 300, "2026-09-04T01:00:00Z"],
        ["STORJ", 100, "2026-09-04T01:00:00Z"]
      ])
      yield* (yield* DailyClose).run
      const { body, status } = yield* page("/category/storage")
      assert.strictEqual(status, 200)
      assert.strictEqual(sumIn(body), "Active storage providers 400 sum of 2 of 2 networks")
      assert.deepStrictEqual(rowsIn(body), ["1 FIL 75 %", "2 STORJ 25 %"])
      assert.match(body, /Not measured: \d+ of \d+/)
      const fil = (yield* page("/network/FIL")).body
      assert.include(fil, 'href="/category/storage"')
      assert.include(fil, "and runs on a chain of its own.")
      assert.include(fil, "It is in the log since 31 Aug 2026, with 310 on that day.")
      assert.include(
        fil,
        "By active storage providers it is number 1 of the 2 networks of this category that state it"
      )
      assert.include((yield* page("/network/STORJ")).body, "number 2 of the 2 networks")

      yield* write(Date.UTC(2026, 8, 4, 7, 30), [["SC", 900, "2026-08-20T01:00:00Z"]])
      yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8, 1))
      const later = (yield* page("/category/storage")).body
      assert.match(sumIn(later), /^Active storage providers n\/a 2 of 3 networks now; no sum without Sia/)
      assert.deepStrictEqual(rowsIn(later), ["1 FIL n/a", "2 STORJ n/a"])
      assert.include(later, "Not ranked, because")
    })
  )

  it.effect("says how ranks changed since closed days, and nothing where a value is missing", () =>
    Effect.gen(function* () {
      // Of 4 Sep there are FIL 300 and STORJ 100 by the test before, and the day is not closed yet.
      yield* TestClock.setTime(Date.UTC(2026, 8, 11, 8))
      yield* write(Date.UTC(2026, 8, 11, 7), [
        ["FIL", 330, "2026-09-11T01:00:00Z"],
        ["STORJ", 350, "2026-09-11T01:00:00Z"],
        ["SC", 900, "2026-09-11T01:00:00Z"]
      ])
      assert.deepStrictEqual(ranksIn((yield* page("/category/storage")).body), [])
      yield* (yield* DailyClose).run
      yield* TestClock.setTime(Date.UTC(2026, 8, 11, 8, 1))
      const { body } = yield* page("/category/storage")
      // Sia has a value of 20 Aug: it is not new, and it moves nobody. No network has one of 12 Aug.
      assert.deepStrictEqual(ranksIn(body), [
        "SC 2026-09-04 n/a",
        "STORJ 2026-09-04 up 1",
        "FIL 2026-09-04 down 1"
      ])
      assert.include(body, "as well as now (2 on 4 Sep), so that")
    })
  )

  it.effect("draws the share of each network by day, and no day on which one has no value", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 14, 8))
      yield* write(Date.UTC(2026, 8, 14, 7), [
        ["FIL", 300, "2026-09-12T01:00:00Z"],
        ["STORJ", 400, "2026-09-12T01:00:00Z"],
        ["SC", 1300, "2026-09-12T01:00:00Z"],
        ["FIL", 310, "2026-09-13T01:00:00Z"],
        ["STORJ", 410, "2026-09-13T01:00:00Z"]
      ])
      yield* (yield* DailyClose).run
      const { body } = yield* page("/category/storage")
      // Of 11 Sep they have 900, 350 and 330; 4 Sep and 13 Sep are of two networks, 20 Aug, 31 Aug and 2 Sep of one.
      assert.deepStrictEqual(sharesIn(body), [
        "A Sia: 57 % on 11 Sep 2026, 65 % on 12 Sep 2026",
        "B Storj: 22.2 % on 11 Sep 2026, 20 % on 12 Sep 2026",
        "C Filecoin: 20.9 % on 11 Sep 2026, 15 % on 12 Sep 2026"
      ])
      assert.include(body, "2 closed days with a value of every network. On 5 more some have none")
      const [columns = ""] = /class="band of-a" d="([^"]*)"/.exec(body)?.slice(1) ?? []
      assert.strictEqual(columns.split("z").length - 1, 2)
    })
  )

  it.effect("is refused by a name that is none, and is in the sitemap", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* page("/category/none")).status, 404)
      const unranked = yield* page("/category/storage?metric=none")
      assert.strictEqual(unranked.status, 404)
      assert.include(unranked.body, `has no ranking by a metric of this name. Valid: ${metric}.`)
      assert.include((yield* page("/sitemap.xml")).body, "/category/storage")
      assert.strictEqual((yield* page("/category/weather")).status, 200)
    })
  )
})

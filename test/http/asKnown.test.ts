/** Charts of a metric and of a comparison, and their frames and pictures, as they were known on an earlier day, with what is published now as a ghost line. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const feed = {
  ...manifest,
  metrics: {
    active_storage_providers: { unit: "count", meaning: "Providers with power.", role: "headline" }
  }
} as const

const path = "/network/FIL/active_storage_providers"

const write = Effect.fnUntraced(function* (at: string, value: number, as_of: string) {
  yield* TestClock.setTime(Date.parse(at))
  const row = Runs.row(value, as_of, {
    symbol: "FIL",
    metric: "active_storage_providers",
    source: "made-up"
  })
  yield* (yield* Ingest).write(Runs.delivery(Date.parse(at), [row], "made-up"))
})

/** Two days, of which the first is restated when both are closed. */
const stored = Effect.gen(function* () {
  yield* write("2026-09-02T07:00:00Z", 300, "2026-09-01T02:00:00Z")
  yield* write("2026-09-03T07:00:00Z", 302, "2026-09-02T02:00:00Z")
  yield* TestClock.setTime(Date.parse("2026-09-03T09:00:00Z"))
  yield* (yield* DailyClose).run
  yield* write("2026-09-04T07:00:00Z", 303, "2026-09-02T02:00:00Z")
  yield* write("2026-09-04T07:30:00Z", 310, "2026-09-03T02:00:00Z")
  yield* TestClock.setTime(Date.parse("2026-09-05T09:00:00Z"))
  yield* (yield* DailyClose).run
})

const page = (address: string) =>
  Effect.map(ask({ path: address, headers: { accept: "text/html" } }), ({ body, status }) => {
    const text = body.toString("utf8")
    const data: {
      readonly points: ReadonlyArray<{ readonly date: string; readonly value: number }>
    } = JSON.parse(/id="chart-data">(.*?)<\/script>/s.exec(text)?.[1] ?? '{"points":[]}')
    return { status, text, values: data.points.map(({ date, value }) => `${date} ${value}`) }
  })

layer(Service.layer({ manifests: [feed] }))("a chart", (it) => {
  it.effect("is drawn as it was known on a day, and says what is different now", () =>
    Effect.gen(function* () {
      yield* stored
      const present = yield* page(path)
      assert.deepStrictEqual(present.values, ["2026-09-01 300", "2026-09-02 303", "2026-09-03 310"])
      assert.notInclude(present.text, "ghost")
      assert.match(
        present.text,
        /<input type="date" name="as_known_at" value="2026-09-04"[^>]*max="2026-09-04"/
      )

      const then = yield* page(`${path}?as_known_at=2026-09-03`)
      assert.deepStrictEqual(then.values, ["2026-09-01 300", "2026-09-02 302"])
      assert.include(then.text, "As it was known at the end of 3 Sep 2026.")
      assert.include(then.text, "<li>2 Sep 2026: 302, now 303</li><li>3 Sep 2026: nothing, now 310</li>")
      assert.include(then.text, 'class="line ghost"')
      assert.include(then.text, ">known 3 Sep</text>")
      assert.include(then.text, `chart.svg?days=30&amp;as_known_at=2026-09-03`)
      const file = (yield* ask(`${path}/chart.svg?as_known_at=2026-09-03`)).body.toString("utf8")
      assert.include(file, "as known on 3 Sep 2026")
      assert.include(file, "ghost")
    })
  )

  it.effect("says so where nothing is different now, and ignores a day that is not over", () =>
    Effect.gen(function* () {
      const after = yield* page(`${path}?as_known_at=2026-09-04`)
      assert.include(after.text, "everything is published unchanged")
      assert.notInclude(after.text, "ghost")
      for (const text of ["2026-09-05", "2030-01-01", "yesterday"]) {
        const { status, text: body, values } = yield* page(`${path}?as_known_at=${text}`)
        assert.strictEqual(status, 200)
        assert.lengthOf(values, 3)
        assert.notInclude(body, "As it was known at the end")
      }
    })
  )

  it.effect("is of that day in its frame and its pictures too, and says so in them", () =>
    Effect.gen(function* () {
      const { text } = yield* page(`${path}?as_known_at=2026-09-03`)
      assert.include(text, "/embed/FIL/active_storage_providers?days=30&amp;as_known_at=2026-09-03")
      assert.match(text, /og:image" content="[^"]*picture\.png\?as_known_at=2026-09-03"/)
      const frame = yield* page("/embed/FIL/active_storage_providers?as_known_at=2026-09-03")
      assert.include(
        frame.text,
        "As it was known at the end of 3 Sep 2026. 2 days have another value now, the dotted line."
      )
      assert.include(frame.text, '<span class="value">302</span>')
      assert.include(frame.text, 'class="line ghost"')
      assert.include(frame.text, "/network/FIL/active_storage_providers?as_known_at=2026-09-03")
      assert.notInclude((yield* page("/embed/FIL/active_storage_providers")).text, "ghost")
      const [then, now] = yield* Effect.forEach(
        [`${path}/picture.png?as_known_at=2026-09-03`, `${path}/picture.png`],
        (one) => ask(one)
      )
      assert.strictEqual(then?.headers["content-type"], "image/png")
      assert.notDeepEqual(then?.body, now?.body)
    })
  )

  it.effect("says of a day before its window that it is none of them, and not that nothing changed", () =>
    Effect.gen(function* () {
      for (const one of [path, "/embed/FIL/active_storage_providers"]) {
        const { text } = yield* page(`${one}?as_known_at=2026-07-10`)
        assert.include(text, "before the last 30 days")
        assert.notInclude(text, "published unchanged")
      }
    })
  )
})

const compared = "a=FIL/active_storage_providers"
const then = "as_known_at=2026-09-03"

layer(Service.layer({ manifests: [feed] }))("a comparison", (it) => {
  it.effect("is drawn as it was known on a day, and says what is different now", () =>
    Effect.gen(function* () {
      yield* stored
      const present = yield* page(`/compare?${compared}&by=value`)
      assert.notInclude(present.text, "ghost")
      assert.match(present.text, /<input type="date" name="as_known_at" value=""[^>]*max="2026-09-04"/)
      const { text } = yield* page(`/compare?${compared}&by=value&${then}`)
      assert.include(text, "As it was known at the end of 3 Sep 2026.")
      assert.include(text, "<li>A, 2 Sep 2026: 302, now 303</li><li>A, 3 Sep 2026: nothing, now 310</li>")
      assert.include(text, 'class="line ghost"')
      assert.include(text, ">known 3 Sep</text>")
      assert.include(text, '<td class="n">302</td>')
      assert.notInclude(text, '<td class="n">303</td>')
      // The way back, and everything that is taken along.
      for (const way of ["/embed/compare", "/compare/chart.svg", "/compare/data.csv", "/compare/picture.png"])
        assert.match(text, new RegExp(`${way.replace(".", "[.]")}[?]a=FIL/[^"]*as_known_at=2026-09-03`))
      assert.match(
        text,
        /<a href="[/]compare[?]a=FIL[/]active_storage_providers&amp;by=value&amp;days=30">As it is known now/
      )
    })
  )

  it.effect("has an index of the base that was known, so that only what was revised differs", () =>
    Effect.gen(function* () {
      const { text } = yield* page(`/compare?${compared}&by=index&${then}`)
      assert.include(text, "<title>2 Sep 2026: 101.00 now</title>")
      assert.notInclude(text, "<title>1 Sep 2026: 100.00 now</title>")
    })
  )

  it.effect("is of that day in its frame, its picture and its file", () =>
    Effect.gen(function* () {
      const frame = yield* page(`/embed/compare?${compared}&by=value&${then}`)
      assert.include(
        frame.text,
        "As it was known at the end of 3 Sep 2026. 2 days of series have another value now"
      )
      assert.include(frame.text, 'class="line ghost"')
      const svg = (yield* ask(`/compare/chart.svg?${compared}&by=value&${then}`)).body.toString("utf8")
      assert.include(svg, "As it was known at the end of 3 Sep 2026.")
      assert.include(svg, "ghost")
      const csv = (yield* ask(`/compare/data.csv?${compared}&by=value&${then}`)).body.toString("utf8")
      const [head = "", ...rows] = csv.trim().split(/\r?\n/)
      assert.match(head, /,as_known_at$/)
      assert.lengthOf(rows, 2)
      assert.match(rows[1] ?? "", /,2026-09-02,302,.*,2026-09-03$/)
      const now = (yield* ask(`/compare/data.csv?${compared}&by=value`)).body.toString("utf8")
      assert.notInclude(now, "as_known_at")
    })
  )
})

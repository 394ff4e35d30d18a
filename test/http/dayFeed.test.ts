/** Yesterday in five lines: an Atom feed with an entry per closed day, of all or of what somebody names. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { atomFaults } from "../support/atomFaults.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const feed = {
  ...manifest,
  covers: { networks: ["NKN", "FLUX", "FIL"] },
  metrics: {
    nodes_online: { unit: "count", meaning: "Nodes that answer.", role: "headline" },
    cpu_cores: { unit: "count", meaning: "Cores of the nodes.", role: "capacity" }
  }
} as const

type Reading = readonly [symbol: string, metric: string, value: number, as_of: string]

const write = Effect.fnUntraced(function* (at: string, readings: ReadonlyArray<Reading>) {
  yield* TestClock.setTime(Date.parse(at))
  const rows = readings.map(([symbol, metric, value, as_of]) =>
    Runs.row(value, as_of, { symbol, metric, source: "made-up" })
  )
  yield* (yield* Ingest).write(Runs.delivery(Date.parse(at), rows, "made-up"))
})

/** Two closed days; on the second FIL is not read. */
const stored = Effect.gen(function* () {
  yield* write("2026-09-04T02:00:00Z", [
    ["NKN", "nodes_online", 20_000, "2026-09-03T01:00:00Z"],
    ["FLUX", "nodes_online", 1000, "2026-09-03T01:00:00Z"],
    ["FLUX", "cpu_cores", 4000, "2026-09-03T01:00:00Z"],
    ["FIL", "nodes_online", 900, "2026-09-03T01:00:00Z"]
  ])
  yield* TestClock.setTime(Date.parse("2026-09-04T08:01:00Z"))
  yield* (yield* DailyClose).run
  yield* write("2026-09-05T02:00:00Z", [
    ["NKN", "nodes_online", 19_000, "2026-09-04T01:00:00Z"],
    ["FLUX", "nodes_online", 1013, "2026-09-04T01:00:00Z"],
    ["FLUX", "cpu_cores", 4100, "2026-09-04T01:00:00Z"]
  ])
  yield* TestClock.setTime(Date.parse("2026-09-05T08:01:00Z"))
  yield* (yield* DailyClose).run
})

const read = (path: string) =>
  Effect.map(ask(path), ({ body, status }) => {
    const text = body.toString("utf8")
    const lines = [...text.matchAll(/&lt;a href=[^>]*?&gt;(.*?)&lt;\/a&gt;/g)].map(([, line = ""]) => line)
    return { status, text, lines }
  })

layer(Service.layer({ manifests: [feed] }))("yesterday as a feed", (it) => {
  it.effect("has a closed day in five lines at most, the newest first, without a cause", () =>
    Effect.gen(function* () {
      yield* stored
      const { lines, status, text } = yield* read("/changes/yesterday.xml")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(lines.slice(0, 4), [
        "Nodes online of NKN fell by 1,000 (−5.0 %) to 19,000.",
        "Nodes online of Flux rose by 13 (+1.3 %) to 1,013.",
        "No published value was corrected.",
        "1 series had no reading."
      ])
      assert.match(text, /<updated>2026-09-05T08:01:00/)
      assert.match(text, /4 Sep 2026: Nodes online of NKN fell/)
      assert.deepStrictEqual(atomFaults(text), [])
    })
  )

  it.effect("is of a category or of what somebody names, single metrics too", () =>
    Effect.gen(function* () {
      yield* stored
      assert.deepStrictEqual(
        (yield* read("/changes/yesterday.xml?symbol=FLUX/cpu_cores")).lines.slice(0, 3),
        [
          "CPU cores of Flux rose by 100 (+2.5 %) to 4,100.",
          "No published value was corrected.",
          "Every expected series had a reading."
        ]
      )
      assert.deepStrictEqual((yield* read("/changes/yesterday.xml?symbol=FIL")).lines.slice(0, 3), [
        "No headline figure moved.",
        "No published value was corrected.",
        "1 series had no reading."
      ])
      assert.include(
        (yield* read("/changes/yesterday.xml?category=storage")).text,
        "yesterday in five lines, Storage"
      )
      const { call } = yield* Service
      const statuses = yield* Effect.forEach(
        ["symbol=none-such", "symbol=FIL+GRT", "category=none", "symbol=FIL&category=storage"],
        (query) => Effect.map(call(`/changes/yesterday.xml?${query}`), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [404, 400, 308, 400])
    })
  )
})

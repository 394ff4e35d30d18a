/** The first page: the closed day in one sentence by rules, the pulses, what moved, and what was not seen. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const feed = {
  ...manifest,
  covers: { networks: ["NKN", "FLUX", "DVPN"] },
  metrics: {
    nodes_online: { unit: "count", meaning: "Nodes that answer.", role: "headline" },
    ...countryMetrics("Nodes")
  }
} as const

type Reading = readonly [symbol: string, metric: string, value: number, as_of: string]

const write = Effect.fnUntraced(function* (at: number, readings: ReadonlyArray<Reading>) {
  const rows = readings.map(([symbol, metric, value, as_of]) =>
    Runs.row(value, as_of, { symbol, metric, source: "made-up" })
  )
  yield* (yield* Ingest).write(Runs.delivery(at, rows, "made-up"))
})

const stored = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 5, 8))
  yield* write(Date.UTC(2026, 8, 5, 7), [
    ["NKN", "nodes_online", 20_000, "2026-09-03T01:00:00Z"],
    ["NKN", "nodes_online", 19_000, "2026-09-04T01:00:00Z"],
    ["FLUX", "nodes_online", 1000, "2026-09-03T01:00:00Z"],
    ["FLUX", "nodes_online", 1013, "2026-09-04T01:00:00Z"],
    ["NKN", "nodes_country_DE", 40, "2026-09-04T01:00:00Z"]
  ])
  yield* (yield* DailyClose).run
})

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body, status }) => ({
    status,
    body: body.toString("utf8"),
    text: body
      .toString("utf8")
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
  }))

const pulseIn = (body: string, name: string): string =>
  (new RegExp(`data-pulse="${name}">(.*?)</article>`, "s").exec(body)?.[1] ?? "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()

layer(Service.layer({ manifests: [feed] }))("today", (it) => {
  it.effect("says before the first close that no day is closed, and no pulse where nothing is measured", () =>
    Effect.gen(function* () {
      const { body, status, text } = yield* page("/")
      assert.strictEqual(status, 200)
      assert.include(text, "No day is closed yet.")
      assert.include(text, "1 feed has not started yet.")
      assert.notInclude(text, "Every feed that should deliver does.")
      assert.notInclude(body, 'class="map"')
      for (const name of ["nodes-online", "gpu-price-h100"])
        assert.match(pulseIn(body, name), /n\/a Not seen: no value of the last 7 days that counts\.$/)
    })
  )

  it.effect("says the day in one sentence by rules, with its figures as links and never a cause", () =>
    Effect.gen(function* () {
      yield* stored
      const { body, text } = yield* page("/")
      assert.include(
        text,
        "Friday: nodes online of NKN fell by 1,000 to 19,000 and nodes online of Flux rose by 13 to 1,013."
      )
      assert.match(body, /<h1[^>]*>.*href="\/network\/NKN\/nodes_online">19,000<\/a>/s)
      assert.include(body, 'class="map"')
      assert.deepStrictEqual(
        [...body.matchAll(/data-move="(\w+)"/g)].map(([, symbol]) => symbol),
        ["FLUX", "NKN"]
      )
      assert.match(pulseIn(body, "nodes-online"), /^Nodes online 19,000 NKN, −5\.0 % since 3 Sep 2026/)
      assert.include(pulseIn(body, "gpu-price-h100"), "Not seen")
      assert.include(body, 'href="/network/NKN/nodes_online#proof"')
    })
  )

  it.effect("leads from the list's parameters to where the list is now, with the same query", () =>
    Effect.gen(function* () {
      yield* stored
      const { call } = yield* Service
      for (const [path, address] of [
        ["/?q=filecoin", "/networks?q=filecoin"],
        ["/?category=storage&sort=change", "/networks?category=storage&sort=change"],
        ["/?page=2&q=a+b", "/networks?q=a+b&page=2"],
        ["/?columns=market", "/networks?columns=market"],
        ["/?telemetry=first_party&show=all", "/networks?show=all&telemetry=first_party"],
        ["/?x=2", "/"]
      ] as const) {
        const { headers, status } = yield* call(path)
        assert.deepStrictEqual([status, headers["location"]], [308, address], path)
        assert.strictEqual((yield* call(address)).status, 200, address)
      }
      assert.include((yield* page("/networks")).text, "each with its source and its proof")
    })
  )
})

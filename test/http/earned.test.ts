/** What networks earn and pay out: the answer, its page, its files, and the pages of method. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { flow, metric } from "../../core/plugin/shapes/metric.ts"
import type { Unit } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const how = {
  at: "result.Burnt of https://node.test",
  formula: "result.Burnt / 10^18",
  without: "Tips.",
  code: "acme/node@0123abc supply.go"
} as const

const node = {
  ...manifest,
  id: "node",
  source: "node",
  covers: { networks: ["FIL", "AKT", "HNT"] },
  metrics: {
    earned_7d_usd: flow("usd", "Week.", { ...how, rung: "stated", differs: "It counts another week." }),
    earned_total: flow("tokens", "Burnt.", { ...how, rung: "chain_read", differs: "It counts another day." }),
    paid_out_total: flow("tokens", "Mined.", { ...how, rung: "chain_read" }),
    earned_24h_usd: flow("usd", "Leases.", { ...how, rung: "chain_indexed" })
  }
} as const

const explorer = {
  ...manifest,
  id: "explorer",
  source: "explorer",
  covers: { networks: ["FIL"] },
  metrics: { earned_total: flow("tokens", "Burnt.", { ...how, rung: "chain_indexed" }) }
} as const

const market = {
  ...manifest,
  id: "market",
  source: "market",
  tier: "market",
  covers: { networks: ["FIL", "AKT", "HNT"] },
  metrics: {
    price_usd: metric("usd", "Price."),
    fees_24h_usd: metric("usd", "Fees."),
    fees_7d_usd: metric("usd", "Fees.")
  }
} as const

type Reading = readonly [symbol: string, metric: string, value: number, as_of: string, unit: Unit]

const write = Effect.fnUntraced(function* (plugin: string, at: number, readings: ReadonlyArray<Reading>) {
  const rows = readings.map(([symbol, metric, value, as_of, unit]) =>
    Runs.row(value, as_of, { symbol, metric, unit, source: plugin })
  )
  yield* (yield* Ingest).write(Runs.delivery(at, rows, plugin))
})

/** Two closed days of counters and prices, and an aggregator's fees. */
const stored = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  const at = Date.UTC(2026, 8, 4, 7)
  const first = "2026-09-02T22:00:00Z"
  const second = "2026-09-03T22:00:00Z"
  yield* write("node", at, [
    ["FIL", "earned_total", 1000, first, "tokens"],
    ["FIL", "earned_total", 1025, second, "tokens"],
    ["FIL", "paid_out_total", 5000, first, "tokens"],
    ["FIL", "paid_out_total", 5100, second, "tokens"],
    ["AKT", "earned_24h_usd", 700, second, "usd"]
  ])
  yield* write("explorer", at, [["FIL", "earned_total", 1024, "2026-09-04T06:00:00Z", "tokens"]])
  yield* write("market", at, [
    ["FIL", "price_usd", 3, first, "usd"],
    ["FIL", "price_usd", 4, second, "usd"],
    ["AKT", "fees_24h_usd", 560, second, "usd"],
    ["HNT", "fees_24h_usd", 90, second, "usd"]
  ])
  yield* (yield* DailyClose).run
})

interface Answer {
  readonly earned: ReadonlyArray<Record<string, unknown>>
  readonly coverage: ReadonlyArray<object>
  readonly others: ReadonlyArray<Record<string, unknown>>
  readonly not_observed: ReadonlyArray<{ readonly symbol: string }>
}

const read = (query: string) =>
  Effect.map(ask(`/v1/earned${query}`), ({ body, status }) => {
    assert.strictEqual(status, 200, body.toString())
    return JSON.parse(body.toString()) as Answer
  })

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body, status }) => ({
    status,
    body: body.toString("utf8"),
    text: body
      .toString("utf8")
      .replace(/<[^>]*>/g, " ")
      .replace(/&nbsp;/g, " ")
      .replace(/\s+/g, " ")
  }))

layer(Service.layer({ manifests: [node, explorer, market] }))("what networks earn and pay out", (it) => {
  it.effect("serves the source on the highest rung, though another is newer, with the other beside it", () =>
    Effect.gen(function* () {
      yield* stored
      const { earned, others } = yield* read("?symbols=FIL")
      const total = earned.find(({ metric }) => metric === "earned_total")
      assert.deepInclude(total, { value: 1025, source: "node", rung: "chain_read", method: "/method/FIL" })
      assert.deepInclude(
        others.find(({ of }) => of === "earned_total"),
        {
          source: "explorer",
          rung: "chain_indexed",
          value: 1024,
          difference_percent: -0.1
        }
      )
    })
  )

  it.effect(
    "makes of a counter what it grew by on the closed day, with the price of that day and its source",
    () =>
      Effect.gen(function* () {
        yield* stored
        const { earned } = yield* read("?symbols=FIL")
        assert.deepInclude(
          earned.find(({ metric }) => metric === "earned_24h"),
          {
            value: 25,
            unit: "tokens",
            derived_from: "earned_total",
            from: "2026-09-03",
            to: "2026-09-03",
            rung: "chain_read",
            usd: 100,
            price_usd: 4
          }
        )
        const { field_sources } = earned.find(({ metric }) => metric === "earned_24h") ?? {}
        assert.deepInclude(field_sources, {
          price_usd: {
            source: "market",
            verify_url: "https://stats.example.net/v1/nodes",
            as_of: "2026-09-03T22:00:00Z",
            licence: "CC-BY-4.0",
            attribution: "Data: Made-up, Inc."
          }
        })
      })
  )

  it.effect("says how far the one side covers the other, of the same closed days alone", () =>
    Effect.gen(function* () {
      yield* stored
      const { coverage } = yield* read("?symbols=FIL,AKT")
      assert.deepStrictEqual(coverage, [
        {
          symbol: "FIL",
          earned_coverage_percent: 25,
          from: "2026-09-03",
          to: "2026-09-03",
          rung: "chain_read"
        }
      ])
    })
  )

  it.effect(
    "puts an aggregator beside a better figure with the difference, and alone where there is none",
    () =>
      Effect.gen(function* () {
        yield* stored
        const { earned, others } = yield* read("?symbols=AKT,HNT")
        assert.deepInclude(
          others.find(({ symbol }) => symbol === "AKT"),
          {
            of: "earned_24h_usd",
            metric: "fees_24h_usd",
            rung: "aggregated",
            difference_percent: -20
          }
        )
        assert.deepStrictEqual(
          earned.map(({ metric, rung, symbol }) => [symbol, metric, rung]),
          [
            ["AKT", "earned_24h_usd", "chain_indexed"],
            ["HNT", "fees_24h_usd", "aggregated"]
          ]
        )
      })
  )

  it.effect("is filtered by rung, and refuses one that is none", () =>
    Effect.gen(function* () {
      yield* stored
      const { earned } = yield* read("?symbols=FIL,AKT&rung=chain_indexed")
      assert.deepStrictEqual(
        earned.map(({ metric, symbol }) => [symbol, metric]),
        [["AKT", "earned_24h_usd"]]
      )
      assert.strictEqual((yield* ask("/v1/earned?rung=rumour")).status, 400)
    })
  )

  it.effect("names what cannot be measured, and what would have to be published", () =>
    Effect.gen(function* () {
      yield* stored
      const { not_observed } = yield* read("?symbols=GRASS")
      assert.deepStrictEqual(
        not_observed.map(({ symbol }) => symbol),
        ["GRASS"]
      )
    })
  )

  it.effect("is a CSV of the rows, with the rung of each", () =>
    Effect.gen(function* () {
      yield* stored
      const csv = (yield* ask("/v1/earned?symbols=FIL&format=csv")).body.toString()
      const [head = "", ...rows] = csv.trim().split("\r\n")
      assert.include(head.split(","), "rung")
      assert.notInclude(head, "others")
      assert.isTrue(
        rows.every((row) => row.includes("chain_read")),
        csv
      )
    })
  )

  it.effect("says the rung of each such value of a network, and of no other", () =>
    Effect.gen(function* () {
      yield* stored
      const { body } = yield* ask("/v1/network/FIL")
      const rows: ReadonlyArray<{ metric: string; source: string; rung?: string }> = JSON.parse(
        body.toString()
      )
      assert.deepStrictEqual(
        rows.map(({ metric, rung, source }) => `${metric} ${source} ${rung}`),
        [
          "earned_total explorer chain_indexed",
          "earned_total node chain_read",
          "paid_out_total node chain_read",
          "price_usd market undefined"
        ]
      )
    })
  )

  it.effect(
    "has a page with words and a colour for each rung, filtered by one, and lists what is not observed",
    () =>
      Effect.gen(function* () {
        yield* stored
        const { body, status, text } = yield* page("/measure/earned")
        assert.strictEqual(status, 200)
        assert.include(text, "read from the chain")
        assert.include(body, 'class="rung chain-read"')
        assert.include(text, "Not observed")
        assert.include(text, "25 %")
        assert.include(body, 'href="/method/FIL"')
        const indexed = yield* page("/measure/earned?rung=chain_indexed")
        assert.notInclude(indexed.body, '<tr role="row" data-symbol="FIL">')
        assert.include(indexed.body, '<tr role="row" data-symbol="AKT">')
      })
  )

  it.effect("is a file and a frame of the day's sample, which say so first", () =>
    Effect.gen(function* () {
      yield* stored
      const [head, ...rows] = (yield* ask("/measure/earned/data.csv")).body.toString().trim().split("\r\n")
      assert.strictEqual(head, "of,symbol,name,family,metric,rung,source,unit,date,value,simulated")
      for (const row of rows) assert.match(row, /^"\d of 3 networks, the day's sample",/)
      assert.include((yield* page("/embed/measure/earned")).text, "of 3 networks, the day&#39;s sample.")
    })
  )

  it.effect("has a page of method for each network, with the formula, what is not in it and the code", () =>
    Effect.gen(function* () {
      yield* stored
      const { body, status, text } = yield* page("/method/FIL")
      assert.strictEqual(status, 200)
      for (const part of ["result.Burnt / 10^18", "Tips.", "acme/node@0123abc supply.go", "little(x)"])
        assert.include(text, part)
      assert.include(body, "https://github.com/acme/node/blob/0123abc/supply.go")
      assert.strictEqual((yield* page("/method/GRASS")).status, 404)
    })
  )
})

layer(Service.layer({ manifests: [node, explorer, market] }))("an aggregator that differs", (it) => {
  it.effect(
    "has a reason above 20 percent: the one that is written down, or that nobody has explained it",
    () =>
      Effect.gen(function* () {
        yield* stored
        yield* write("market", Date.UTC(2026, 8, 4, 7, 30), [
          ["FIL", "fees_24h_usd", 130, "2026-09-03T22:30:00Z", "usd"],
          ["AKT", "fees_24h_usd", 875, "2026-09-03T22:30:00Z", "usd"]
        ])
        const { others } = yield* read("?symbols=FIL,AKT")
        assert.deepStrictEqual(
          others
            .filter(({ metric }) => metric === "fees_24h_usd")
            .map(({ difference_percent, symbol, why }) => ({ symbol, difference_percent, why })),
          [
            { symbol: "AKT", difference_percent: 25, why: "Difference not explained." },
            { symbol: "FIL", difference_percent: 30, why: "It counts another day." }
          ]
        )
        const { text } = yield* page("/measure/earned")
        assert.match(text, /market: \$875\.00 \(from an aggregator, 25 % more\) Difference not explained\./)
        assert.match(
          (yield* page("/method/AKT")).text,
          /25 % more than earned_24h_usd here\. Difference not explained\./
        )
        assert.match(
          (yield* page("/method/FIL")).text,
          /30 % more than earned_24h here\. It counts another day\./
        )
      })
  )

  it.effect("is beside what a network earned in a week where it has no figure of a day", () =>
    Effect.gen(function* () {
      yield* stored
      yield* write("node", Date.UTC(2026, 8, 4, 7, 35), [
        ["HNT", "earned_7d_usd", 400, "2026-09-03T23:59:59.999Z", "usd"]
      ])
      yield* write("market", Date.UTC(2026, 8, 4, 7, 35), [
        ["HNT", "fees_24h_usd", 90, "2026-09-03T22:35:00Z", "usd"],
        ["HNT", "fees_7d_usd", 600, "2026-09-03T22:35:00Z", "usd"]
      ])
      const { earned, others } = yield* read("?symbols=HNT")
      assert.deepStrictEqual(
        others.map((one) => [one.of, one.metric, one.difference_percent, one.why]),
        [["earned_7d_usd", "fees_7d_usd", 50, "It counts another week."]]
      )
      assert.deepStrictEqual(
        earned.map(({ metric, rung }) => [metric, rung]),
        [
          ["earned_7d_usd", "stated"],
          ["fees_24h_usd", "aggregated"]
        ]
      )
    })
  )

  it.effect("has none up to 20 percent where nobody wrote one down", () =>
    Effect.gen(function* () {
      yield* stored
      yield* write("market", Date.UTC(2026, 8, 4, 7, 40), [
        ["AKT", "fees_24h_usd", 840, "2026-09-03T22:40:00Z", "usd"]
      ])
      const { others } = yield* read("?symbols=AKT")
      assert.deepStrictEqual(
        others.map(({ difference_percent, why }) => ({ difference_percent, why })),
        [{ difference_percent: 20, why: undefined }]
      )
    })
  )
})

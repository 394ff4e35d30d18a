/** A measure over all networks: its page, its file, its frame and its picture, and who reads the same list. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Unit } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { register } from "../support/credits.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const cards = ["AKT", "TFT", "CLORE", "DBC"]

const feed = {
  ...manifest,
  covers: { networks: [...cards, "NOS", "GRT", "SQT", "API3"] },
  metrics: {
    registered_gpu_count: { unit: "count", meaning: "GPUs that providers registered.", role: "headline" },
    gpus_online: { unit: "count", meaning: "GPUs that the chain counts as online.", role: "headline" },
    gpu_servers: { unit: "count", meaning: "Servers with GPUs.", role: "headline" },
    gpu_price_h100: { unit: "usd_per_hour", meaning: "What an hour costs.", role: "measure" },
    staked_amount: { unit: "tokens", meaning: "Tokens that are staked.", role: "headline" }
  }
} as const

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

type Reading = readonly [symbol: string, metric: string, value: number, as_of: string, unit?: Unit]

const write = Effect.fnUntraced(function* (at: number, readings: ReadonlyArray<Reading>) {
  const rows = readings.map(([symbol, metric, value, as_of, unit = "count"]) =>
    Runs.row(value, as_of, { symbol, metric, unit, source: "made-up" })
  )
  yield* (yield* Ingest).write(Runs.delivery(at, rows, "made-up"))
})

const hour = "usd_per_hour" as const

/** Three days of cards, prices and stakes; the last day is open. */
const stored = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  yield* write(Date.UTC(2026, 8, 4, 7), [
    ["AKT", "registered_gpu_count", 200, "2026-09-02T01:00:00Z"],
    ["AKT", "registered_gpu_count", 210, "2026-09-03T01:00:00Z"],
    ["AKT", "registered_gpu_count", 215, "2026-09-04T01:00:00Z"],
    ["TFT", "registered_gpu_count", 90, "2026-09-02T01:00:00Z"],
    ["TFT", "registered_gpu_count", 80, "2026-09-03T01:00:00Z"],
    ["DBC", "gpus_online", 2000, "2026-09-02T01:00:00Z"],
    ["DBC", "gpus_online", 2000, "2026-09-03T01:00:00Z"],
    ["CLORE", "gpu_servers", 3, "2026-09-03T01:00:00Z"],
    ["AKT", "gpu_price_h100", 1.4, "2026-09-03T01:00:00Z", hour],
    ["NOS", "gpu_price_h100", 0.9, "2026-09-03T01:00:00Z", hour],
    ["GRT", "staked_amount", 3e9, "2026-09-03T01:00:00Z", "tokens"],
    ["SQT", "staked_amount", 2e9, "2026-09-03T01:00:00Z", "tokens"]
  ])
  yield* (yield* DailyClose).run
})

/** The symbols of a table's rows, with their places where it has any. */
const rowsIn = (body: string): ReadonlyArray<string> =>
  [...body.matchAll(/<tr role="row" data-symbol="(\w+)">(?:<td role="cell" class="n">(\d+)<)?/g)].map(
    ([, symbol, place]) => (place === undefined ? `${symbol}` : `${place} ${symbol}`)
  )

layer(Service.layer({ manifests: [feed] }))("a measure", (it) => {
  it.effect(
    "draws every network that states it, says in what they differ, and gives unlike things no places",
    () =>
      Effect.gen(function* () {
        yield* stored
        const { body, status, text } = yield* page("/measure/gpu-supply")
        assert.strictEqual(status, 200)
        assert.include(
          text,
          "Since 2 Sep 2026 it rose at 1 of the 4 that state it, fell at 1 and stayed the same at 1; 1 had no value on that day."
        )
        assert.include(text, "nothing is added")
        assert.deepStrictEqual(rowsIn(body), ["DBC", "AKT", "TFT", "CLORE"])
        assert.strictEqual(body.split('class="multiple"').length - 1, 4)
        assert.include(text, "GPUs that the chain counts as online.")
        assert.include(body, 'href="/network/AKT/registered_gpu_count#tell"')
        assert.include(body, "/embed/measure/gpu-supply")
      })
  )

  it.effect("ranks like things, the cheapest first where that is what is looked for", () =>
    Effect.gen(function* () {
      yield* stored
      assert.deepStrictEqual(rowsIn((yield* page("/measure/gpu-price-h100")).body), ["1 NOS", "2 AKT"])
    })
  )

  it.effect("says that nobody states it where it has no live member, and keeps its address", () =>
    Effect.gen(function* () {
      yield* stored
      const { status, text } = yield* page("/measure/holders")
      assert.strictEqual(status, 200)
      assert.include(text, "Nothing of it is read yet")
      yield* TestClock.setTime(Date.UTC(2026, 8, 20, 8))
      assert.include((yield* page("/measure/gpu-price-h100")).text, "Nobody states it now")
    })
  )

  it.effect("is refused by a name that is none, with those that come near", () =>
    Effect.gen(function* () {
      const { body, status } = yield* page("/measure/gpus")
      assert.strictEqual(status, 404)
      assert.include(body, 'href="/measure/gpu-supply"')
      assert.include(body, 'href="/measures"')
      assert.strictEqual((yield* page("/measure/zzz/data.csv")).status, 404)
    })
  )

  it.effect("is a file and a frame of the day's sample, which say so first, and a picture of all", () =>
    Effect.gen(function* () {
      yield* stored
      const csv = yield* ask("/measure/gpu-supply/data.csv")
      const [head, ...rows] = csv.body.toString("utf8").trim().split("\r\n")
      assert.match(head ?? "", /^of,symbol,name,counts,/)
      assert.isAbove(rows.length, 0)
      for (const row of rows) assert.match(row, /^"1 of 4 members, the day's sample",/)
      const frame = yield* page("/embed/measure/gpu-supply")
      assert.include(frame.text, "1 of 4 members, the day&#39;s sample.")
      assert.strictEqual(frame.body.split('class="multiple"').length - 1, 1)
      const picture = yield* ask("/measure/gpu-supply/picture.png")
      assert.strictEqual(picture.headers["content-type"], "image/png")
    })
  )

  it.effect("is what categories rank by and sentences of rank speak of, and nothing else is", () =>
    Effect.gen(function* () {
      yield* stored
      const { body } = yield* page("/category/compute")
      assert.include(body, "?metric=registered_gpu_count")
      const tabs = new Set(
        [...body.matchAll(/\/category\/compute\?metric=(\w+)/g)].map(([, metric]) => metric)
      )
      assert.deepStrictEqual(
        [...tabs],
        ["gpu_price_h100", "registered_gpu_count"].filter((one) => tabs.has(one))
      )
      assert.include(
        (yield* page("/network/AKT")).text,
        "number 1 of the 2 networks of this category that state it"
      )
      // Tokens of two networks are unlike things: no rank, and no ranking.
      const graph = (yield* page("/network/GRT")).text
      assert.include(graph, "What stands for it here is staked amount")
      assert.notInclude(graph, "it is number")
      const { status } = yield* page("/category/infrastructure?metric=staked_amount")
      assert.strictEqual(status, 404)
    })
  )

  it.effect("is in the list of measures and in the sitemap", () =>
    Effect.gen(function* () {
      yield* stored
      assert.include((yield* page("/measures")).body, 'href="/measure/gpu-supply"')
      assert.include((yield* page("/sitemap.xml")).body, "/measure/gpu-supply")
    })
  )

  it.effect(
    "is the same as JSON: the day's sample, which it says first, and all of it with cross-network views",
    () =>
      Effect.gen(function* () {
        yield* stored
        const { call } = yield* Service
        const read = Effect.fnUntraced(function* (path: string, headers = {}) {
          const { body, status } = yield* call({ path, headers })
          return { status, text: body.toString("utf8"), json: JSON.parse(body.toString("utf8")) }
        })
        const list = yield* read("/v1/measures")
        assert.include(
          list.json.measures.map(({ name }: { readonly name: string }) => name),
          "gpu-supply"
        )
        const sample = yield* read("/v1/measures/gpu-price-h100")
        assert.isTrue(sample.text.startsWith('{"sample":"1 of 2 members, the day\'s sample"'))
        assert.strictEqual(sample.json.members.length, 1)
        assert.notProperty(sample.json.members[0], "rank")
        const { id, key } = yield* register("198.51.100.9")
        yield* (yield* Accounts).setTier(id, "pro")
        const all = yield* read("/v1/measures/gpu-price-h100", { "x-api-key": Redacted.value(key) })
        assert.notProperty(all.json, "sample")
        assert.deepStrictEqual(
          all.json.members.map(({ rank, symbol }: { readonly rank: number; readonly symbol: string }) => [
            symbol,
            rank
          ]),
          [
            ["NOS", 1],
            ["AKT", 2]
          ]
        )
        const none = yield* read("/v1/measures/gpus")
        assert.strictEqual(none.status, 404)
        assert.include(none.text, "/v1/measures/gpu-supply")
      })
  )
})

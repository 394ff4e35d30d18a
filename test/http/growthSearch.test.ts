/** Questions for what grows: networks in the order of their growth over a month, and n/a where there is none. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const feed = {
  ...manifest,
  covers: { networks: ["AKT", "TFT", "CLORE", "DBC", "NOS", "GRT"] },
  metrics: {
    registered_gpu_count: { unit: "count", meaning: "GPUs that providers registered.", role: "headline" },
    staked_amount: { unit: "tokens", meaning: "Tokens that are staked.", role: "headline" }
  }
} as const

/** Two closed days and an open one. */
const days: Readonly<Record<string, ReadonlyArray<number>>> = {
  AKT: [200, 220, 900],
  DBC: [2000, 2100, 2100],
  TFT: [300, 270, 270],
  // Too few to be ranked by percent, and without a second closed day.
  CLORE: [3, 9, 9],
  NOS: [500]
}

const stored = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  const rows = Object.entries(days).flatMap(([symbol, values]) =>
    values.map((value, n) =>
      Runs.row(value, `2026-09-0${(symbol === "NOS" ? 3 : 2) + n}T01:00:00Z`, {
        symbol,
        metric: "registered_gpu_count",
        source: "made-up"
      })
    )
  )
  const stakes = [1e6, 2e6].map((value, n) =>
    Runs.row(value, `2026-09-0${2 + n}T01:00:00Z`, {
      symbol: "GRT",
      metric: "staked_amount",
      unit: "tokens",
      source: "made-up"
    })
  )
  yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 4, 7), [...rows, ...stakes], "made-up"))
  yield* (yield* DailyClose).run
})

interface Answers {
  readonly answers: ReadonlyArray<{
    readonly symbol: string
    readonly metric: string
    readonly growth?: { readonly from: string; readonly to: string; readonly relative: number } | null
  }>
}

layer(Service.layer({ manifests: [feed] }))("a search for growth", (it) => {
  const grown = Effect.fnUntraced(function* (question: string) {
    const { call } = yield* Service
    const reply = yield* call(`/v1/networks?query=${encodeURIComponent(question)}`)
    const { answers } = json(reply) as unknown as Answers
    return answers.map(({ growth, symbol }) => [symbol, growth == null ? growth : growth.relative] as const)
  })

  it.effect("gives the closed days' growth in its order, and n/a where there is none to rank by", () =>
    Effect.gen(function* () {
      yield* stored
      const gpus = yield* grown("fastest growing gpus")
      assert.deepStrictEqual(gpus.slice(0, 3), [
        ["AKT", 10],
        ["DBC", 5],
        ["TFT", -10]
      ])
      assert.sameDeepMembers(gpus.slice(3), [
        ["CLORE", null],
        ["NOS", null]
      ])
      assert.deepStrictEqual((yield* grown("biggest drop in gpus"))[0], ["TFT", -10])
      // Of all networks each headline, whatever it counts.
      assert.deepStrictEqual((yield* grown("fastest growing networks")).slice(0, 2), [
        ["GRT", 100],
        ["AKT", 10]
      ])
      // Of one that is named, its own.
      assert.deepStrictEqual((yield* grown("is akash growing"))[0], ["AKT", 10])
      assert.deepStrictEqual((yield* grown("akash gpus"))[0], ["AKT", undefined])
    })
  )

  it.effect("says it on the page", () =>
    Effect.gen(function* () {
      yield* stored
      const { call } = yield* Service
      const reply = yield* call("/networks?q=fastest+growing+gpus")
      const body = reply.body.toString("utf8").replaceAll("&nbsp;", " ").replaceAll("\u00a0", " ")
      assert.match(body, /\+10(?:\.0+)?\s?% from 2 Sep to 3 Sep/)
      assert.include(body, "30-day change n/a")
    })
  )
})

/** Runs of several answers: what the failure of one costs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const Count = Schema.Struct({ n: Schema.Natural })
const count = (unit = "count" as const) => ({ unit, meaning: "A count.", min: 0 }) as const
const url = (name: string) => `https://stats.example/${name}`

const plugin = Plugin.define({
  id: "example",
  title: "Example",
  covers: { networks: ["EXN"] },
  tier: "supply_telemetry",
  source: "example",
  hosts: ["stats.example"],
  every: "1 hour",
  grade: "K",
  owner: "plumbline",
  metrics: { a: count(), b: count() },
  collect: (observe) =>
    Plugin.anyOf("EXN", [
      Effect.map(Upstream.json(url("a"), Count), (answer) => observe(answer, { a: answer.body.n })),
      Effect.map(Upstream.json(url("b"), Count), (answer) => observe(answer, { b: answer.body.n }))
    ])
})

describe("parts of a run", () => {
  it.effect("cost their own metrics when they fail, and are named", () =>
    Effect.gen(function* () {
      const { observations, refused } = yield* plugin.collect
      assert.deepStrictEqual(
        observations.map(({ metric, value }) => [metric, value]),
        [["b", 7]]
      )
      assert.deepStrictEqual(refused, [{ symbol: "EXN", metric: "*", reason: `GET ${url("a")}: status 503` }])
    }).pipe(
      Effect.provide(
        answers([
          { request: url("a"), status: 503, body: "" },
          { request: url("b"), body: { n: 7 } }
        ])
      )
    )
  )

  it.effect("fail the run with the first failure when all of them fail", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(plugin.collect)
      assert.strictEqual(error.message, `GET ${url("a")}: status 503`)
    }).pipe(Effect.provide(answers([{ request: url("a"), status: 503, body: "" }])))
  )
})

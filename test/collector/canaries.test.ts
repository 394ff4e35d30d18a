/** A figure that cannot move closes its source when it does. */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { canaryCheck } from "../../runtime/collector/canaries.ts"
import { runOnce } from "../../runtime/collector/run.ts"
import { runLimits } from "../../runtime/collector/runLimits.ts"
import { answers } from "../support/cannedUpstream.ts"
import * as Runs from "../support/runs.ts"

const request = "https://stats.example.net/block/0"
const manifest = {
  ...Runs.manifest,
  canaries: [{ request, path: ["block", "hash"], is: "00aa", why: "The first block." }]
}
const genesis = (hash: unknown) => ({ request, body: { block: { hash } } })

describe("a canary", () => {
  it.effect("that is right, or does not answer, is silent", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* canaryCheck(manifest).pipe(Effect.provide(answers([genesis("00aa")]))))
      assert.isUndefined(yield* canaryCheck(manifest).pipe(Effect.provide(answers([]))))
      assert.isUndefined(
        yield* canaryCheck(manifest).pipe(Effect.provide(answers([{ request, status: 503, body: "" }])))
      )
      assert.isUndefined(yield* canaryCheck(Runs.manifest).pipe(Effect.provide(answers([]))))
    })
  )

  it.effect("that moved, or is gone from its answer, says so with both values, until it is right again", () =>
    Effect.gen(function* () {
      const check = canaryCheck(manifest)
      assert.strictEqual(
        yield* check.pipe(Effect.provide(answers([genesis("00bb")]))),
        `GET ${request}: block.hash is 00bb, but it can only be 00aa: The first block.`
      )
      assert.match(
        (yield* check.pipe(Effect.provide(answers([{ request, body: {} }])))) ?? "",
        /is undefined, but/
      )
      assert.isUndefined(yield* check.pipe(Effect.provide(answers([genesis("00aa")]))))
    })
  )

  it.effect("that was right is asked again after a day", () =>
    Effect.gen(function* () {
      const check = canaryCheck(manifest)
      const wrong = Effect.provide(answers([genesis("00bb")]))
      yield* check.pipe(Effect.provide(answers([genesis("00aa")])))
      assert.isUndefined(yield* check.pipe(wrong), "on the same day nobody asks")
      const tomorrow = Effect.flatMap(Upstream, (upstream) =>
        Effect.provideService(check, Upstream, { ...upstream, now: upstream.now + 86_400_000 })
      )
      assert.isDefined(yield* tomorrow.pipe(wrong))
    })
  )

  it.effect("that moved fails the run before the plugin's own code, and is in no recording", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 11))
      let runs = 0
      const plugin: Plugin = {
        manifest,
        collect: Effect.sync(() => {
          runs++
          return { observations: [], refused: [] }
        })
      }
      const upstream = yield* Effect.provide(Upstream, answers([genesis("00bb"), genesis("00aa")]))
      const run = runOnce({
        plugin,
        codeHash: "",
        settings: {},
        keys: {},
        limits: runLimits,
        upstream: () => Effect.succeed(upstream),
        canary: canaryCheck(manifest)
      })
      const first = yield* run
      assert.strictEqual(first.run.error?.tag, "CanaryMoved")
      assert.strictEqual(runs, 0)
      assert.deepStrictEqual(first.run.exchanges, [])
      assert.strictEqual((yield* run).run.status, "ok")
      assert.strictEqual(runs, 1)
    }).pipe(
      Effect.provideService(
        SecureRandom.SecureRandom,
        SecureRandom.make((size) => randomBytes(size))
      )
    )
  )
})

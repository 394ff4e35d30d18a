/** The demo's thread: real plugins, the real collector's run, and what it hands over. */
import { createHash } from "node:crypto"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Queue } from "effect"
import * as DataClock from "../../core/data/DataClock.ts"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { Demo } from "../../runtime/demo/Demo.ts"
import { start } from "../../runtime/demo/instants.ts"
import { isOut, moments } from "../../runtime/demo/story.ts"
import * as Thread from "../../runtime/demo/thread.ts"

/** Plays until the last readings were told, or a moment of the past is reached. */
const play = Effect.fnUntraced(function* (options: {
  readonly skipPast: boolean
  readonly until: "newest" | "the third moment"
}) {
  const told: Array<
    { readonly kind: "kept" | "preview"; readonly delivery: Delivery } | { readonly moment: number }
  > = []
  const hear =
    (kind: "kept" | "preview") =>
    (...deliveries: ReadonlyArray<Delivery>) =>
      Effect.sync(() => {
        const times = new Set(deliveries.map(({ run }) => run.now)).size
        // The last readings come in any order, the past in its own.
        if (kind === "kept" && !options.skipPast) assert.strictEqual(times, 1)
        most[kind] = Math.max(most[kind], deliveries.length)
        told.push(...deliveries.map((delivery) => ({ kind, delivery })))
      })
  const most = { kept: 0, preview: 0 }
  const past = moments[2]
  const bodiesOfLater = yield* Deferred.make<void>()
  /** Done when the bodies of a run are stored that the past, which waits at the third moment, has not come to. */
  const keepBodies = (delivery: Delivery) =>
    Effect.sync(() => {
      complete(delivery)
      const at = Date.parse(delivery.run.now)
      if (past !== undefined && at > past && at < past + 86_400_000)
        Deferred.doneUnsafe(bodiesOfLater, Effect.void)
    })
  const offset = start - (yield* Clock.currentTimeMillis)
  return yield* Effect.gen(function* () {
    const demo = yield* Demo
    yield* demo.newest
    for (let n = 1; options.until !== "newest" && n <= 3; n++) {
      const { at, reached } = yield* Queue.take(demo.moments)
      told.push({ moment: at })
      // At the last one the past waits for ever.
      if (n < 3) reached()
      else yield* Deferred.await(bodiesOfLater)
    }
    return { manifests: yield* demo.manifests, states: yield* demo.states, told: [...told], most }
  }).pipe(
    Effect.provide(
      Demo.layer({ skipPast: options.skipPast, deliver: hear("kept"), preview: hear("preview"), keepBodies })
    ),
    Effect.provideService(DataClock.offset, offset)
  )
})

/** The bodies of a delivery are those that its run names. */
const complete = ({ bodies, run }: Delivery) => {
  assert.sameMembers(
    [...new Set([run.targets_sha256, ...run.exchanges.map((it) => it.sha256)])],
    [...bodies.keys()]
  )
  for (const [sha256, body] of bodies) {
    assert.strictEqual(createHash("sha256").update(zstdDecompressSync(body)).digest("hex"), sha256)
  }
}

describe("the demo", () => {
  it.live("gives the last reading of every plugin, marked as simulated, with the bodies it names", () =>
    Effect.gen(function* () {
      // The command line starts the thread before it loads the service, which plays in this one.
      Thread.startEarly()
      const { manifests, states, told } = yield* play({ skipPast: true, until: "newest" })
      assert.isUndefined(Thread.takeEarly())
      const newest = told.flatMap((one) => ("delivery" in one && one.kind === "kept" ? [one.delivery] : []))
      const plays = manifests.filter(({ disabled }) => disabled === undefined)
      assert.deepStrictEqual(newest.map(({ run }) => run.plugin).sort(), plays.map(({ id }) => id).sort())
      for (const delivery of newest) {
        const { run } = delivery
        const isDown = isOut(run.plugin, start)
        assert.strictEqual(run.status, isDown ? "failed" : "ok", `${run.plugin}: ${run.error?.message}`)
        if (!isDown) assert.isNotEmpty(run.observations)
        assert.isTrue(run.simulated)
        assert.isAtMost(Date.parse(run.now), start + 60_000)
        complete(delivery)
      }
      for (const { disabled, id } of manifests) {
        const expected = disabled !== undefined ? "disabled" : isOut(id, start) ? "failing" : "waiting"
        assert.strictEqual(states.get(id)?.state, expected, id)
      }
    })
  )

  it.live(
    "shows the last readings, several at once, and then tells the past in its order, several runs of a time at once, waiting at each moment, while the bodies of later runs are stored",
    () =>
      Effect.gen(function* () {
        // Where there is no database yet, they are made before the service asks for them.
        Thread.startEarly({ isNew: true })
        const { manifests, most, states, told } = yield* play({ skipPast: false, until: "the third moment" })
        assert.isAbove(most.preview, 1)
        assert.isAbove(most.kept, 1)
        const plays = manifests.filter(({ disabled }) => disabled === undefined)
        const isPreview = told.map((one) => "kind" in one && one.kind === "preview")
        assert.deepStrictEqual(
          isPreview,
          isPreview.map((_, n) => n < plays.length)
        )
        const shown = told.flatMap((one) => ("kind" in one && one.kind === "preview" ? [one.delivery] : []))
        assert.sameMembers(
          shown.map(({ run }) => run.plugin),
          plays.map(({ id }) => id)
        )
        for (const delivery of shown) {
          assert.isAtMost(Date.parse(delivery.run.now), start)
          complete(delivery)
        }
        const past = told.slice(plays.length)
        const times = past.map((one) => ("moment" in one ? one.moment : Date.parse(one.delivery.run.now)))
        assert.deepStrictEqual(
          times,
          [...times].sort((a, b) => a - b)
        )
        assert.deepStrictEqual(
          past.flatMap((one) => ("moment" in one ? [one.moment] : [])),
          moments.slice(0, 3)
        )
        assert.isAbove(past.length, 3 * plays.length)
        const down = plays.filter(({ id }) => isOut(id, start)).map(({ id }) => states.get(id))
        assert.isNotEmpty(down)
        for (const state of down) {
          assert.strictEqual(state?.state, "failing")
          assert.isString(state?.last_success, "of a feed that fails now, but did not in the past")
        }
      }),
    120_000
  )
})

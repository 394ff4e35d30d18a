/** The demo's thread: real plugins, the real collector's run, and what it hands over. */
import { createHash } from "node:crypto"
import { zstdDecompressSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as DataClock from "../../core/data/DataClock.ts"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { Demo } from "../../runtime/demo/Demo.ts"
import { start } from "../../runtime/demo/instants.ts"

const play = Effect.fnUntraced(function* (options: { readonly skipPast: boolean }) {
  const deliveries: Array<Delivery> = []
  const deliver = (delivery: Delivery) => Effect.sync(() => void deliveries.push(delivery))
  const offset = start - (yield* Clock.currentTimeMillis)
  const seen = yield* Effect.gen(function* () {
    const demo = yield* Demo
    yield* demo.newest
    const states = yield* demo.states
    return { manifests: yield* demo.manifests, newest: [...deliveries], states }
  }).pipe(
    Effect.provide(Demo.layer({ ...options, deliver })),
    Effect.provideService(DataClock.offset, offset)
  )
  return { ...seen, deliveries }
})

// The bars hold their own past and come with it.
it.live("gives the last reading of every plugin, marked as simulated, with the bodies it names", () =>
  Effect.gen(function* () {
    const { manifests, newest, states } = yield* play({ skipPast: true })
    const plays = manifests
      .filter(({ disabled, id }) => disabled === undefined && !id.startsWith("ohlcv-"))
      .map(({ id }) => id)
    assert.deepStrictEqual(newest.map(({ run }) => run.plugin).sort(), [...plays].sort())
    for (const { bodies, run } of newest) {
      assert.strictEqual(run.status, "ok", `${run.plugin}: ${run.error?.message}`)
      assert.isNotEmpty(run.observations)
      assert.isTrue(run.simulated)
      assert.isAtMost(Date.parse(run.now), start)
      assert.isAtLeast(Date.parse(run.now), start - 2 * 3_600_000)
      assert.sameMembers(
        [...new Set([run.targets_sha256, ...run.exchanges.map((it) => it.sha256)])],
        [...bodies.keys()]
      )
      for (const [sha256, body] of bodies) {
        assert.strictEqual(createHash("sha256").update(zstdDecompressSync(body)).digest("hex"), sha256)
      }
    }
    for (const { disabled, id } of manifests) {
      assert.strictEqual(states.get(id)?.state, disabled === undefined ? "waiting" : "disabled")
    }
  })
)

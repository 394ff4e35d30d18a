/** The demo's thread: real plugins, the real collector's run, and what it hands over. */
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Queue } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { pathIn } from "../../runtime/database/bodyFile.ts"
import { Demo } from "../../runtime/demo/Demo.ts"
import { isOut, moments } from "../../runtime/demo/script.ts"
import * as Thread from "../../runtime/demo/thread.ts"
import { start } from "../../runtime/tape/instants.ts"

/** Plays until the last readings were told, or a moment of the past is reached. */
const play = Effect.fnUntraced(function* (options: {
  readonly skipPast: boolean
  readonly until: "newest" | "the third moment"
  readonly bodiesFolder?: string
}) {
  const events: Array<
    { readonly kind: "kept" | "preview"; readonly delivery: Delivery } | { readonly moment: number }
  > = []
  const record =
    (kind: "kept" | "preview") =>
    (...deliveries: ReadonlyArray<Delivery>) =>
      Effect.sync(() => {
        const times = new Set(deliveries.map(({ run }) => run.now)).size
        // The last readings come in any order, the past in its own.
        if (kind === "kept" && !options.skipPast) assert.strictEqual(times, 1)
        most[kind] = Math.max(most[kind], deliveries.length)
        events.push(...deliveries.map((delivery) => ({ kind, delivery })))
      })
  const most = { kept: 0, preview: 0 }
  const offset = start - (yield* Clock.currentTimeMillis)
  return yield* Effect.gen(function* () {
    const demo = yield* Demo
    yield* demo.newest
    for (let n = 1; options.until !== "newest" && n <= 3; n++) {
      const { at, reached } = yield* Queue.take(demo.moments)
      events.push({ moment: at })
      // At the last one the past waits forever.
      if (n < 3) reached()
    }
    return { manifests: yield* demo.manifests, states: yield* demo.states, events: [...events], most }
  }).pipe(
    Effect.provide(
      Demo.layer({
        skipPast: options.skipPast,
        bodiesFolder: options.bodiesFolder,
        deliver: record("kept"),
        preview: record("preview")
      })
    ),
    Effect.provideService(DataClock.offset, offset)
  )
})

const namedBy = ({ run }: Delivery) => [
  ...new Set([run.targets_sha256, ...run.exchanges.map((it) => it.sha256)])
]

const isBody = (sha256: string, compressed: Uint8Array) =>
  assert.strictEqual(createHash("sha256").update(zstdDecompressSync(compressed)).digest("hex"), sha256)

/** The bodies of a delivery are those that its run names. */
const complete = (delivery: Delivery) => {
  assert.sameMembers(namedBy(delivery), [...delivery.bodies.keys()])
  for (const [sha256, body] of delivery.bodies) isBody(sha256, body)
}

/** The bodies that its run names are files. */
const stored = (folder: string, delivery: Delivery) => {
  assert.isEmpty(delivery.bodies)
  for (const sha256 of namedBy(delivery)) isBody(sha256, readFileSync(pathIn(folder, sha256)))
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-demo-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("the demo", () => {
  it.live("gives the last reading of every plugin, marked as simulated, with the bodies it names", () =>
    Effect.gen(function* () {
      // The command line starts the thread before it loads the service, which plays in this one.
      Thread.startEarly()
      const { manifests, states, events } = yield* play({ skipPast: true, until: "newest" })
      assert.isUndefined(Thread.takeEarly())
      const newest = events.flatMap((one) => ("delivery" in one && one.kind === "kept" ? [one.delivery] : []))
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
    "shows the last readings, several at once, and then tells the past in its order, several runs of a time at once, waiting at each moment; the thread stores its bodies",
    () =>
      Effect.gen(function* () {
        const bodiesFolder = yield* temporary
        // Where there is no database yet, they are made before the service asks for them.
        Thread.startEarly({ isNew: true })
        const { manifests, most, states, events } = yield* play({
          skipPast: false,
          until: "the third moment",
          bodiesFolder
        })
        assert.isAbove(most.preview, 1)
        assert.isAbove(most.kept, 1)
        const plays = manifests.filter(({ disabled }) => disabled === undefined)
        const isPreview = events.map((one) => "kind" in one && one.kind === "preview")
        assert.deepStrictEqual(
          isPreview,
          isPreview.map((_, n) => n < plays.length)
        )
        const previews = events.flatMap((one) =>
          "kind" in one && one.kind === "preview" ? [one.delivery] : []
        )
        assert.sameMembers(
          previews.map(({ run }) => run.plugin),
          plays.map(({ id }) => id)
        )
        for (const delivery of previews) {
          assert.isAtMost(Date.parse(delivery.run.now), start)
          complete(delivery)
        }
        const past = events.slice(plays.length)
        for (const one of past) if ("delivery" in one) stored(bodiesFolder, one.delivery)
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

  it.live(
    "hands over the bodies that its thread cannot store",
    () =>
      Effect.gen(function* () {
        // No folder can be made where a file is.
        const bodiesFolder = join(yield* temporary, "bodies")
        writeFileSync(bodiesFolder, "")
        const { events } = yield* play({ skipPast: false, until: "the third moment", bodiesFolder })
        const deliveries = events.flatMap((one) =>
          "delivery" in one && one.kind === "kept" ? [one.delivery] : []
        )
        assert.isNotEmpty(deliveries)
        for (const delivery of deliveries) complete(delivery)
      }),
    120_000
  )
})

/** A start honours when each plugin ran last. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { earlierRuns } from "../../runtime/collector/earlierRuns.ts"
import * as RunState from "../../runtime/collector/RunState.ts"
import { defaultBackoff } from "../../runtime/collector/runLimits.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const hour = 3_600_000
const day = 24 * hour

describe("a plugin that ran before this process", () => {
  const next = (earlier: RunState.Earlier, every = day) =>
    RunState.resumed("one", every, noon, defaultBackoff, earlier).next

  it("runs again when its cadence has it, and not at every start", () => {
    assert.strictEqual(next({ lastStarted: noon - hour }), noon + 23 * hour)
    const runState = RunState.resumed("one", day, noon, defaultBackoff, { lastStarted: noon - hour })
    assert.strictEqual(RunState.succeeded(runState, day, noon + 23 * hour).next, noon + 47 * hour)
  })

  it("starts at once, spread like the others, where it is overdue or failed or ran in the future", () => {
    const fresh = RunState.fresh("one", day, noon, defaultBackoff).next
    assert.isAtMost(fresh, noon + 30_000)
    assert.strictEqual(next({ lastStarted: noon - 2 * day }), fresh)
    assert.strictEqual(next({ lastStarted: noon - hour, trouble: "failing", lastError: "Defect: x" }), fresh)
    assert.strictEqual(next({ lastStarted: noon + hour }), fresh)
  })

  it("does not wait for the day that a process with a wrong clock had come to", () => {
    const before = {
      ...RunState.fresh("one", day, noon, defaultBackoff),
      lastStarted: noon,
      next: noon + day
    }
    const nextRun = (now: number) => RunState.continued("one", day, now, defaultBackoff, before).next
    assert.strictEqual(nextRun(noon - 60_000), noon + day, "two machines differ by a minute")
    const now = noon - 400 * day
    assert.strictEqual(nextRun(now), RunState.fresh("one", day, now, defaultBackoff).next)
  })

  it("keeps what is known of it", () => {
    const earlier = {
      lastStarted: noon - hour,
      lastSuccess: noon - 2 * hour,
      trouble: "failing",
      lastError: "Defect: x"
    } as const
    assert.include(RunState.resumed("one", day, noon, defaultBackoff, earlier), {
      ...earlier,
      failing: 0,
      runs: 0
    })
  })
})

onBothEngines("earlier runs", (database) => {
  const services = Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(
      Layer.succeed(
        Feeds,
        Feeds.of({
          manifests: [Runs.manifest, { ...Runs.manifest, id: "other" }, { ...Runs.manifest, id: "refused" }],
          states: Effect.succeed(new Map())
        })
      )
    ),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    it.effect("are each plugin's last one, with its last success", () =>
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const run = (at: number, plugin: string, error?: { tag: string; message: string }) => {
          const delivery = Runs.delivery(at, [], plugin)
          return ingest.write(
            error === undefined
              ? delivery
              : { ...delivery, run: { ...delivery.run, status: "failed", error } }
          )
        }
        yield* run(noon - 3 * hour, "testnet")
        yield* run(noon - 2 * hour, "testnet")
        yield* run(noon - 2 * hour, "other")
        yield* run(noon - hour, "other", { tag: "RunTimeout", message: "too long" })
        const readings = ["FIL", "AR"].map((symbol) => ({
          symbol,
          metric: "nodes",
          reason: "it is negative"
        }))
        yield* run(noon - 2 * hour, "refused")
        const refused = Runs.delivery(noon - hour, [], "refused")
        yield* ingest.write({ ...refused, run: { ...refused.run, refused: readings } })
        const simulated = Runs.delivery(noon, [], "testnet")
        yield* ingest.write({ ...simulated, run: { ...simulated.run, simulated: true } })
        const runs = yield* earlierRuns(["other", "refused", "testnet", "never"])
        assert.deepStrictEqual([...runs].sort(), [
          [
            "other",
            {
              lastStarted: noon - hour - 1000,
              lastSuccess: noon - 2 * hour,
              trouble: "failing",
              lastFailure: noon - hour,
              lastError: "RunTimeout: too long"
            }
          ],
          [
            "refused",
            {
              lastStarted: noon - hour - 1000,
              lastSuccess: noon - 2 * hour,
              trouble: "refusing",
              lastFailure: noon - hour,
              lastError: "all 2 readings were refused: FIL nodes: it is negative"
            }
          ],
          ["testnet", { lastStarted: noon - 2 * hour - 1000, lastSuccess: noon - 2 * hour }]
        ])
      })
    )
  })
})

/** How many answers are made at a time is the operator's to set. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { QueueBounds } from "../../http/admission/queue.ts"
import { queueBounds } from "../../runtime/service/faces.ts"
import { Settings } from "../../runtime/settings/Settings.ts"

const boundsIn = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    return yield* QueueBounds
  }).pipe(
    Effect.provide(Layer.provide(queueBounds, Settings.layer)),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )

describe("ANSWER_SLOTS", () => {
  it.effect("sets the slots of the queue and nothing else", () =>
    Effect.gen(function* () {
      const usual = yield* QueueBounds
      assert.deepStrictEqual(yield* boundsIn({}), usual)
      assert.deepStrictEqual(yield* boundsIn({ ANSWER_SLOTS: "5" }), { ...usual, slots: 5 })
    })
  )

  it.effect("is refused where nothing could ever be answered", () =>
    Effect.gen(function* () {
      for (const none of ["0", "-1", "1.5", "many"]) {
        const error = yield* Effect.flip(boundsIn({ ANSWER_SLOTS: none }))
        assert.include(String(error), "ANSWER_SLOTS")
      }
    })
  )
})

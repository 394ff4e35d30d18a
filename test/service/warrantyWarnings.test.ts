/** What `/readyz` warns of while a warranty's payments wait for the operator. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import { ProcessState } from "../../core/process/ProcessState.ts"
import { program } from "../../core/process/program.ts"
import { saleWarnings } from "../../runtime/service/credits.ts"

const other = { code: "clock_doubtful", message: "the clock" } as const

const warningsWith = (stopped: number) =>
  Effect.flatMap(ProcessState, ({ warnings }) => warnings).pipe(
    Effect.provide(
      saleWarnings.pipe(
        Layer.provide(Layer.mock(Warranty)({ stopped: Effect.succeed(stopped) })),
        Layer.provide(
          Layer.succeed(ProcessState, {
            isStopping: () => false,
            stopping: Effect.never,
            warnings: Effect.succeed([other])
          })
        )
      )
    )
  )

describe("the warnings of the warranty", () => {
  it.effect("are none while nothing waits, and come after the others", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* warningsWith(0), [other])
      assert.deepStrictEqual(yield* warningsWith(2), [
        other,
        {
          code: "warranty_stopped",
          message: `2 payments of warranties are stopped and wait for your decision: ${program} money warranty.`
        }
      ])
      assert.match((yield* warningsWith(1))[1]?.message ?? "", /^One payment of a warranty is stopped/)
    })
  )
})

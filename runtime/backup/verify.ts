/** Checks a restored log without a private key: against its signed heads, and the heads that this machine remembers. */
import { Effect, Layer } from "effect"
import { checkLog } from "../../core/log/check/checkLog.ts"
import { HeadMemory, type Memory } from "../../core/log/HeadMemory.ts"
import { Log, LogHalted, LogKey } from "../../core/log/Log.ts"
import { signingKeys } from "../../core/log/signingKeys.ts"
import { storedFact } from "../../core/sql/keyValue.ts"

/** The public keys in the database, and no private one. */
const publicKeys = Layer.effect(
  LogKey,
  Effect.gen(function* () {
    const keys = yield* signingKeys
    return LogKey.of({
      origin: (yield* storedFact("log_origin")) ?? "",
      simulated: (yield* storedFact("mode")) === "replay",
      keys: () => keys,
      signers: Effect.fail(new LogHalted({ message: "this process checks the log and cannot sign it" })),
      lacking: Effect.succeed(undefined)
    })
  })
)

/** What `log check --full` finds, and why the service would sign nothing on this database, if so. */
export const verify = Effect.fn("Restore.verify")(function* (memory: Memory) {
  return yield* Effect.gen(function* () {
    const checked = yield* checkLog(true)
    return { ...checked, halted: yield* (yield* Log).halted }
  }).pipe(
    Effect.provide(
      Log.layer.pipe(Layer.provide(publicKeys), Layer.provide(Layer.succeed(HeadMemory, memory)))
    )
  )
})

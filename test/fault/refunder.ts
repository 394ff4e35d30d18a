/** A process that pays what warranties owe until it is killed, with database, chain and key of its environment. */
import { Effect, Layer } from "effect"
import { WarrantyRefunder } from "../../core/credits/warranty/Refunder.ts"
import { Warranty } from "../../core/credits/warranty/Warranty.ts"
import * as Database from "../../runtime/database/Database.ts"
import { refunder } from "../../runtime/service/refunds.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { credits } from "../support/credits.ts"

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live"))).pipe(
  Layer.provide(Settings.layer)
)

export const services = Warranty.layer.pipe(
  Layer.provideMerge(Layer.effect(WarrantyRefunder, refunder)),
  Layer.provideMerge(credits(database)),
  Layer.provide(Settings.layer)
)

/** What the service does by itself. */
export const payOnce = Effect.gen(function* () {
  const { run, send } = yield* Warranty
  yield* run
  yield* send
})

if (import.meta.main) {
  Effect.runFork(
    payOnce.pipe(
      Effect.andThen(Effect.sleep("20 millis")),
      Effect.forever,
      Effect.provide(services),
      Effect.tapCause(Effect.logError)
    )
  )
}

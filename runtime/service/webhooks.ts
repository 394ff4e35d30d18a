/** Webhooks: where they may send to, and the work of sending. */
import { Effect, Layer } from "effect"
import { removing } from "../../core/readings/removing.ts"
import { ifTrusted } from "../../core/readings/TrustedClock.ts"
import { Deliverer } from "../../core/webhooks/Deliverer.ts"
import { Webhooks } from "../../core/webhooks/Webhooks.ts"
import { onDuty } from "../cluster/Duties.ts"
import * as WebhookTargets from "../outside/webhookTargets.ts"
import { Settings } from "../settings/Settings.ts"

const targets = Layer.unwrap(
  Effect.map(Settings, ({ testMode, webhookLoopback }) =>
    testMode.keys === "test" ? WebhookTargets.none : WebhookTargets.layer({ loopback: webhookLoopback })
  )
)

/**
 * One process sends; it looks for what is due every two seconds. Not by a clock in doubt: it would give up at once what has
 * two days, and no target takes a signature of another time.
 */
export const delivering = Layer.effectDiscard(
  Effect.gen(function* () {
    const { removeOld, run } = yield* Deliverer
    yield* onDuty("sending webhooks", "2 seconds", ifTrusted(run))
    yield* onDuty("removing old deliveries", "1 hour", removing("deliveries", removeOld))
  })
)

export const webhooks = delivering.pipe(
  Layer.provide(Deliverer.layer),
  Layer.provideMerge(Webhooks.layer),
  Layer.provide(targets)
)

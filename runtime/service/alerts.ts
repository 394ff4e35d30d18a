/** Alerts: the work of looking and of sending, and who brings the messages. */
import { Effect, Layer, Option } from "effect"
import { AlertLimits } from "../../core/alerts/AlertLimits.ts"
import { AlertSender } from "../../core/alerts/AlertSender.ts"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { MorningSender } from "../../core/alerts/MorningSender.ts"
import { Mornings } from "../../core/alerts/Mornings.ts"
import { removing } from "../../core/readings/removing.ts"
import { ifTrusted } from "../../core/readings/TrustedClock.ts"
import { dayWords } from "../../http/explorer/pages/mornings.ts"
import { onDuty } from "../cluster/Duties.ts"
import * as Messengers from "../outside/messengers.ts"
import { Settings } from "../settings/Settings.ts"

const messengers = Layer.unwrap(
  Effect.map(Settings, ({ mailFrom, messengerHosts, smtpUrl, telegramBotToken, testMode }) =>
    testMode.keys === "test"
      ? Messengers.none
      : Messengers.layer({
          mail: Option.map(Option.all([smtpUrl, mailFrom]), ([url, from]) => ({ url, from })),
          telegramToken: telegramBotToken,
          hosts: messengerHosts
        })
  )
)

/** One process looks and one sends; not by a clock in doubt, which would call values stale and give messages up. */
export const watching = Layer.effectDiscard(
  Effect.gen(function* () {
    const { removeOld, run, runAges } = yield* AlertWatch
    const limits = yield* AlertLimits
    const sender = yield* AlertSender
    const mornings = yield* MorningSender
    yield* onDuty("looking at alerts", "2 seconds", ifTrusted(run))
    yield* onDuty("looking at ages for alerts", "1 minute", ifTrusted(runAges))
    yield* onDuty("holding alerts to their tiers", "1 minute", limits.apply)
    yield* onDuty("sending alerts", "2 seconds", ifTrusted(sender.run))
    yield* onDuty("sending yesterday by mail", "5 seconds", ifTrusted(mornings.run))
    yield* onDuty("removing old mornings", "1 hour", removing("mornings", mornings.removeOld))
    yield* onDuty("removing old crossings", "1 hour", removing("crossings", removeOld))
  })
)

export const alerts = watching.pipe(
  Layer.provide(
    Layer.mergeAll(
      AlertWatch.layer,
      AlertLimits.layer,
      AlertSender.layer,
      MorningSender.layer.pipe(Layer.provide(dayWords))
    )
  ),
  Layer.provideMerge(Layer.merge(Alerts.layer, Mornings.layer)),
  Layer.provide(messengers)
)

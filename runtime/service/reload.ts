/**
 * SIGHUP: reads again what may change while the service runs (`runtime/settings/live.ts`), checks all of it, and takes over all or
 * nothing. Each process of a cluster does so for itself.
 */
import { ConfigProvider, Effect, LogLevel, Queue, SubscriptionRef } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import { inBackground } from "../../core/process/loop.ts"
import { threshold } from "../logging/threshold.ts"
import { changedNames, readLive } from "../settings/live.ts"
import { liveOf, Settings } from "../settings/Settings.ts"
import { WitnessPolicy } from "./witnessing.ts"

/** Reads the settings again, and says in one line what changed and what needs a restart. Fails without a change. */
export const reload = Effect.fn("reload")(function* () {
  const settings = yield* Settings
  const policy = yield* WitnessPolicy
  const level = yield* threshold
  const before = liveOf(settings)
  const { needRestart, values } = yield* readLive(yield* ConfigProvider.ConfigProvider, settings.settingsFile)
  const witnesses = yield* policy.read(values.witnesses)
  const isOther = witnesses.text !== SubscriptionRef.getUnsafe(policy.current).text
  const changed = new Set([...changedNames(before, values), ...(isOther ? ["WITNESSES"] : [])])
  const listed = (names: Iterable<string>) => [...names].toSorted().join(", ") || "nothing"
  const fields = { changed: listed(changed), needs_restart: listed(needRestart) }
  const say =
    needRestart.length === 0
      ? Effect.logInfo("the settings were read again", fields)
      : Effect.logWarning("the settings were read again, and some need a restart", fields)
  // By the level that writes more: otherwise `warn` would keep silent about itself.
  const isWritten = LogLevel.isGreaterThanOrEqualTo("Info", level())
  if (isWritten) yield* say
  yield* SubscriptionRef.set(settings.live, values)
  if (isOther) yield* SubscriptionRef.set(policy.current, witnesses)
  if (!isWritten) yield* say
})

/** Reloads at each SIGHUP. In a terminal the signal says that it was closed, and ends the process as it always did. */
export const reloading = Effect.gen(function* () {
  if (process.stdin.isTTY || process.stdout.isTTY) return
  const signals = yield* Queue.sliding<void>(1)
  const offer = () => void Queue.offerUnsafe(signals, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const listener = guarded("SIGHUP", offer)
      // biome-ignore lint/plugin/callback: it is guarded
      process.on("SIGHUP", listener)
      return listener
    }),
    (listener) => Effect.sync(() => process.off("SIGHUP", listener))
  )
  yield* inBackground(
    "reading the settings again",
    { afterFailure: "1 second" },
    Effect.andThen(
      Queue.take(signals),
      Effect.catch(reload(), ({ message }) =>
        Effect.logError("the settings were read again, and nothing was changed", {
          cause: message.replace(/\s+/g, " ")
        })
      )
    )
  )
})

/** Whether each observer shows a head of its log that the named key signed. */
import { Effect, Option } from "effect"
import { type Observer, ObserverTrouble } from "../../core/log/observers/Observers.ts"
import { readHead } from "../../core/log/observers/readDay.ts"
import { readFile } from "../outside/observers.ts"
import { namedObservers } from "../service/observing.ts"
import type { Settings } from "../settings/Settings.ts"
import { findingFor } from "./Finding.ts"

const reach = findingFor("reach")

const patience = "5 seconds"
const atOnce = 4

const tooSlow = new ObserverTrouble({ state: "silent", why: `no answer within ${patience}` })

const findingOf = (observer: Observer) => {
  const name = `observer ${observer.key.name} at ${new URL(observer.url).host}`
  return readHead((path, most) => readFile(observer, path, most), observer.key).pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(tooSlow) }),
    Effect.match({
      onSuccess: ({ head: { size } }) =>
        reach("ok", `${name} shows a head of ${size} entries, signed by the key in OBSERVERS`),
      onFailure: ({ state, why }) =>
        reach(
          "warn",
          `${name}: ${why}`,
          state === "silent"
            ? "check OBSERVERS, the name server and the firewall"
            : "ask its operator over another channel which key signs its log, and correct OBSERVERS"
        )
    })
  )
}

/** The service itself explains a setting that cannot be used. */
export const observerFindings = Effect.fn("Doctor.observerFindings")(function* ({
  observers
}: Pick<Settings["Service"], "observers">) {
  if (Option.isNone(observers)) return []
  const all = yield* Effect.orElseSucceed(namedObservers(observers.value), () => [])
  return yield* Effect.forEach(all, findingOf, { concurrency: atOnce })
})

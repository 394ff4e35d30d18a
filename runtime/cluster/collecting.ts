/** Collects the feeds that are this process's duty. */
import { Effect, Layer } from "effect"
import { loop } from "../../core/process/loop.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Collector } from "../collector/Collector.ts"
import { Claims } from "./Claims.ts"
import { Duties } from "./Duties.ts"
import { FeedStates } from "./FeedStates.ts"
import { hostGroups } from "./hostGroups.ts"

/** How long a run in progress may delay the next owner. A run that takes longer is refused when it arrives. */
const patience = "10 seconds"

/** Takes each group of feeds as a duty. */
export const collecting = Layer.effectDiscard(
  Effect.gen(function* () {
    const { claim, epochOf } = yield* Claims
    const { disown, own } = yield* Collector
    const { flush } = yield* FeedStates
    const { take } = yield* Duties
    const { recover } = yield* Ingest

    /** Becomes the owner, after finishing what the last one left half-written. */
    const begin = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
      const before = new Map(plugins.map((plugin) => [plugin, epochOf(plugin)]))
      const owned = yield* claim(plugins)
      for (const { epoch, plugin } of owned) {
        // Half-written runs of an ownership that goes on are still being written.
        if (epoch === undefined || epoch !== before.get(plugin)) yield* recover(plugin, epoch)
      }
      yield* own(owned)
    })

    const end = (plugins: ReadonlyArray<string>) =>
      Effect.andThen(disown(plugins), flush).pipe(
        Effect.timeout(patience),
        // `disown` cannot be stopped; the next owner does not wait for it.
        Effect.catch(({ message }) =>
          Effect.logWarning("gave up feeds whose runs are not stored yet", { feeds: plugins, cause: message })
        )
      )

    for (const plugins of hostGroups((yield* Feeds).manifests)) {
      const [first = ""] = plugins
      yield* take(
        { role: "collect", name: `feeds/${first}` },
        loop(
          "collecting feeds",
          { afterFailure: "1 second" },
          Effect.acquireUseRelease(
            begin(plugins),
            () => Effect.never,
            () => end(plugins)
          )
        )
      )
    }
  })
)

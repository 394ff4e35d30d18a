/** The end of a process: it tells whoever sends it requests, gives up its duties, and only then stops to answer. */
import { Context, type Duration, Effect, Latch, Layer } from "effect"
import { ProcessState } from "../../core/process/ProcessState.ts"
import { Duties } from "./Duties.ts"

export class Lifecycle extends Context.Service<
  Lifecycle,
  {
    /**
     * Makes `/readyz` fail, gives up all duties, and returns when both that is done and `drain` is over. Requests are
     * answered meanwhile, each with the advice to use another connection.
     */
    readonly stop: Effect.Effect<void>
  }
>()("runtime/cluster/Lifecycle") {
  /** `drain` is how long a load balancer may take to find out. */
  static readonly layer = (drain: Duration.Input) =>
    Layer.effectContext(
      Effect.gen(function* () {
        const { release, warnings } = yield* Duties
        const stopping = yield* Latch.make(false)
        const stop = Effect.gen(function* () {
          stopping.openUnsafe()
          yield* Effect.logInfo("stopping: finishing what is in progress")
          yield* Effect.all([release, Effect.sleep(drain)], { concurrency: "unbounded", discard: true })
        })
        return Context.make(Lifecycle, Lifecycle.of({ stop })).pipe(
          Context.add(ProcessState, {
            isStopping: () => stopping.isOpen(),
            stopping: stopping.await,
            warnings
          })
        )
      })
    )
}

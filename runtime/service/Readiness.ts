/** When the service may serve, and when its scheduled work may begin. */
import { Context, Effect, Layer } from "effect"

/** What the service waits for before it serves (`newest`) and before its scheduled work (`past`). Nothing in live mode. */
export class Readiness extends Context.Service<
  Readiness,
  { readonly newest: Effect.Effect<void>; readonly past: Effect.Effect<void> }
>()("runtime/service/Readiness") {
  /** Nothing to wait for. */
  static readonly layerNow = Layer.succeed(
    Readiness,
    Readiness.of({ newest: Effect.void, past: Effect.void })
  )
}

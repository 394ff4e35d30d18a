/** Work whose statements go over many rows, and so may take longer than others may. */
import { Context, Effect } from "effect"

/** True where a transaction that begins may have statements of minutes. A server limits the time of all others. */
export const MayTakeLong = Context.Reference<boolean>("core/sql/mayTakeLong", { defaultValue: () => false })

/** The statements of the transactions in `work` may take minutes. */
export const mayTakeLong: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(MayTakeLong, true)

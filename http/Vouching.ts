/** Who vouches for the service beside it, as its operator names them; `runtime` reads it from the settings. */
import { Context, Effect } from "effect"

export interface Vouching {
  /** Verifier keys of the logs of other operators, and their addresses. */
  readonly observers: ReadonlyArray<{ readonly vkey: string; readonly url: string }>
  /** Verifier keys. */
  readonly notaries: ReadonlyArray<string>
  /** The operator's names for the witnesses, and their verifier keys. */
  readonly witnesses: ReadonlyArray<{ readonly name: string; readonly vkey: string }>
  /** No head is served that the witnesses have not cosigned. */
  readonly needsWitnesses: boolean
  /** Addresses of hosts that keep copies of the log's files. */
  readonly mirrors: ReadonlyArray<string>
}

const nobody: Vouching = {
  observers: [],
  notaries: [],
  witnesses: [],
  needsWitnesses: false,
  mirrors: []
}

/** Those of the moment: the witnesses change while the service runs. Nobody by default. */
export const Vouching = Context.Reference<Effect.Effect<Vouching>>("http/Vouching", {
  defaultValue: () => Effect.succeed(nobody)
})

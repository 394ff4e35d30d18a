/**
 * Those who vouch for a service beside it, as the demo plays them itself so that each seat is seen taken: in its process, with keys of
 * their own, and documents that say they are simulated. Nobody unless the demo brings them.
 */
import { Context } from "effect"
import type { Observers } from "../../core/log/observers/Observers.ts"
import type { Witness, Witnesses } from "../../core/log/Witnesses.ts"
import type { Verifier } from "../../core/proof/checkpoint.ts"
import type { RunResult } from "../../core/readings/ingest/Run.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"

export interface SimulatedSeats {
  readonly witness: Pick<Witnesses["Service"], "latest" | "offer"> & { readonly named: Witness }
  readonly observers: Observers["Service"]
  readonly notary: {
    readonly verifier: Verifier
    /** What it states of a run that it carried; undefined where it carried none of it. */
    readonly notes: (run: RunResult) => RunNotes | undefined
  }
}

export const SimulatedSeats = Context.Reference<SimulatedSeats | undefined>("runtime/SimulatedSeats", {
  defaultValue: () => undefined
})

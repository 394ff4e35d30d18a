/**
 * The heads of this log that its witnesses hold, as far as they are known. A database that was rolled back does not extend
 * them, and the log then signs nothing.
 */
import { Context, Effect, Layer } from "effect"
import { Malformed } from "../proof/bytes.ts"
import { parseCheckpointText, parseNote, verifierOf, verifyNote } from "../proof/checkpoint.ts"
import { type KnownHead, KnownHeads } from "./KnownHeads.ts"
import { LogKey } from "./Log.ts"
import { type Witness, Witnesses } from "./Witnesses.ts"

/** How long the start waits for witnesses. */
const startTimeout = "3 seconds"

export class WitnessHeads extends Context.Service<
  WitnessHeads,
  {
    /** The head that a witness holds, as of the last look or cosignature. From memory. */
    readonly of: (witness: Witness) => Effect.Effect<KnownHead | undefined>
    /** Keeps the note that a witness just cosigned. */
    readonly keep: (witness: Witness, note: string) => Effect.Effect<void>
    /** Asks a witness that has not told its head yet. Who does not answer is asked again next time. */
    readonly look: (witness: Witness) => Effect.Effect<void>
  }
>()("core/log/WitnessHeads") {
  /** With `KnownHeads`: asks every witness once, at the start, and answers from memory after that. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const witnesses = yield* Witnesses
      const key = yield* LogKey
      const heads = new Map<Witness, KnownHead>()
      const answeredWitnesses = new Set<Witness>()

      /** The head in a note that a key of this log signed: what a witness adds to it cannot stop the log. */
      const headOf = (witness: Witness, note: string): KnownHead | undefined => {
        try {
          const parsed = parseNote(note)
          const { origin, root, size } = parseCheckpointText(parsed.text)
          const verifiers = key
            .keys()
            .filter(({ purpose }) => purpose === "log")
            .map(({ publicKey }) => verifierOf(key.origin, publicKey))
          const isOurs = origin === key.origin && (verifyNote(parsed, verifiers)?.length ?? 0) > 0
          return isOurs ? { from: `The witness ${witness.name}`, size, root } : undefined
        } catch (error) {
          if (error instanceof Malformed) return undefined
          throw error
        }
      }

      const keep = (witness: Witness, note: string) =>
        Effect.sync(() => {
          const head = headOf(witness, note)
          if (head === undefined) return
          const before = heads.get(witness)
          if (before === undefined || before.size <= head.size) heads.set(witness, head)
        })

      const look = Effect.fnUntraced(
        function* (witness: Witness) {
          if (answeredWitnesses.has(witness)) return
          const note = yield* witnesses.latest(witness, key.origin)
          answeredWitnesses.add(witness)
          if (note._tag === "Some") yield* keep(witness, note.value)
        },
        // The rounds that offer heads to it log what is wrong with it.
        (work) => Effect.ignore(work)
      )

      let started = false
      const currentHeads = Effect.gen(function* () {
        if (!started) {
          started = true
          yield* Effect.forEach(
            witnesses.all,
            (witness) => look(witness).pipe(Effect.timeoutOption(startTimeout)),
            { concurrency: "unbounded", discard: true }
          )
        }
        return [...heads.values()]
      }).pipe(Effect.withSpan("WitnessHeads.known"))

      return Context.make(
        WitnessHeads,
        WitnessHeads.of({ of: (witness) => Effect.sync(() => heads.get(witness)), keep, look })
      ).pipe(Context.add(KnownHeads, currentHeads))
    })
  )
}

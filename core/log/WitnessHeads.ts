/**
 * The heads of this log that its witnesses and mirrors hold, as far as they are known. A database that was rolled back, or a copy
 * of it that another process continued, does not extend them, and the log then signs nothing.
 */
import { Clock, Context, Effect, Layer, type Option } from "effect"
import { minute } from "../plugin/time.ts"
import { Malformed } from "../proof/bytes.ts"
import { parseCheckpointText, parseNote, verifierOf, verifyNote } from "../proof/checkpoint.ts"
import type { PublishedKey } from "../proof/keys.ts"
import { type KnownHead, KnownHeads } from "./KnownHeads.ts"
import { LogKey } from "./Log.ts"
import { type HostAway, MirrorHosts } from "./Mirrors.ts"
import { type Witness, Witnesses, type WitnessTrouble } from "./Witnesses.ts"

/** How long a start or a signature waits for those who hold heads. */
const patience = "3 seconds"
/** Who did not answer is asked again after this long: a signature in a transaction must not wait for it each time. */
const rest = 10 * minute

/** Someone else who holds a head of this log. */
interface Holder {
  /** For messages. */
  readonly from: string
  readonly latest: Effect.Effect<Option.Option<string>, WitnessTrouble | HostAway>
}

export class WitnessHeads extends Context.Service<
  WitnessHeads,
  {
    /** The head that a witness holds, as of the last look or cosignature. From memory. */
    readonly of: (witness: Witness) => Effect.Effect<KnownHead | undefined>
    /** Keeps the note that a witness just cosigned. */
    readonly keep: (witness: Witness, note: string) => Effect.Effect<void>
    /** Asks a witness that has not told its head yet, or did not answer when it was asked last. */
    readonly look: (witness: Witness) => Effect.Effect<void>
    /** Asks a witness again, whatever is known of it; false if it did not answer. */
    readonly ask: (witness: Witness) => Effect.Effect<boolean>
  }
>()("core/log/WitnessHeads") {
  /** With `KnownHeads`, which asks every witness and mirror, at the start and before each signature. */
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const witnesses = yield* Witnesses
      const key = yield* LogKey
      const ofWitness = new Map<Witness, Holder>()
      /** An operator may change the witnesses. */
      const holderOf = (witness: Witness): Holder => {
        const holder = ofWitness.get(witness) ?? {
          from: `The witness ${witness.name}`,
          latest: witnesses.latest(witness, key.origin)
        }
        ofWitness.set(witness, holder)
        return holder
      }
      const mirrors = (yield* MirrorHosts).map(
        ({ latest, name }): Holder => ({ from: `The mirror ${name}`, latest })
      )
      const heads = new Map<Holder, KnownHead>()
      const present = new Set<Holder>()
      const askedAt = new Map<Holder, number>()

      const keep = (holder: Holder, note: string) => {
        const head = headOf(holder.from, note, key.origin, key.keys())
        const before = heads.get(holder)
        if (head !== undefined && (before === undefined || before.size <= head.size)) heads.set(holder, head)
      }

      const ask = Effect.fnUntraced(function* (holder: Holder) {
        // Until it has answered: who asks may be interrupted.
        present.delete(holder)
        askedAt.set(holder, yield* Clock.currentTimeMillis)
        const note = yield* Effect.option(holder.latest)
        if (note._tag === "None") return false
        present.add(holder)
        if (note.value._tag === "Some") keep(holder, note.value.value)
        return true
      })

      const currentHeads = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const due = [...witnesses.all.map(holderOf), ...mirrors].filter(
          (holder) => present.has(holder) || now - (askedAt.get(holder) ?? Number.NEGATIVE_INFINITY) >= rest
        )
        yield* Effect.forEach(due, (holder) => ask(holder).pipe(Effect.timeoutOption(patience)), {
          concurrency: "unbounded",
          discard: true
        })
        return [...heads.values()]
      }).pipe(Effect.withSpan("WitnessHeads.known"))

      return Context.make(
        WitnessHeads,
        WitnessHeads.of({
          of: (witness) => Effect.sync(() => heads.get(holderOf(witness))),
          keep: (witness, note) => Effect.sync(() => keep(holderOf(witness), note)),
          // The rounds that offer heads to it log what is wrong with it.
          look: (witness) =>
            Effect.suspend(() =>
              present.has(holderOf(witness)) ? Effect.void : Effect.asVoid(ask(holderOf(witness)))
            ),
          ask: (witness) => Effect.suspend(() => ask(holderOf(witness)))
        })
      ).pipe(Context.add(KnownHeads, currentHeads))
    })
  )
}

/** The head in a note that a key of this log signed: what others add to it, or make up, cannot stop the log. */
const headOf = (
  from: string,
  note: string,
  ofLog: string,
  keys: ReadonlyArray<PublishedKey>
): KnownHead | undefined => {
  try {
    const parsed = parseNote(note)
    const { origin, root, size } = parseCheckpointText(parsed.text)
    const verifiers = keys
      .filter(({ purpose }) => purpose === "log")
      .map(({ publicKey }) => verifierOf(ofLog, publicKey))
    const isOurs = origin === ofLog && (verifyNote(parsed, verifiers)?.length ?? 0) > 0
    return isOurs ? { from, size, root } : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Decides what a witness signs (C2SP tlog-witness, `add-checkpoint`). `server.ts` puts it on HTTP. */
import { Clock, Context, Data, Effect, Layer, Semaphore } from "effect"
import { type AddCheckpoint, parseAddCheckpoint } from "../../core/log/addCheckpoint.ts"
import { sha256 } from "../../core/process/sha256.ts"
import { equalBytes, fromUtf8, Malformed, toBase64, toHex, utf8 } from "../../core/proof/bytes.ts"
import {
  type Checkpoint,
  type Note,
  type NoteSignature,
  noteKeyText,
  noteText,
  parseAnyCheckpointText,
  parseNote,
  signatureLine,
  type Verifier,
  verifyNote
} from "../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignatureMessage } from "../../core/proof/cosignature.ts"
import { buildTree, root, verifyConsistency } from "../../core/proof/merkle.ts"
import { openStore, type StateUnwritten, type Store } from "./Store.ts"

/** A request that the witness does not sign, with the HTTP status that the protocol demands. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly status: 400 | 403 | 404 | 422
  readonly message: string
}> {}

/** The old size is not the one that the witness holds. */
export class OtherSize extends Data.TaggedError("OtherSize")<{
  /** The size of the newest checkpoint that the witness cosigned; 0 for none. */
  readonly size: number
}> {}

export class Witness extends Context.Service<
  Witness,
  {
    /** The verifier key string. */
    readonly vkey: string
    /** The origins of the logs that it cosigns. */
    readonly origins: ReadonlyArray<string>
    /** Verifies the body of an `add-checkpoint` request and returns the cosignature's line. */
    readonly add: (body: Uint8Array) => Effect.Effect<string, OtherSize | Refused | StateUnwritten>
    /** The newest cosigned checkpoint of the log whose origin has this SHA-256 (hex). */
    readonly latest: (originHash: string) => Effect.Effect<string, Refused>
  }
>()("runtime/witness/Witness") {
  /** The witness in a folder. */
  static readonly layer = (folder: string) =>
    Layer.effect(Witness, Effect.flatMap(openStore(folder), witnessOver))
}

const emptyRoot = root(buildTree(new Uint8Array()))

interface ParsedRequest extends AddCheckpoint {
  readonly parsed: Note
  readonly checkpoint: Checkpoint
}

/** The witness of what is stored. */
export const witnessOver = Effect.fnUntraced(function* (store: Store) {
  // One change of the state at a time: the size is checked and the new state stored as one step.
  const turn = yield* Semaphore.make(1)

  const cosign = Effect.fnUntraced(function* (request: ParsedRequest, logLines: ReadonlyArray<string>) {
    const { checkpoint, oldSize, parsed, path } = request
    const latest = store.cosigned().get(checkpoint.origin) ?? { size: 0, root: emptyRoot }
    if (oldSize !== latest.size) return yield* new OtherSize({ size: latest.size })
    const follows = verifyConsistency({
      firstSize: latest.size,
      firstRoot: latest.root,
      secondSize: checkpoint.size,
      secondRoot: checkpoint.root,
      path
    })
    if (!follows) {
      // A log signed this: together with the checkpoint that is held it may prove that the log was rewritten.
      yield* Effect.logWarning("a signed checkpoint does not follow the one that was cosigned before it", {
        held: { size: latest.size, root: toBase64(latest.root) },
        offered: noteText(parsed.text, logLines)
      })
      return yield* new Refused({
        status: 422,
        message:
          oldSize === checkpoint.size
            ? `the checkpoint of size ${oldSize} has another root than the one cosigned before`
            : `the consistency proof does not lead from size ${oldSize} to size ${checkpoint.size}`
      })
    }
    const time = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const line = cosignatureLine(store.cosigner, time, store.sign(cosignatureMessage(parsed.text, time)))
    const { origin, root, size } = checkpoint
    yield* store.keep({ origin, root, size, note: noteText(parsed.text, [...logLines, line]) })
    return line
  })

  return Witness.of({
    vkey: noteKeyText(store.cosigner),
    origins: [...store.logs.keys()],
    add: Effect.fn("Witness.add")(function* (body) {
      const request = yield* read(body)
      const { checkpoint, oldSize, parsed } = request
      const verifiers = store.logs.get(checkpoint.origin)
      if (verifiers === undefined) {
        return yield* new Refused({
          status: 404,
          message: "this witness does not cosign a log of this origin"
        })
      }
      const lines = linesOf(parsed, verifiers)
      if (lines.size === 0) {
        return yield* new Refused({ status: 403, message: "no signature is by a known key of the log" })
      }
      if (verifyNote({ ...parsed, signatures: [...lines.values()] }, verifiers) === undefined) {
        return yield* new Refused({
          status: 403,
          message: "a signature by a known key of the log is not valid"
        })
      }
      if (oldSize > checkpoint.size) {
        return yield* new Refused({
          status: 400,
          message: `the old size ${oldSize} is greater than the checkpoint's size ${checkpoint.size}`
        })
      }
      // A client that goes away does not stop a change half-way.
      return yield* turn.withPermits(1)(Effect.uninterruptible(cosign(request, [...lines.keys()])))
    }),
    latest: (originHash) =>
      Effect.suspend(() => {
        for (const { note, origin } of store.cosigned().values()) {
          if (toHex(sha256(utf8(origin))) === originHash) return Effect.succeed(note)
        }
        return Effect.fail(
          new Refused({ status: 404, message: "this witness never cosigned a checkpoint of this log" })
        )
      })
  })
})

/** The signature lines of known keys. A line that is repeated costs one verification. */
const linesOf = (note: Note, verifiers: ReadonlyArray<Verifier>): ReadonlyMap<string, NoteSignature> => {
  const lines = new Map<string, NoteSignature>()
  for (const one of note.signatures) {
    const verifier = verifiers.find(({ keyId, name }) => name === one.name && equalBytes(keyId, one.keyId))
    if (verifier !== undefined) lines.set(signatureLine(verifier, one.signature), one)
  }
  return lines
}

/** Parses a whole request. */
const read = (body: Uint8Array): Effect.Effect<ParsedRequest, Refused> =>
  Effect.try({
    try: () => {
      const request = parseAddCheckpoint(fromUtf8(body))
      const parsed = parseNote(request.note)
      return { ...request, parsed, checkpoint: parseAnyCheckpointText(parsed.text) }
    },
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      error instanceof Malformed
        ? Effect.fail(new Refused({ status: 400, message: error.message }))
        : Effect.die(error)
    )
  )

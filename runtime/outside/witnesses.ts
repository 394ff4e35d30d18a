/** Witnesses over HTTP (C2SP tlog-witness): `POST <url>/add-checkpoint` and `GET <url>/<origin hash>/checkpoint`. */
import { Effect, Layer, Option } from "effect"
import { sha256 } from "../../core/log/leaves.ts"
import { type Witness, Witnesses, WitnessTrouble } from "../../core/log/Witnesses.ts"
import { fromUtf8, Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import type { Quorum } from "../../core/proof/policy.ts"
import { type BoundedRequest, sendBounded } from "./boundedRequest.ts"

/** A checkpoint with far more signatures than the 16 that a note must be able to have. */
const longest = 128 * 1024
const timeout = "10 seconds"

/** Whom the log asks for cosignatures. */
export interface WitnessSet {
  readonly all: ReadonlyArray<Witness>
  /** The witnesses that should cosign. */
  readonly quorum: Quorum
}

/** The witnesses of the moment: an operator may change them. */
export const layer = (current: () => WitnessSet): Layer.Layer<Witnesses> => {
  const exchange = Effect.fnUntraced(function* (options: Pick<BoundedRequest, "method" | "url" | "body">) {
    const { body, status } = yield* sendBounded({
      ...options,
      headers: { "user-agent": "plumbline" },
      most: longest,
      timeout
    }).pipe(Effect.mapError(({ message }) => new WitnessTrouble({ message })))
    const text = yield* Effect.try({
      try: () => fromUtf8(body),
      catch: (error) =>
        new WitnessTrouble({
          message: `its answer is ${error instanceof Malformed ? error.message : "unreadable"}`
        })
    })
    return { status, text }
  })

  return Layer.succeed(
    Witnesses,
    Witnesses.of({
      get all() {
        return current().all
      },
      get quorum() {
        return current().quorum
      },
      offer: Effect.fn("Witnesses.offer")(function* ({ url }, body) {
        const { status, text } = yield* exchange({
          method: "POST",
          url: `${url}/add-checkpoint`,
          body: utf8(body)
        })
        if (status === 200) return { lines: text }
        if (status !== 409) return yield* refused(status, text)
        const size = /^(0|[1-9]\d{0,15})\n$/.exec(text)?.[1]
        if (size === undefined || !Number.isSafeInteger(Number(size))) {
          return yield* new WitnessTrouble({ message: "it answered 409 without a size" })
        }
        return { holds: Number(size) }
      }),
      latest: Effect.fn("Witnesses.latest")(function* ({ url }, origin) {
        const { status, text } = yield* exchange({
          method: "GET",
          url: `${url}/${toHex(sha256(utf8(origin)))}/checkpoint`
        })
        if (status === 200) return Option.some(text)
        // A witness may serve no checkpoints at all.
        return status >= 400 && status < 500 ? Option.none() : yield* refused(status, text)
      })
    })
  )
}

const refused = (status: number, text: string) => {
  const snippet = text
    .replace(/[^\x21-\x7e]+/g, " ")
    .trim()
    .slice(0, 120)
  return new WitnessTrouble({ message: `it answered ${status}${snippet === "" ? "" : `: ${snippet}`}` })
}

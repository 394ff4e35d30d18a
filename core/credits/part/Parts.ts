/** Reads parts out of payloads: of long ones in a thread, because to parse megabytes holds up every other answer. */
import { Context, Effect, Layer } from "effect"
import { symbolOf } from "../../catalog/lookup.ts"
import { validValuesCap } from "../../process/errors.ts"
import { longPayload } from "../../process/threads/longPayload.ts"
import { makeThread } from "../../process/threads/thread.ts"
import { type Names, namesOf } from "../../readings/read/selection.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { type PartResult, type PartTask, partOf } from "./partOf.ts"

/** Which records of a payload. */
export interface PartRequest {
  readonly symbols?: Names
  readonly metrics?: Names
}

/** A part, and what it is a part by. */
export interface Part {
  readonly bytes: Uint8Array
  readonly part: { readonly symbols?: ReadonlyArray<string>; readonly metrics?: ReadonlyArray<string> }
}

export const isPart = ({ metrics, symbols }: PartRequest): boolean =>
  symbols !== undefined || metrics !== undefined

export class Parts extends Context.Service<
  Parts,
  {
    /** The records of a payload that are named. Fails on a name that no record has. */
    readonly of: (payload: Uint8Array, request: PartRequest) => Effect.Effect<Part, BadParameter>
  }
>()("core/credits/part/Parts") {
  static readonly layer = Layer.effect(
    Parts,
    Effect.gen(function* () {
      const inThread = yield* makeThread<PartTask, PartResult>(
        new URL("part.thread.ts", import.meta.url),
        "parts"
      )
      return Parts.of({
        of: Effect.fn("Parts.of")(function* (bytes, request) {
          const named = yield* namesOf("symbols", request.symbols)
          const symbols = named?.map((name) => symbolOf(name) ?? name)
          const metrics = yield* namesOf("metrics", request.metrics)
          const task = { bytes, symbols, metrics }
          const result = bytes.length > longPayload ? yield* inThread(task) : partOf(task)
          if ("notIn" in result) return yield* notInPurchase(result.notIn)
          return {
            bytes: result.bytes,
            part: {
              ...(symbols === undefined ? {} : { symbols }),
              ...(metrics === undefined ? {} : { metrics })
            }
          }
        })
      })
    })
  )
}

/** Names in a sentence. */
const named = 20

const notInPurchase = ({ field, name, valid }: Extract<PartResult, { notIn: unknown }>["notIn"]) => {
  const some = valid.slice(0, named)
  const those = valid.length === 0 ? "its records have none" : `its records have ${some.join(", ")}`
  return new BadParameter({
    field,
    message: `${field}: this purchase has nothing of ${JSON.stringify(name.slice(0, 64))}; ${those}${valid.length > some.length ? " and others" : ""}.`,
    valid_values: valid.slice(0, validValuesCap)
  })
}

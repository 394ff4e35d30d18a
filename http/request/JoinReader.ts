/** Reads the rows of `/v1/asof`: large bodies in a thread, because to decode them holds up every other answer. */
import { Context, Effect, Layer } from "effect"
import { makeThread } from "../../core/process/threads/thread.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { type JoinBody, type JoinColumns, type JoinRows, readJoin } from "./joinRows.ts"

/** In characters: a shorter body is decoded within a few milliseconds. */
const long = 32 * 1024

export class JoinReader extends Context.Service<
  JoinReader,
  {
    /** The columns of a body. Fails with `BadParameter`, which names the row and its member, of CSV the line and its column. */
    readonly read: (body: JoinBody) => Effect.Effect<JoinColumns, BadParameter>
  }
>()("http/request/JoinReader") {
  static readonly layer = Layer.effect(
    JoinReader,
    Effect.gen(function* () {
      const inThread = yield* makeThread<JoinBody, JoinRows>(
        new URL("join.thread.ts", import.meta.url),
        "joins"
      )
      return JoinReader.of({
        read: (body) =>
          (body.text.length > long ? inThread(body) : Effect.sync(() => readJoin(body))).pipe(
            Effect.flatMap((rows) =>
              "columns" in rows ? Effect.succeed(rows) : Effect.fail(new BadParameter(rows.fault))
            )
          )
      })
    })
  )
}

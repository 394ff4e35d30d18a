/** Reads the rows of `/v1/asof`: large bodies in a thread, because to decode them holds up every other answer. */
import { Context, Effect, Layer } from "effect"
import { makeThread, TookTooLong } from "../../core/process/threads/thread.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { Unavailable } from "../../core/wire/problems/service.ts"
import { type JoinBody, type JoinColumns, type JoinRows, readJoin } from "./joinRows.ts"

/** In characters: a shorter body is decoded within a few milliseconds. */
const long = 32 * 1024

/** How long others wait for one body at most; ten thousand rows take a fraction of it. */
const longest = "10 seconds"

export class JoinReader extends Context.Service<
  JoinReader,
  {
    /**
     * The columns of a body. Fails with `BadParameter`, which names the row and its member, of CSV the line and its column, and
     * with `Unavailable` if to read it takes longer than it may.
     */
    readonly read: (body: JoinBody) => Effect.Effect<JoinColumns, BadParameter | Unavailable>
  }
>()("http/request/JoinReader") {
  static readonly layer = Layer.effect(
    JoinReader,
    Effect.gen(function* () {
      const inThread = yield* makeThread<JoinBody, JoinRows>(
        new URL("join.thread.ts", import.meta.url),
        "joins",
        longest
      )
      const read = (body: JoinBody): Effect.Effect<JoinRows, Unavailable> =>
        Effect.catchDefect(inThread(body), (defect) =>
          defect instanceof TookTooLong
            ? Effect.fail(
                new Unavailable({
                  message: `To read these rows takes longer than ${longest}. Send fewer at a time.`,
                  retry_after: 10
                })
              )
            : Effect.die(defect)
        )
      return JoinReader.of({
        read: (body) =>
          (body.text.length > long ? read(body) : Effect.sync(() => readJoin(body))).pipe(
            Effect.flatMap((rows) =>
              "columns" in rows ? Effect.succeed(rows) : Effect.fail(new BadParameter(rows.fault))
            )
          )
      })
    })
  )
}

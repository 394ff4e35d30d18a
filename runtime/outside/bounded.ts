/** Sends one request to an operator's address, bounded in time and bytes, without redirects or retries. */
import { Data, type Duration, Effect } from "effect"
import { request } from "undici"
import { collect } from "../upstream/decompress.ts"
import { troubleOf } from "../upstream/transport.ts"

export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly message: string }> {}

export interface Asked {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Bytes of the longest answer that is read. */
  readonly most: number
  readonly timeout: Duration.Input
}

/** Sends the request and reads the whole answer. A redirect is an answer like any other. */
export const ask = (
  asked: Asked
): Effect.Effect<{ readonly status: number; readonly body: Uint8Array }, NoAnswer> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await request(asked.url, {
        method: asked.method,
        headers: { ...asked.headers },
        body: asked.body ?? null,
        signal
      })
      const coding = answer.headers["content-encoding"]
      const body = await collect(answer.body, typeof coding === "string" ? coding : undefined, asked.most)
      return { status: answer.statusCode, body: new Uint8Array(body) }
    },
    catch: (error) => new NoAnswer({ message: troubleOf(error, new URL(asked.url).host).detail })
  }).pipe(
    Effect.timeoutOrElse({
      duration: asked.timeout,
      orElse: () => Effect.fail(new NoAnswer({ message: "no answer in time" }))
    })
  )

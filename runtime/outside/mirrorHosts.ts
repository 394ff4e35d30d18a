/** Mirrors of the service's own log over HTTP: `GET <url>/v1/log/checkpoint`, as `log mirror` writes it. */
import { Effect, Option } from "effect"
import { HostAway, type MirrorHost } from "../../core/log/Mirrors.ts"
import { fromUtf8, Malformed } from "../../core/proof/bytes.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { sendBounded } from "./boundedRequest.ts"

/** Of a checkpoint with more signatures than the 16 that a note must be able to have. */
const longest = 128 * 1024
const timeout = "10 seconds"

/** The mirror at this URL, which has no slash at its end. It is named without its path, which may hold a key. */
export const mirrorHostAt = (name: string, url: string): MirrorHost => ({
  name,
  latest: Effect.gen(function* () {
    const { body, status } = yield* sendBounded({
      method: "GET",
      url: `${url}${logPath}/checkpoint`,
      headers: { "user-agent": "plumbline" },
      most: longest,
      timeout
    }).pipe(Effect.mapError(({ message }) => new HostAway({ message })))
    if (status === 404) return Option.none()
    if (status !== 200) return yield* new HostAway({ message: `it answered ${status}` })
    return yield* Effect.try({
      try: () => Option.some(fromUtf8(body)),
      catch: (error) =>
        new HostAway({
          message: `its answer is ${error instanceof Malformed ? error.message : "unreadable"}`
        })
    })
  })
})

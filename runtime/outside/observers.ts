/** Observers over HTTP: the static files of another service's log. */
import { Effect, Layer } from "effect"
import { type Observer, Observers, ObserverTrouble } from "../../core/log/observers/Observers.ts"
import { sendBounded } from "./boundedRequest.ts"

/** For one file: a day's leaves have a few megabytes. */
const timeout = "1 minute"

const silent = (why: string) => new ObserverTrouble({ state: "silent", why })

/** As the port has it. */
export const readFile = Effect.fn("Observers.readFile")(function* (
  { url }: Observer,
  path: string,
  most: number
) {
  const { body, status } = yield* sendBounded({
    method: "GET",
    url: `${url}${path}`,
    headers: { "user-agent": "plumbline", "accept-encoding": "gzip" },
    most,
    timeout
  }).pipe(Effect.mapError(({ message }) => silent(message)))
  if (status === 200) return body
  return status === 404 ? undefined : yield* silent(`${path} answered ${status}`)
})

export const layer = (all: ReadonlyArray<Observer>): Layer.Layer<Observers> =>
  Layer.succeed(Observers, Observers.of({ all, read: readFile }))

/** The body of a response that stays open; `deliver` sends it. */
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import { guarded } from "../../core/process/guarded.ts"
import type { Sink } from "./Listener.ts"
import type { Beginning, Granted } from "./Streams.ts"

/** How long a client may take to read the last bytes, in milliseconds. */
const farewell = 5000

export class OpenStream {
  readonly _tag = "OpenStream"
  readonly #granted: Granted
  readonly #beginning: Beginning

  constructor(granted: Granted, beginning: Beginning) {
    this.#granted = granted
    this.#beginning = beginning
  }

  /** Writes to the connection until it is closed, by either side; `onBytes` hears how many bytes are written. */
  sendTo(response: ServerResponse, onBytes: (bytes: number) => void): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const sink: Sink = {
        write: (bytes) => {
          onBytes(bytes.length)
          return response.write(bytes)
        },
        end: (bytes) => {
          response.end(bytes)
          setTimeout(() => response.destroy(), farewell).unref()
        }
      }
      const listener = this.#granted.open(sink, this.#beginning)
      response.on(
        "drain",
        guarded(
          "a stream",
          () => listener.drained(),
          () => response.destroy()
        )
      )
      response.once("close", () => resume(Effect.void))
      if (response.destroyed) resume(Effect.void)
    }).pipe(Effect.ensuring(this.abandon))
  }

  /** Gives the place back. */
  get abandon(): Effect.Effect<void> {
    return Effect.sync(this.#granted.release)
  }
}

/** A mirror of the log: another service, any static host, or a folder. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { CannotRepair, type Mirror } from "../../core/log/mirror.ts"
import { sendBounded } from "./boundedRequest.ts"

/** Most bytes of one file: a day's leaves. */
const largest = 64 * 2 ** 20

const overHttp =
  (base: string): Mirror =>
  (path) =>
    sendBounded({
      method: "GET",
      url: `${base.replace(/\/+$/, "")}/v1/log/${path}`,
      most: largest,
      timeout: "1 minute"
    }).pipe(
      Effect.mapError(({ message }) => new CannotRepair({ message: `${base}: ${message}` })),
      Effect.flatMap(({ body, status }) =>
        status === 200
          ? Effect.succeed(body)
          : status === 404
            ? Effect.succeed(undefined)
            : new CannotRepair({ message: `${base} answered ${status} for /v1/log/${path}` })
      )
    )

const inFolder =
  (folder: string): Mirror =>
  (path) =>
    Effect.tryPromise({
      try: async () => {
        try {
          return new Uint8Array(await readFile(join(folder, "v1/log", path)))
        } catch (error) {
          if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
          throw error
        }
      },
      catch: (error) => new CannotRepair({ message: error instanceof Error ? error.message : String(error) })
    })

/** The mirror at a URL, or in a folder that holds `v1/log`. */
export const mirrorAt = (from: string): Mirror =>
  /^https?:\/\//.test(from) ? overHttp(from) : inFolder(from)

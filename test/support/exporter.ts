/**
 * A service in a process of its own, to see what an export takes of it. Arguments: the URL of a migrated Postgres and
 * the day of its data clock. Tells its port and a key that may export; asked for anything, its memory in bytes.
 */
import { readFileSync } from "node:fs"
import { Context, Effect, Layer, Redacted } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Http } from "../../http/server.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { bareService } from "./bareService.ts"

const [url = "", day = ""] = process.argv.slice(2)

/** `process.resourceUsage().maxRSS` begins at what the process that forked this one held. */
const memory = () => {
  const status = readFileSync("/proc/self/status", "utf8")
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024
  return { now: bytes("VmRSS"), most: bytes("VmHWM") }
}

const service = bareService(Postgres.layer(Redacted.make(url))).pipe(
  Layer.provide(Layer.succeed(DataClock.offset, Date.parse(day) - Date.now()))
)

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const built = yield* Layer.build(service)
      const accounts = Context.get(built, Accounts)
      const { api_key } = yield* accounts.register({}, "192.0.2.1")
      const { id } = yield* accounts.authenticate(Redacted.make(api_key))
      yield* accounts.setTier(id, "pro")
      process.on("message", () => {
        process.send?.(memory())
      })
      process.send?.({ port: Context.get(built, Http).port, key: api_key })
      return yield* Effect.never
    })
  )
)

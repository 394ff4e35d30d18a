/**
 * A service in a process of its own, to see what an export takes of it. Arguments: the URL of a migrated Postgres and
 * the day of its data clock. Tells its port and a key that may export; asked for anything, its memory in bytes.
 */
import { generateKeyPairSync, sign } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Blobs } from "../../core/data/Blobs.ts"
import { Current } from "../../core/data/Current.ts"
import * as DataClock from "../../core/data/DataClock.ts"
import { Depths } from "../../core/data/Depths.ts"
import { Estate } from "../../core/data/Estate.ts"
import { Feeds } from "../../core/data/Feeds.ts"
import { Log } from "../../core/log/Log.ts"
import { Sources } from "../../core/log/Sources.ts"
import { Brief } from "../../core/products/Brief.ts"
import { Settings } from "../../http/Settings.ts"
import { Http } from "../../http/server.ts"
import { Signer } from "../../http/signing/Signer.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { logKey } from "../../runtime/keys.ts"
import { credits } from "./credits.ts"

const [url = "", day = ""] = process.argv.slice(2)

const signer = Layer.sync(Signer, () => {
  const { privateKey } = generateKeyPairSync("ed25519")
  const key = { kid: "test", sign: (message: Uint8Array) => sign(null, message, privateKey) }
  return Signer.of({ key: () => key, keys: () => [], origin: "exporter.test/log" })
})

const service = Http.layer({ host: "127.0.0.1", port: 0 }).pipe(
  Layer.provide([
    Layer.succeed(
      Settings,
      Settings.of({
        baseUrl: "http://127.0.0.1",
        mode: "live",
        trustProxy: 0,
        spoolFolder: join(tmpdir(), "plumbline-spool")
      })
    ),
    Layer.mergeAll(Depths.layer, Estate.layer, Brief.layer.pipe(Layer.provideMerge(Log.layer)), Sources.layer)
  ]),
  Layer.provide(Blobs.layerTable),
  Layer.provide(logKey(false)),
  Layer.provide(signer),
  Layer.provide(Current.layer),
  Layer.provide(Layer.succeed(Feeds, Feeds.of({ manifests: [], states: Effect.succeed(new Map()) }))),
  Layer.provideMerge(credits(Postgres.layer(Redacted.make(url)))),
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
        process.send?.({ now: process.memoryUsage.rss(), most: process.resourceUsage().maxRSS * 1024 })
      })
      process.send?.({ port: Context.get(built, Http).port, key: api_key })
      return yield* Effect.never
    })
  )
)

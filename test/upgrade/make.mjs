/**
 * Makes a small database with an earlier version of Plumbline, whose own code writes all of it: three closed days, a revision, a
 * late reading, incidents, runs in the log where the version has them, and an account. What it left is dumped as SQL
 * into this folder, because a shallow clone cannot run earlier versions:
 *
 *     git worktree add ../earlier f4d27d5b && (cd ../earlier && npm ci)
 *     createdb earlier            # on a server whose pg_dump is at hand
 *     node test/upgrade/make.mjs ../earlier postgres://localhost/earlier
 *     pg_dump --inserts --rows-per-insert=200 --no-owner --no-privileges earlier | brotli > test/upgrade/2.1.0.sql.br
 */
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [checkout = ".", url = ""] = process.argv.slice(2)

const pathOf = (paths) => paths.map((one) => join(checkout, one)).find((one) => existsSync(one))

/** The module at the first of these paths that this version has. */
const from = (...paths) => {
  const path = pathOf(paths)
  if (path === undefined) throw new Error(`this version has none of ${paths.join(", ")}`)
  return import(pathToFileURL(path).href)
}

/** The same; without members where this version has none of the paths. */
const fromIfThere = (...paths) => (pathOf(paths) === undefined ? Promise.resolve({}) : from(...paths))

const { Clock, Effect, Layer, Redacted } = await from("node_modules/effect/dist/index.js")
const SqlClient = await from("node_modules/effect/dist/sql/SqlClient.js")
const TestClock = await from("node_modules/effect/dist/testing/TestClock.js")
const { layerWebCrypto } = await from("node_modules/effect/dist/crypto/SecureRandom.js")
const { Blobs } = await from("core/readings/ingest/Blobs.ts", "core/data/ingest/Blobs.ts", "core/data/Blobs.ts")
const { Current } = await from(
  "core/readings/read/Current.ts",
  "core/data/read/Current.ts",
  "core/data/Current.ts"
)
const { Incidents } = await from("core/readings/ingest/Incidents.ts", "core/data/ingest/Incidents.ts", "core/data/Incidents.ts")
const { Ingest } = await from("core/readings/ingest/Ingest.ts", "core/data/ingest/Ingest.ts", "core/data/Ingest.ts")
const partitions = await from(
  "core/readings/ingest/partitions.ts",
  "core/data/ingest/partitions.ts",
  "core/data/partitions.ts"
)
const { DailyClose } = await from("core/log/DailyClose.ts")
const { Log, LogKey } = await from("core/log/Log.ts")
const { enter } = await fromIfThere("core/log/signingKeys.ts")
const { RunLog } = await fromIfThere("core/log/RunLog.ts")
const { TrustedClock } = await fromIfThere("core/readings/TrustedClock.ts", "core/data/TrustedClock.ts")
const { trustedClock, trusting } = await fromIfThere(
  "test/support/trustedClock.ts",
  "test/support/trusting.ts"
)
const { Accounts } = await from("core/credits/Accounts.ts")
const { Ledger } = await from("core/credits/Ledger.ts")
const { Secret } = await from("core/credits/Secret.ts")
const { migrate } = await from("runtime/database/migrate.ts")
const Postgres = await from("runtime/database/Postgres.ts")
const Runs = await from("test/support/runs.ts")

/** PKCS #8 (RFC 8410) around a fixed seed. */
const keyOf = (seed) =>
  createPrivateKey({
    key: Buffer.from(`302e020100300506032b657004220420${seed.repeat(32)}`, "hex"),
    format: "der",
    type: "pkcs8"
  })
const publicOf = (key) =>
  new Uint8Array(createPublicKey(key).export({ type: "spki", format: "der" }).subarray(-32))
/** The key of `test/support/logKey.ts`, which signed answers and the log alike up to 21 November. */
const key = keyOf("07")
const publicKey = publicOf(key)
const origin = "log.example.net/log"
const period = {
  publicKey,
  announcedAt: "2026-09-01T00:00:00Z",
  notBefore: "2026-09-01T00:00:00Z",
  notAfter: null
}
const signOf = (message) => sign(null, message, key)
const logKey = Layer.succeed(
  LogKey,
  LogKey.of({
    origin,
    simulated: false,
    // Up to 21 November.
    publicKey: () => publicKey,
    history: () => [period],
    sign: signOf,
    // Since.
    keys: () => [
      { purpose: "answers", ...period },
      { purpose: "log", ...period }
    ],
    signers: Effect.succeed([{ publicKey, sign: signOf }]),
    lacking: Effect.succeed(undefined)
  })
)

const at = (day, hour) => Date.UTC(2026, 8, day, hour)
const time = (day, hour) => new Date(at(day, hour)).toISOString().replace(".000", "")

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [close, incidents, ingest] = [yield* DailyClose, yield* Incidents, yield* Ingest]
  for (const [name, value] of [
    ["mode", "live"],
    ["log_origin", origin]
  ]) {
    yield* sql`insert into fact ${sql.insert({ name, value })}`
  }
  if (enter !== undefined) {
    const since = { announcedAt: at(1, 0), notBefore: at(1, 0), endOfOld: at(1, 0) }
    yield* enter("log", publicKey, since)
    yield* enter("answers", publicOf(keyOf("08")), since)
  }
  for (const day of [5, 6, 7, 8]) {
    yield* TestClock.setTime(at(day, 12))
    yield* ingest.write(
      Runs.delivery(at(day, 12), [
        Runs.row(100 + day, time(day, 10)),
        Runs.row(200 + day, time(day, 11)),
        Runs.row(7 + day, time(day, 11), { symbol: "STORJ" })
      ])
    )
    if (day === 6) {
      // Restates a reading of a closed day after its close, and brings one in late.
      yield* ingest.write(
        Runs.delivery(at(6, 12), [Runs.row(333, time(5, 10)), Runs.row(8, time(5, 12), { symbol: "STORJ" })])
      )
    }
    if (day === 7) {
      yield* incidents.open(
        {
          symbol: "FIL",
          metric: "nodes_online",
          source: "test_feed",
          from: at(7, 0),
          to: at(7, 23)
        },
        "a test of incidents"
      )
    }
    if (RunLog !== undefined) {
      yield* TestClock.setTime(at(day, 14))
      yield* (yield* RunLog).run
    }
    if (day === 8) break
    yield* TestClock.setTime(at(day + 1, 8))
    const closed = yield* close.run
    console.log(closed.map((one) => `${one.day}: ${one.tree_size} leaves`).join("\n"))
  }
  const { api_key } = yield* (yield* Accounts).register({ agent_name: "made earlier" }, "192.0.2.1")
  console.log(`an account, whose key is ${api_key}`)
})

const database = Postgres.layer(Redacted.make(url)).pipe(
  Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
)
/** What not every version has. */
const runLog = RunLog === undefined ? Layer.empty : RunLog.layer
const clock =
  TrustedClock === undefined ? Layer.empty : Layer.succeed(TrustedClock, trustedClock ?? trusting)

const services = Layer.mergeAll(DailyClose.layer, Accounts.layer, runLog).pipe(
  Layer.provideMerge(Log.layer),
  Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer, Ledger.layer)),
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(at(5, 12))))),
  Layer.provideMerge(Runs.feeds),
  Layer.provideMerge(Layer.merge(logKey, clock)),
  Layer.provideMerge(layerWebCrypto),
  Layer.provideMerge(Secret.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(Layer.effectDiscard(migrate)),
  Layer.provideMerge(database)
)
await Effect.runPromise(fill.pipe(Effect.provide(services), Effect.provide(TestClock.layer()), Effect.scoped))

/** One service at a time uses a Postgres, unless all of them say that they share it. */
import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Layer, Redacted, Ref } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { advisoryLock } from "../../core/sql/advisoryLock.ts"
import { Duties } from "../../runtime/cluster/Duties.ts"
import { ServiceLock } from "../../runtime/cluster/ServiceLock.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { makeSecretFile } from "../../runtime/service/secret.ts"
import { captureLog } from "../support/captureLog.ts"
import { cloneUrl } from "../support/database.ts"
import { fleet, serves } from "../support/fleet.ts"
import { until } from "../support/until.ts"

const lock = (url: string, shared = false, patience: Duration.Input = "1 second") =>
  ServiceLock.layer({ url: Redacted.make(url), shared, address: "127.0.0.1:8080", patience })

/** Ends the session that holds the lock, as an operator or a proxy does. */
const terminate = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ended = yield* sql`
      select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and classid = ${advisoryLock("serving").space}
        and database = (select oid from pg_database where datname = current_database())`
    assert.lengthOf(ended, 1)
  }).pipe(Effect.provide(Postgres.layer(Redacted.make(url))))

describe("the lock of a service on its Postgres", () => {
  it.live("refuses a second service, which says who has it and what to do", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      yield* Layer.build(lock(url))
      for (const shared of [false, true]) {
        const { message } = yield* Effect.flip(Layer.build(lock(url, shared)))
        assert.match(
          message,
          new RegExp(
            `^DATABASE_URL: "plumbline ${process.pid} on .+ at 127\\.0\\.0\\.1:8080" \\(connected from 127\\.0\\.0\\.1\\), running since 20.+Z, uses this database.*; stop it, or .*CLUSTER_ADDRESS.*$`
          )
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("is shared by services that all have a CLUSTER_ADDRESS, and refused to one without", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      yield* Layer.build(lock(url, true))
      yield* Layer.build(lock(url, true))
      const { message } = yield* Effect.flip(Layer.build(lock(url)))
      assert.include(message, "set CLUSTER_ADDRESS for every process")
    }).pipe(Effect.scoped)
  )

  it.live("stops the work of a service whose session was ended, until it has the lock again", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      const context = yield* Layer.build(Duties.layerLocked.pipe(Layer.provideMerge(lock(url))))
      const runs = yield* Ref.make({ begun: 0, ended: 0 })
      yield* Effect.gen(function* () {
        const { take } = yield* Duties
        yield* take(
          { role: "jobs", name: "work" },
          Effect.acquireUseRelease(
            Ref.update(runs, (n) => ({ ...n, begun: n.begun + 1 })),
            () => Effect.never,
            () => Ref.update(runs, (n) => ({ ...n, ended: n.ended + 1 }))
          )
        )
      }).pipe(Effect.provide(context))
      const { lostSince } = yield* Effect.provide(ServiceLock, context)
      yield* Effect.repeat(Ref.get(runs), { until: ({ begun }) => begun === 1 })
      yield* terminate(url)
      yield* until(() => lostSince() !== undefined)
      assert.deepStrictEqual(yield* Ref.get(runs), { begun: 1, ended: 1 })
      yield* until(() => lostSince() === undefined)
      yield* Effect.repeat(Ref.get(runs), { until: ({ begun }) => begun === 2 })
    }).pipe(Effect.scoped)
  )

  it.live("ends a service that lost it to another one", () =>
    Effect.gen(function* () {
      const url = yield* cloneUrl
      const context = yield* Layer.build(lock(url))
      const { refused } = yield* Effect.provide(ServiceLock, context)
      const { lines, logger } = captureLog()
      const other = yield* Effect.forkScoped(
        Layer.build(lock(url, false, "1 minute")).pipe(Effect.provide(logger))
      )
      yield* until(() => lines.some((line) => line.startsWith("waiting up to")))
      yield* terminate(url)
      const { message } = yield* Effect.flip(refused)
      assert.include(message, "uses this database")
      assert.isUndefined(other.pollUnsafe()?._tag === "Failure" ? "it failed" : undefined)
    }).pipe(Effect.scoped)
  )
})

describe("processes on one Postgres", () => {
  it.live(
    "a wrong key or secret is refused at once; a second service takes over as soon as the first one ends",
    () =>
      Effect.gen(function* () {
        const { folder, start } = yield* fleet(yield* cloneUrl)
        const first = yield* start("a")
        yield* serves(first)

        const other = join(folder, "other")
        const { privateKey } = generateKeyPairSync("ed25519")
        writeFileSync(`${other}.pem`, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
        yield* makeSecretFile(`${other}.secret`)
        const wrong = {
          SERVER_SECRET_FILE: `${other}.secret`,
          SIGNING_KEY_FILE: `${other}.pem`,
          LOG_KEY_FILE: `${other}.pem`
        }
        yield* Effect.forEach(
          Object.entries(wrong),
          Effect.fnUntraced(function* ([setting, file]) {
            const refused = yield* start(setting, { [setting]: file })
            assert.strictEqual(yield* refused.ended, 1)
            assert.match(refused.output(), new RegExp(`^plumbline: ${setting}: ${file} holds [^\\n]+\\n$`))
          }),
          { concurrency: 2 }
        )

        const second = yield* start("b")
        yield* until(() => second.output().includes("waiting up to 30s"))
        assert.match(
          second.output(),
          new RegExp(`"plumbline ${first.child.pid} on .+ at 127\\.0\\.0\\.1:${first.port}"`)
        )
        first.child.kill("SIGTERM")
        yield* serves(second)
      }).pipe(Effect.scoped),
    120_000
  )
})

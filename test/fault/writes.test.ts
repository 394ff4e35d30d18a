/** A Postgres that answers and stores nothing: its health is told by what was tried, with the name of the error. */
import { randomUUID } from "node:crypto"
import { chownSync, statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import { Availability } from "../../core/process/Availability.ts"
import { heartbeat } from "../../core/readings/heartbeat.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { writable } from "../../runtime/doctor/writable.ts"
import type { Database } from "../support/database.ts"
import { disk, mayMount } from "../support/disk.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const realTime = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())
const asSuperuser = Postgres.layer(Redacted.make(`${inject("postgres")}/postgres`)).pipe(
  Layer.provide(realTime)
)

const settingRows = rowsOf({ data_directory: Schema.String })

/** A new database of a role that may only what it was given, on a disk of its own where one can be mounted. */
const ownDatabase = Effect.fnUntraced(function* (place?: string) {
  const sql = yield* SqlClient.SqlClient
  const name = `writes_${randomUUID().replaceAll("-", "")}`
  yield* sql`create role ${sql(name)} login password 'made-up'`
  if (place !== undefined) {
    const [row] = yield* sql`show data_directory`.pipe(settingRows)
    const { gid, uid } = statSync(row?.data_directory ?? "/")
    chownSync(place, uid, gid)
    yield* sql`create tablespace ${sql(name)} location ${sql.literal(`'${place}'`)}`
  }
  yield* sql`create database ${sql(name)} owner ${sql(name)} tablespace ${sql(place === undefined ? "pg_default" : name)}`
  const url = new URL(`${inject("postgres")}/${name}`)
  url.username = name
  url.password = "made-up"
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      yield* sql`drop database ${sql(name)} with (force)`
      if (place !== undefined) yield* sql`drop tablespace ${sql(name)}`
    }).pipe(Effect.orDie)
  )
  return {
    name,
    database: Postgres.layer(Redacted.make(url.href)).pipe(Layer.provide(realTime), Layer.orDie)
  }
})

/** What is logged of the database. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    const [text] = Array.isArray(message) ? message : [message]
    if (String(text).startsWith("the database ")) lines.push(`${logLevel}: ${text}`)
  })
  return { lines, logger: Logger.layer([logger]) }
}

const register = {
  method: "POST",
  path: "/v1/credits/register",
  headers: { "content-type": "application/json" },
  body: "{}"
}

/** Once sessions that were ended are replaced: it is not about them. */
const connected = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let answered = 0; answered < 10; )
    answered = (yield* Effect.exit(sql`select 1`))._tag === "Success" ? answered + 1 : 0
})

const sqlStates = { disk_full: "53100", read_only: "25006", missing_rights: "42501" } as const

interface Fault {
  /** What `/readyz` says of it. */
  readonly says: RegExp
  readonly metric: keyof typeof sqlStates
  readonly begin: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
  readonly end: Effect.Effect<unknown, unknown, SqlClient.SqlClient>
}

/** The fault is met, told, kept from writers, and over again. `begin` and `end` are the superuser's, in the service's database. */
const meets = (database: Database, superuser: Database, { begin, end, metric, says }: Fault) => {
  const { lines, logger } = logged()
  return Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const beat = yield* heartbeat
    const { written } = yield* Availability
    const ready = (path: string) =>
      Effect.map(ask(path), (reply) => {
        const { reasons = [], warnings } = json(reply) as {
          readonly reasons?: ReadonlyArray<{ readonly code: string; readonly message: string }>
          readonly warnings: ReadonlyArray<{ readonly code: string; readonly message: string }>
        }
        const messages = [...reasons, ...warnings].filter(({ code }) => code === "writes_fail")
        return { status: reply.status, messages: messages.map(({ message }) => message) }
      })
    yield* beat
    assert.deepStrictEqual(yield* ready("/readyz?for=writes"), { status: 200, messages: [] })

    yield* Effect.provide(begin, superuser)
    yield* connected
    yield* TestClock.adjust("5 seconds")
    yield* beat
    // The operator's command tries it by itself; a disk that only says that it is full has room.
    const failed = (yield* Effect.provide(writable, database)).filter(({ state }) => state === "fail")
    if (metric !== "disk_full" || mayMount) {
      assert.lengthOf(failed, 1)
      assert.match(failed[0]?.message ?? "", /^it stores nothing: .*SQLSTATE/)
      assert.include(failed[0]?.message, sqlStates[metric])
      assert.include(failed[0]?.action, "PlumblineWritesFail.md")
    }
    // Reading goes on, and the warning comes with the first write that failed.
    const met = yield* ready("/readyz")
    assert.strictEqual(met.status, 200)
    assert.lengthOf(met.messages, 1)
    assert.match(met.messages[0] ?? "", says)
    assert.include(met.messages[0] ?? "", "last stored something at 2026-09-05T12:00:00Z")
    assert.strictEqual((yield* ready("/readyz?for=writes")).status, 200)
    assert.strictEqual((yield* written).fault?.name, metric)

    yield* TestClock.adjust("10001 millis")
    const refused = yield* ready("/readyz?for=writes")
    assert.strictEqual(refused.status, 503)
    assert.match(refused.messages[0] ?? "", says)
    assert.strictEqual((yield* ready("/readyz")).status, 200)
    const write = yield* ask(register)
    assert.strictEqual(write.status, 503, write.body.toString())
    assert.include(json(write)["message"], "The database cannot store anything at present.")
    assert.deepStrictEqual(lines, ["Error: the database stores nothing; requests that write get 503"])

    yield* Effect.provide(end, superuser)
    yield* connected
    yield* beat
    // A request was refused a moment ago, whatever the heartbeat found since.
    assert.lengthOf((yield* ready("/readyz")).messages, 1)
    yield* TestClock.adjust("61 seconds")
    yield* beat
    assert.deepStrictEqual(yield* ready("/readyz?for=writes"), { status: 200, messages: [] })
    assert.strictEqual((yield* ask(register)).status, 200)
    assert.deepStrictEqual(lines.slice(1), ["Info: the database stores again"])
  }).pipe(
    Effect.provide(SecureRandom.layerWebCrypto),
    Effect.provide(Service.layer({ database })),
    Effect.provide(logger)
  )
}

const superuserOf = (name: string) =>
  Postgres.layer(Redacted.make(`${inject("postgres")}/${name}`)).pipe(Layer.provide(realTime), Layer.orDie)

describe("doctor", () => {
  it.effect("says how old the newest heartbeat of any process is, and warns of an old one", () =>
    Effect.gen(function* () {
      const { database } = yield* ownDatabase()
      yield* Effect.gen(function* () {
        yield* migrate
        const sql = yield* SqlClient.SqlClient
        const findings = Effect.map(writable, (all) => all.map(({ message, state }) => `${state} ${message}`))
        const beat = (process: string, secondsAgo: number) => sql`
          insert into uptime (part, process, up_from, up_until)
          values ('writing', ${process}, now() - interval '1 day', now() - make_interval(secs => ${secondsAgo}))`
        assert.deepStrictEqual(yield* findings, [
          "ok no process of the service has stored a heartbeat in the last hour"
        ])
        yield* beat("a", 1200)
        assert.match((yield* findings).join(), /^warn the newest heartbeat of a process is 120\d s old$/)
        yield* beat("b", 0)
        assert.match((yield* findings).join(), /^ok a process stored its heartbeat \d s ago$/)
      }).pipe(Effect.provide(database))
    }).pipe(Effect.scoped, Effect.provide(asSuperuser))
  )
})

describe("a Postgres that answers and stores nothing", () => {
  it.effect("because its disk is full", () =>
    Effect.gen(function* () {
      // Where no disk can be mounted, the server itself says what it says of a full one.
      const place = mayMount ? yield* disk(80) : undefined
      const { database, name } = yield* ownDatabase(place?.path)
      yield* migrate.pipe(Effect.provide(database))
      const full = Effect.gen(function* () {
        if (place !== undefined) return place.fill()
        const sql = yield* SqlClient.SqlClient
        yield* sql`create function full() returns trigger language plpgsql as
          $$ begin raise exception 'no space' using errcode = 'disk_full'; end $$`
        for (const table of ["uptime", "account"])
          yield* sql`create trigger full before insert on ${sql(table)} execute function full()`
      })
      const cleared = Effect.gen(function* () {
        if (place !== undefined) return place.clear()
        yield* (yield* SqlClient.SqlClient)`drop function full() cascade`
      })
      yield* meets(database, superuserOf(name), {
        says: /the disk of the database is full \(SQLSTATE 53100: /,
        metric: "disk_full",
        begin: full,
        end: cleared
      })
    }).pipe(Effect.scoped, Effect.provide(asSuperuser))
  )

  it.effect("because it became read-only", () =>
    Effect.gen(function* () {
      const { database, name } = yield* ownDatabase()
      yield* migrate.pipe(Effect.provide(database))
      const set = (to: "on" | "off") =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`alter database ${sql(name)} set default_transaction_read_only = ${sql.literal(to)}`
          yield* sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${name}`
        })
      yield* meets(database, superuserOf("postgres"), {
        says: /the database is read-only \(SQLSTATE 25006: /,
        metric: "read_only",
        begin: set("on"),
        end: set("off")
      })
    }).pipe(Effect.scoped, Effect.provide(asSuperuser))
  )

  it.effect("because a right is missing", () =>
    Effect.gen(function* () {
      const { database, name } = yield* ownDatabase()
      yield* migrate.pipe(Effect.provide(database))
      const change = (what: "grant" | "revoke") =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`${sql.literal(what)} insert on account ${sql.literal(what === "grant" ? "to" : "from")} ${sql(name)}`
        })
      yield* meets(database, superuserOf(name), {
        says: /the service's role may not write \(SQLSTATE 42501: it may not insert into the table account/,
        metric: "missing_rights",
        begin: change("revoke"),
        end: change("grant")
      })
    }).pipe(Effect.scoped, Effect.provide(asSuperuser))
  )
})

describe("a process that has not written yet", () => {
  it.effect("is not ready for writes", () =>
    Effect.gen(function* () {
      const { written } = yield* Availability
      assert.deepInclude(yield* written, { age: undefined, fault: undefined, isReason: true })
    }).pipe(Effect.provide(Availability.layer), Effect.provide(Layer.fresh(asSuperuser)))
  )
})

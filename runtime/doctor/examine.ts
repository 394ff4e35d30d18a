/** Looks at everything that a service needs. Changes nothing, and needs no running service. */
import { existsSync } from "node:fs"
import { Clock, Effect, Option, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { longestDifference } from "../../core/clock/DatabaseClock.ts"
import { writeFaultOf } from "../../core/process/errors.ts"
import { program } from "../../core/process/program.ts"
import { longestUnwritten } from "../../core/process/writes.ts"
import { heartbeatAge, roomOnDisk, tableWithoutRights } from "../../core/readings/heartbeat.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { probeOver } from "../admin/probe.ts"
import { checked } from "../database/connecting.ts"
import { restartAction, unreadable } from "../database/formats.ts"
import { keyFilesOf, purposes, readHalves } from "../service/keyFiles.ts"
import { embeddedIn } from "../settings/dataDir.ts"
import { restoring } from "../settings/restoring.ts"
import { Settings } from "../settings/Settings.ts"
import { type Finding, findingFor } from "./Finding.ts"
import { keyRecordFinding } from "./keyRecord.ts"
import { archived, disks, port, privateFiles } from "./machine.ts"
import { mailServer } from "./mail.ts"
import { observerFindings } from "./observers.ts"
import { operatorFindings } from "./operator.ts"
import { reachability } from "./reach.ts"
import { testModeFindings } from "./testMode.ts"

const service = findingFor("service")

const writeRemedy =
  "see runtime/deploy/runbooks/PlumblineWritesFail.md: free disk space, end the read-only state, or give back the rights"

/** What the service says of itself, or whether it could start. */
const running = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  const probe = yield* probeOver(settings)
  if (probe === undefined) return [yield* port(settings)]
  return [
    service("ok", `answers on ${settings.host}:${settings.port}`),
    ...probe.reasons.map(({ code, message }) => service("fail", `${code}: ${message}`, "see the log")),
    ...probe.warnings.map(({ code, message }) =>
      code === "writes_fail"
        ? service("fail", `${code}: ${message}`, writeRemedy)
        : service("warn", `${code}: ${message}`, `${program} status`)
    )
  ]
})

const database = findingFor("database")
const serverRows = rowsOf({
  version: Schema.String,
  used: Schema.Int,
  most: Schema.Int,
  now: Schema.Date,
  tables: Schema.Boolean,
  keys: Schema.Boolean
})
const kidRows = rowsOf({ kid: Schema.String, purpose: Schema.String })

const stateRows = rowsOf({ read_only: Schema.Boolean })

/** Whether the database would store something, tried as far as that changes nothing, and when a process last did. */
const writable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const findings: Array<Finding> = []
  const fail = (message: string) => database("fail", `it stores nothing: ${message}`, writeRemedy)
  const [state] = yield* sql`select current_setting('transaction_read_only') = 'on' as read_only`.pipe(
    stateRows
  )
  if (state?.read_only !== false) findings.push(fail("the database is read-only (SQLSTATE 25006)"))
  const room = yield* Effect.result(sql.withTransaction(roomOnDisk(sql)))
  if (Result.isFailure(room)) findings.push(fail(writeFaultOf(room.failure).message))
  const table = yield* tableWithoutRights(sql)
  if (table !== undefined)
    findings.push(fail(`the role may not insert into the table ${table} (SQLSTATE 42501)`))
  const age = yield* heartbeatAge(sql)
  return [
    ...findings,
    age === null
      ? database("ok", "no process of the service has stored a heartbeat in the last hour")
      : age * 1000 > longestUnwritten
        ? database(
            "warn",
            `the newest heartbeat of a process is ${Math.round(age)} s old`,
            `${program} status`
          )
        : database("ok", `a process stored its heartbeat ${Math.max(0, Math.round(age))} s ago`)
  ]
})

const postgres = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  const sql = yield* SqlClient.SqlClient
  const began = yield* Clock.currentTimeMillis
  const [row] = yield* sql`
    select current_setting('server_version') as version, clock_timestamp() as now,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      current_setting('max_connections')::int as most,
      to_regclass('fact') is not null as tables, to_regclass('signing_key') is not null as keys`.pipe(
    serverRows
  )
  const took = (yield* Clock.currentTimeMillis) - began
  if (row === undefined) return []
  const { keys, most, now, tables, used, version } = row
  const off = Math.abs(now.getTime() - began)
  const findings: Array<Finding> = [
    database("ok", `Postgres ${version}, answers in ${took} ms`),
    used > 0.8 * most
      ? database("warn", `${used} of ${most} connections are in use`, "raise max_connections")
      : database("ok", `${used} of ${most} connections in use`),
    off > longestDifference + took
      ? findingFor("clock")(
          "fail",
          `the clocks of this machine and of Postgres differ by ${off} ms, and a service on it is not ready`,
          "run a time service on both"
        )
      : findingFor("clock")("ok", "agrees with the clock of Postgres")
  ]
  if (!tables)
    return [...findings, database("warn", "the database is empty", `${program} key new, then serve`)]
  const why = yield* unreadable
  if (why !== undefined) return [...findings, database("fail", why.message, why.action)]
  if (!keys) {
    return [
      ...findings,
      database(
        "warn",
        "the database holds data of an earlier version, which the next start migrates",
        `make a backup, then give it the key that signed so far: ${program} key adopt --purpose answers; then ${program} key new, which makes the log's`
      )
    ]
  }
  findings.push(...(yield* writable))
  const activeKeys = yield* sql`
    select kid, purpose from signing_key where not_after is null or not_after > now()`.pipe(kidRows)
  for (const purpose of purposes) {
    const halves = yield* Effect.result(readHalves(keyFilesOf(settings)[purpose]))
    if (Result.isFailure(halves)) continue
    const fits = activeKeys.some(
      (key) => key.purpose === purpose && halves.success.some(({ kid }) => kid === key.kid)
    )
    if (!fits)
      findings.push(
        findingFor("keys")(
          "fail",
          `the database does not know the key for ${purpose}`,
          `name the right file. ${restoring}`
        )
      )
  }
  return findings
})

const ofDatabase = (settings: Settings["Service"]) =>
  Option.match(settings.databaseUrl, {
    onNone: () =>
      Effect.succeed([
        existsSync(embeddedIn(settings.dataDir))
          ? database("ok", `embedded, in ${settings.dataDir}`)
          : database("ok", `embedded; the first start makes it in ${settings.dataDir}`)
      ]),
    onSome: (url) =>
      postgres(settings).pipe(
        Effect.provide(checked(url)),
        Effect.catch(({ message }) =>
          Effect.succeed([database("fail", message, "start Postgres, or correct DATABASE_URL")])
        )
      )
  })

/** Whether readers can reach the operator, and have the key of the log from elsewhere than the service; a key that cannot be read is said elsewhere. */
const published = Effect.fnUntraced(function* (settings: Settings["Service"]) {
  const halves = yield* Effect.result(readHalves(keyFilesOf(settings).log))
  // The first is the key in use; the others are those of a rotation.
  const kid = Result.isSuccess(halves) ? halves.success[0]?.kid : undefined
  return [
    ...(yield* keyRecordFinding(new URL(settings.base).hostname, kid)),
    ...(yield* operatorFindings(settings.operator, kid))
  ]
})

const node = (): Finding => {
  const { node } = process.versions
  return Number(node.split(".")[0]) >= 24
    ? findingFor("settings")("ok", `Node ${node}`)
    : findingFor("settings")("warn", `Node ${node} is older than what is tested`, "use Node 24 or newer")
}

export const examine: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const read = yield* Effect.result(Effect.provide(Settings, Settings.layer))
  if (Result.isFailure(read)) {
    return [
      node(),
      findingFor("settings")("fail", read.failure.message, `${program} serve --help lists the settings`)
    ]
  }
  const settings = read.success
  const money =
    Option.isNone(settings.databaseUrl) &&
    (Option.isSome(settings.stripeSecretKey) || Option.isSome(settings.x402PayTo))
  const stored = yield* ofDatabase(settings)
  const restarts = stored.some(({ action }) => action === restartAction)
  const all = yield* Effect.all(
    [
      running(settings),
      privateFiles(settings, restarts),
      disks(settings),
      archived(settings),
      reachability(settings),
      observerFindings(settings),
      mailServer(settings),
      published(settings),
      testModeFindings(settings)
    ],
    { concurrency: "unbounded" }
  )
  return [
    node(),
    findingFor("settings")("ok", `valid; the service is ${settings.base}`),
    ...(money
      ? [
          findingFor("settings")(
            "warn",
            "payments are configured, and the embedded database does not survive a power failure",
            "set DATABASE_URL"
          )
        ]
      : []),
    ...stored,
    ...all.flat()
  ]
})

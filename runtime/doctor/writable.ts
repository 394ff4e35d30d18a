/** Whether the database would store something, and since when none of the processes did: what `plumbline doctor` finds. */
import { Effect, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { writeFaultOf } from "../../core/process/errors.ts"
import { program } from "../../core/process/program.ts"
import { longestUnwritten } from "../../core/process/writes.ts"
import { heartbeatAge, roomOnDisk, tableWithoutRights } from "../../core/readings/heartbeat.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { type Finding, findingFor } from "./Finding.ts"

/** What to do where nothing is stored. */
export const writeRemedy =
  "see runtime/deploy/runbooks/PlumblineWritesFail.md: free disk space, end the read-only state, or give back the rights"

const database = findingFor("database")

const stateRows = rowsOf({ read_only: Schema.Boolean })

/** Whether the database would store something, tried as far as that changes nothing, and when a process last did. */
export const writable = Effect.gen(function* () {
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

import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { hasTable } from "../sql/hasTable.ts"
import { earlierHours } from "./earlierHours.ts"

/**
 * The hashes behind `after` of the bodies that the log names: leaves of runs, of this log and of earlier ones, files of runs,
 * comparisons with other operators, and plugins' sources. A select of one column, `sha256`; of a database of an earlier version, what it has of them.
 */
export const bodiesOfLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hasRuns = yield* hasTable("runs_hour")
  const hasAgreement = yield* hasTable("agreement_day")
  const hasRunFiles = yield* hasTable("run_file")
  const select = (after: string): Statement.Fragment => sql`
    select f->>'sha256' as sha256 from code, jsonb_array_elements(files) f where f->>'sha256' > ${after}
    ${hasRuns ? sql`union select leaves from runs_hour where leaves > ${after}` : sql``}
    ${hasRuns ? sql`union select leaves from (${earlierHours(sql)}) e where leaves > ${after}` : sql``}
    ${hasRunFiles ? sql`union select sha256 from run_file where sha256 > ${after}` : sql``}
    ${hasAgreement ? sql`union select leaves from agreement_day where leaves > ${after}` : sql``}`
  return { hasRuns, select }
})

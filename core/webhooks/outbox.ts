/**
 * How a message waits to be sent, of webhooks and of alerts alike: in a row that says when it is due, who has claimed it and what came of
 * the last attempt. A claim that ran out may be taken by another process, and then what the first one found no longer counts.
 */
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { nextAttempt } from "./schedule.ts"

/** Of a row of an outbox under this alias: whether it is due and claimed by nobody. */
export const isDue = (sql: SqlClient.SqlClient, alias: string, at: Date): Statement.Fragment => {
  const column = (name: string) => sql.literal(`${alias}.${name}`)
  return sql`${column("state")} = 'pending' and ${column("due_at")} <= ${at}
    and (${column("claimed_until")} is null or ${column("claimed_until")} <= ${at})`
}

/** A claimed message; its attempts count the one that is under way. */
export interface Claim {
  readonly id: string
  readonly attempts: number
  readonly give_up_at: Date
  readonly claimed_until: Date
}

/** What came of an attempt: without an error it arrived. */
interface Attempted {
  readonly error?: string | undefined
  readonly status?: number | undefined
}

/**
 * What an update of the row sets of an attempt that ended at `at`, and which row that is: none if the claim was taken by another. `share`
 * from 0 to 1 spreads the next attempt.
 */
export const concluded = (
  sql: SqlClient.SqlClient,
  { attempts, claimed_until, give_up_at, id }: Claim,
  at: number,
  { error, status }: Attempted,
  share: number
) => {
  const next =
    error === undefined ? undefined : nextAttempt(at, { attempts, giveUpAt: give_up_at.getTime(), share })
  const state = error === undefined ? "delivered" : next === undefined ? "failed" : "pending"
  return {
    columns: sql`state = ${state}, due_at = ${new Date(next ?? at)}, claimed_until = null,
      attempted_at = ${new Date(at)}, status = ${status ?? null}, error = ${error ?? null}`,
    row: sql`id = ${id} and claimed_until = ${claimed_until}`
  }
}

/** `/readyz`: whether a process can answer, and what its operator should look at. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

export const Reason = Schema.Struct({
  code: Schema.Literals([
    "clock_differs",
    "database_away",
    "follower_behind",
    "key_missing",
    "log_halted",
    "stopping",
    "writes_fail"
  ]).annotate({
    description:
      "`clock_differs`: the clock of this process is not its database's; `database_away`: the database does not respond; `follower_behind`: this process lags behind the others; `key_missing`: it lacks a key in use; `log_halted`: with `for=writes`, the log signs nothing; `stopping`: it was told to stop; `writes_fail`: with `for=writes`, the database has stored nothing of this process for 15 seconds"
  }),
  message: Schema.String.annotate({ description: "Explanation in plain English" })
}).annotate({ identifier: "NotReadyReason", description: "Why this process cannot answer" })
export interface Reason extends Schema.Schema.Type<typeof Reason> {}

export const Warning = Schema.Struct({
  code: Schema.Literals([
    "feeds_failing",
    "readings_old",
    "close_missed",
    "database_away",
    "lock_lost",
    "role_missing",
    "log_halted",
    "key_missing",
    "witnesses_behind",
    "head_not_cosigned",
    "clock_doubtful",
    "archive_damaged",
    "rows_differ",
    "warranty_stopped",
    "writes_fail",
    "settlement_unavailable",
    "notary_silent"
  ]).annotate({
    description:
      "`feeds_failing`: feeds deliver nothing; `readings_old`: no upstream was read recently; `close_missed`: a day was not closed on time; `database_away`: the shared database does not respond, and answers come from memory; `lock_lost`: this process collects nothing, because it lost its lock on the database; `role_missing`: no running process does some of the shared work; `log_halted`: the log signs nothing; `key_missing`: a key that signs soon is missing; `witnesses_behind`: some witnesses do not cosign the log; `head_not_cosigned`: answers name an older head of the log, because witnesses have not cosigned the newest, and the service requires it; `clock_doubtful`: the system clock contradicts others, so nothing irreversible is done; `archive_damaged`: files of the archive are missing or damaged, and not sent; `rows_differ`: stored rows differ from what was sealed or read, and are not served; `warranty_stopped`: payments of the warranty wait for the operator; `writes_fail`: the database responds but stores nothing, with the reason that it gives; `settlement_unavailable`: the gas of settlements runs out, and nothing is sold per request; `notary_silent`: a notary states no more"
  }),
  message: Schema.String.annotate({ description: "Explanation in plain English" })
}).annotate({
  identifier: "ReadyWarning",
  description: "A problem for the operator to look at; the service still answers"
})
export interface Warning extends Schema.Schema.Type<typeof Warning> {}

export const Readiness = Schema.Struct({
  generated_utc: described.generated_utc,
  reasons: Schema.Array(Reason),
  warnings: Schema.Array(Warning)
})
export interface Readiness extends Schema.Schema.Type<typeof Readiness> {}

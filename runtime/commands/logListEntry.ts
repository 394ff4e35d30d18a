import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as SqlClient from "effect/sql/SqlClient"
import { LogKey } from "../../core/log/Log.ts"
import { vkey } from "../../core/proof/checkpoint.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { operate } from "../admin/run.ts"
import { UsageError } from "../cli/usage.ts"
import { logListText } from "../witness/logList.ts"

const busiestRows = rowsOf({ heads: Schema.Int })

/** The most heads of one UTC day of the last 30, and at least 24. */
const headsPerDay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [busiest] = yield* sql`
    select count(*)::int as heads from checkpoint
    where signed_at > (select max(signed_at) from checkpoint) - interval '30 days'
    group by (signed_at at time zone 'UTC')::date order by 1 desc limit 1`.pipe(busiestRows)
  return Math.max(24, busiest?.heads ?? 0)
})

/** `plumbline log list-entry`. */
export const listEntry = Command.make(
  "list-entry",
  {
    contact: Flag.String("contact").pipe(
      Flag.withDescription("How operators of witnesses reach you: an address or a URL, on one line")
    )
  },
  ({ contact }) =>
    operate(
      Effect.gen(function* () {
        const { origin, signers } = yield* LogKey
        const [newest] = yield* signers
        if (newest === undefined || /[\n\r]/.test(contact))
          return yield* new UsageError({ message: "--contact must be on one line, and the log needs a key" })
        const key = vkey(origin, newest.publicKey)
        yield* Console.log(logListText({ key, contact, perDay: yield* headsPerDay }).trimEnd())
      })
    )
).pipe(
  Command.withDescription(
    "Print the entry of this log for a list of logs (logs/v0), to ask operators of public witnesses to cosign it. qpd is the most heads that a day of the last month had, and at least 24"
  ),
  Command.withShortDescription("Print this log's entry for lists of public witnesses")
)

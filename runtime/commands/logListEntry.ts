import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { LogKey } from "../../core/log/Log.ts"
import { mostHeadsPerDay } from "../../core/log/storedHeads.ts"
import { vkey } from "../../core/proof/checkpoint.ts"
import { operate } from "../admin/run.ts"
import { UsageError } from "../cli/usage.ts"
import { logListText } from "../witness/logList.ts"

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
        yield* Console.log(
          logListText({ key, contact, perDay: Math.max(24, yield* mostHeadsPerDay) }).trimEnd()
        )
      })
    )
).pipe(
  Command.withDescription(
    "Print the entry of this log for a list of logs (logs/v0), to ask operators of public witnesses to cosign it. qpd is the most heads that a day of the last month had, and at least 24"
  ),
  Command.withShortDescription("Print this log's entry for lists of public witnesses")
)

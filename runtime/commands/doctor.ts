import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { asJson } from "../cli/arguments.ts"
import { NotPassed } from "../cli/usage.ts"
import type { Finding } from "../doctor/Finding.ts"
import { makeScrub } from "../logging/scrub.ts"
import { secretsIn } from "../logging/secrets.ts"

const line = ({ action, check, message, state }: Finding): string =>
  `${state.padEnd(4)}  ${check.padEnd(8)}  ${message}${action === undefined ? "" : `\n${" ".repeat(16)}do: ${action}`}`

/** `plumbline doctor`: what a service needs, and what to do about what is missing. */
export const doctor = Command.make(
  "doctor",
  { json: asJson },
  Effect.fnUntraced(function* ({ json }) {
    const { examine } = yield* Effect.promise(() => import("../doctor/examine.ts"))
    const findings = yield* examine
    const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length
    const failed = count("fail")
    const text = json
      ? JSON.stringify({ ok: failed === 0, findings })
      : [
          ...findings.map(line),
          "",
          failed === 0
            ? `nothing fails, ${count("warn")} warnings`
            : `${failed} fail, ${count("warn")} warnings`
        ].join("\n")
    yield* Console.log(makeScrub(secretsIn(process.env))(text))
    if (failed > 0) return yield* new NotPassed({ code: 1 })
  })
).pipe(
  Command.withDescription(
    "Check settings, database, keys, clock, disk, and whether the parties outside answer, with what to do. Changes nothing, and works whether or not the service runs. Exits with 0 if nothing fails, else 1"
  ),
  Command.withShortDescription("Check everything that the service needs, and say what to do")
)

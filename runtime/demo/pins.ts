/** The keys of the demo on its own terminal: the verifier needs a key that did not come with the answer. */
import { Console, Effect } from "effect"
import { LogKey } from "../../core/log/Log.ts"
import { program } from "../../core/process/program.ts"
import { type PublishedKey, thumbprint } from "../../core/proof/keys.ts"
import { Settings } from "../settings/Settings.ts"

/** What to verify at this address, pinned to the keys that sign now. Of two keys of a purpose, one is being retired. */
export const pinsOf = (base: string, keys: ReadonlyArray<PublishedKey>): string => {
  const kid = (purpose: PublishedKey["purpose"]) =>
    keys
      .filter((key) => key.purpose === purpose && key.notAfter === null)
      .map(({ publicKey }) => thumbprint(publicKey))
      .join()
  return [
    "",
    "  Two keys sign this demo. Verify an answer, and the value of a day once it is closed:",
    `  answers: ${kid("answers")}`,
    `  log:     ${kid("log")}`,
    `  ${program} verify response '${base}/v1/supply?network=FIL' --key=${kid("answers")}`,
    `  ${program} verify value --symbol FIL --metric active_storage_providers --date 20260903 --url ${base} --key=${kid("log")}`,
    ""
  ].join("\n")
}

/** Writes them. To be called again when a key is rotated. */
export const print = Effect.gen(function* () {
  const { base } = yield* Settings
  const { keys } = yield* LogKey
  yield* Console.log(pinsOf(base, keys()))
})

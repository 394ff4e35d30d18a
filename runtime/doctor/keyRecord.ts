/** Whether the key of the log is published in the name service, where a reader finds it without asking this service. */
import { Resolver } from "node:dns/promises"
import { Effect } from "effect"
import { keyRecord, keyRecordName, mayHaveRecord } from "../../core/proof/keyRecord.ts"
import { type Finding, findingFor } from "./Finding.ts"

const keys = findingFor("keys")

/** The texts of a TXT record; none where the name has none; why, where nobody answered. */
export type LookUp = (name: string) => Effect.Effect<ReadonlyArray<string>, string>

const patience = 5000

/** Asks the name servers of this machine. */
export const lookUpText: LookUp = (name) =>
  Effect.tryPromise({
    try: () => new Resolver({ timeout: patience, tries: 1 }).resolveTxt(name),
    catch: (error) => (error instanceof Error && "code" in error ? String(error.code) : "no answer")
  }).pipe(
    Effect.map((records) => records.map((parts) => parts.join(""))),
    Effect.catch((code) =>
      code === "ENOTFOUND" || code === "ENODATA" ? Effect.succeed([]) : Effect.fail(code)
    )
  )

/** `kid` signs the log; nothing is said where there is no key yet or where the host is not public. */
export const keyRecordFinding = Effect.fn("Doctor.keyRecordFinding")(function* (
  host: string,
  kid: string | undefined,
  lookUp: LookUp = lookUpText
) {
  if (kid === undefined || !mayHaveRecord(host)) return [] as ReadonlyArray<Finding>
  const name = keyRecordName(host)
  const advice = `add the TXT record ${name} with the text "${keyRecord(kid)}", beside those that are there, and name the key on your website`
  return yield* lookUp(name).pipe(
    Effect.match({
      onFailure: (why) => [keys("skip", `the TXT record ${name} could not be looked up (${why})`)],
      onSuccess: (texts) => {
        if (texts.includes(keyRecord(kid)))
          return [keys("ok", `the TXT record ${name} names the key of the log`)]
        const other = texts.some((text) => text.startsWith(keyRecord("")))
        return [
          other
            ? keys(
                "warn",
                `the TXT record ${name} names another key than the one that signs the log, ${kid}`,
                advice
              )
            : keys(
                "warn",
                `no TXT record ${name} names the key of the log, so a reader has it from this service alone`,
                advice
              )
        ]
      }
    })
  )
})

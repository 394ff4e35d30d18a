/** Whether a reader can reach the operator, and find the key of the log on a page of his. */
import { Effect } from "effect"
import type { OperatorDetails } from "../../http/Operator.ts"
import { type Finding, findingFor } from "./Finding.ts"

const settings = findingFor("settings")
const keys = findingFor("keys")

/** The text of a page; why there is none. */
export type ReadPage = (url: string) => Effect.Effect<string, string>

const largest = 2_000_000

/** Asks the page like a browser. */
export const readPage: ReadPage = (url) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]) })
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      return (await response.text()).slice(0, largest)
    },
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })

const named: ReadonlyArray<readonly [keyof OperatorDetails, setting: string]> = [
  ["name", "OPERATOR_NAME"],
  ["email", "CONTACT_EMAIL"],
  ["security", "SECURITY_CONTACT"]
]

/** What readers miss; `kid` signs the log, and is undefined where there is no key yet. */
export const operatorFindings = Effect.fn("Doctor.operatorFindings")(function* (
  operator: OperatorDetails,
  kid: string | undefined,
  read: ReadPage = readPage
) {
  const unset = named.flatMap(([member, setting]) => (operator[member] === undefined ? [setting] : []))
  const findings: Array<Finding> = [
    unset.length === 0
      ? settings("ok", `readers can reach ${operator.name}`)
      : settings(
          "warn",
          `readers cannot reach anybody, and pages say so: ${unset.join(", ")} ${unset.length === 1 ? "is" : "are"} not set`,
          `set ${unset.join(", ")}`
        )
  ]
  const { keyUrl } = operator
  if (keyUrl === undefined || kid === undefined) return findings
  findings.push(
    yield* Effect.match(read(keyUrl), {
      onFailure: (why) => keys("skip", `the page ${keyUrl} (KEY_URL) could not be read: ${why}`),
      onSuccess: (text) =>
        text.includes(kid)
          ? keys("ok", `the page ${keyUrl} names the key of the log`)
          : keys(
              "warn",
              `the page ${keyUrl} (KEY_URL) does not name the key that signs the log, ${kid}`,
              "write it there, or correct KEY_URL"
            )
    })
  )
  return findings
})

/** What a verification says: one line for each thing it looked at, or could not look at, and why. */
import { Malformed } from "./bytes.ts"
import { isPinned, notInUse, type ServiceKey } from "./keys.ts"

export interface Check {
  readonly name: string
  readonly ok: boolean | "not checked"
  /** What held, what did not, or why it was not looked at. */
  readonly detail: string
}

/** The check that `work` makes: its words when it holds; the reason when it throws `Malformed`. */
export const check = (name: string, work: () => string): Check => {
  try {
    return { name, ok: true, detail: work() }
  } catch (error) {
    if (error instanceof Malformed) return { name, ok: false, detail: error.message }
    throw error
  }
}

export const notChecked = (name: string, detail: string): Check => ({ name, ok: "not checked", detail })

/** What `work` reads, with the check that says so; undefined when it could not be read. */
export const reading = <A>(
  name: string,
  work: () => A,
  says: (read: A) => string
): { readonly value: A | undefined; readonly check: Check } => {
  try {
    const value = work()
    return { value, check: { name, ok: true, detail: says(value) } }
  } catch (error) {
    if (error instanceof Malformed)
      return { value: undefined, check: { name, ok: false, detail: error.message } }
    throw error
  }
}

/** Throws `Malformed` with `message` unless `held`. */
export function demand(held: boolean, message: string): asserts held {
  if (!held) throw new Malformed(message)
}

/** True when nothing failed; what was not checked is told apart by its own lines. */
export const allHold = (checks: ReadonlyArray<Check>): boolean => checks.every(({ ok }) => ok !== false)

/** What the operator published of its keys (kid, hex or verifier string); empty when the caller has nothing. */
export type Pins = ReadonlyArray<string>

/** The checks of the key that made a statement at `time`: was it in use, and is it the operator's. */
export const keyChecks = (key: ServiceKey, time: string, pins: Pins): ReadonlyArray<Check> => [
  check("key in use", () => {
    const lack = notInUse(key, time)
    demand(lack === undefined, lack ?? "")
    return `key ${key.kid} was in use at ${time}`
  }),
  pins.length === 0
    ? notChecked(
        "operator's key",
        `key ${key.kid} is named by the same source as the data: compare it with one that the operator published elsewhere (--key)`
      )
    : check("operator's key", () => {
        demand(
          pins.some((pin) => isPinned(key, pin)),
          `signed with key ${key.kid}, which is not among the keys given`
        )
        return `signed with the key given: ${key.kid}`
      })
]

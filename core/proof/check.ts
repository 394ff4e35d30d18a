/** The result of a verification: one line per check, with the reason if it failed or was not made. */
import { Malformed } from "./bytes.ts"
import { isPinned, notInUse, type ServiceKey } from "./keys.ts"

export interface Check {
  readonly name: string
  readonly ok: boolean | "not checked"
  /** What held, what failed, or why it was not checked. */
  readonly detail: string
}

/** Turns `work` into a check: passes with the text it returns, fails if it throws `Malformed`. */
export const check = (name: string, work: () => string): Check => {
  try {
    return { name, ok: true, detail: work() }
  } catch (error) {
    if (error instanceof Malformed) return { name, ok: false, detail: error.message }
    throw error
  }
}

export const notChecked = (name: string, detail: string): Check => ({ name, ok: "not checked", detail })

/** Like `check`, but also returns what `work` read; undefined if it failed. */
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

/** Throws `Malformed` with `message` unless `held` is true. */
export function demand(held: boolean, message: string): asserts held {
  if (!held) throw new Malformed(message)
}

/** True if no check failed; checks that were not made do not count as failures. */
export const allHold = (checks: ReadonlyArray<Check>): boolean => checks.every(({ ok }) => ok !== false)

/** Keys the operator published elsewhere (kid, hex or verifier string); empty if the caller has none. */
export type Pins = ReadonlyArray<string>

/** Checks that the signing key was in use at `time` and belongs to the operator. */
export const keyChecks = (
  key: ServiceKey,
  time: string,
  pins: Pins,
  origin: string
): ReadonlyArray<Check> => [
  check("key in use", () => {
    const lack = notInUse(key, time)
    demand(lack === undefined, lack ?? "")
    return `key ${key.kid} was in use at ${time}`
  }),
  ownerCheck(key, pins, origin)
]

/** Checks that the signing key of the log at `origin` belongs to the operator. */
export const ownerCheck = (key: ServiceKey, pins: Pins, origin: string): Check =>
  pins.length === 0
    ? notChecked(
        "operator's key",
        `key ${key.kid} comes from the same source as the data; compare it with a key the operator published elsewhere (--key)`
      )
    : check("operator's key", () => {
        demand(
          pins.some((pin) => isPinned(key, pin, origin)),
          `signed with key ${key.kid}, which is not one of the given keys`
        )
        return `signed with the given key ${key.kid}`
      })

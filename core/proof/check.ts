/** The result of a verification: one line per check, with the reason if it failed or was not made. */
import { CouldNotLook, Malformed, Newer } from "./bytes.ts"
import type { Reason } from "./reason.ts"

interface Named<Name extends string> {
  readonly name: Name
  /** What held, what failed, or why it was not proved or not checked. */
  readonly detail: string
}

/** `Name` is known of the checks that are made of evidence, so that each is shown in some step (`kinds.ts`). */
export type Check<Name extends string = string> =
  | (Named<Name> & { readonly ok: true })
  | (Named<Name> & {
      /**
       * `not proved`: it neither holds nor fails, and nothing that depends on it is proved. `not checked`: it was not asked for,
       * or does not matter to what was.
       */
      readonly ok: false | "not proved" | "not checked"
      /** Why it does not hold, for programs. */
      readonly reason: Reason
    })

/** The checks of a part of what is verified: `log: checkpoint signature`. */
export const ofPart = (part: string, checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  checks.map((one) => ({ ...one, name: `${part}: ${one.name}` }))

/** What a check looks at, whatever part it is of. */
export const subjectOf = ({ name }: Check): string => name.slice(name.lastIndexOf(": ") + 1).trimStart()

/** What a check says that threw: that it fails, unless a newer release made its input, or it could not be looked at. */
export const refused = <const Name extends string>(name: Name, error: Malformed): Check<Name> => ({
  name,
  ok: error instanceof Newer || error instanceof CouldNotLook ? "not proved" : false,
  detail: error.message,
  reason: error.reason
})

/** Turns `work` into a check: passes with the text it returns, is `refused` if it throws `Malformed`. */
export const check = <const Name extends string>(name: Name, work: () => string): Check<Name> => {
  try {
    return { name, ok: true, detail: work() }
  } catch (error) {
    if (error instanceof Malformed) return refused(name, error)
    throw error
  }
}

/** A check that found a fault which no exception carries. */
export const failed = <const Name extends string>(
  name: Name,
  detail: string,
  reason: Reason
): Check<Name> => ({
  name,
  ok: false,
  detail,
  reason
})

export const notProved = <const Name extends string>(
  name: Name,
  detail: string,
  reason: Reason = "missing"
): Check<Name> => ({ name, ok: "not proved", detail, reason })

export const notChecked = <const Name extends string>(
  name: Name,
  detail: string,
  reason: Reason = "unasked"
): Check<Name> => ({ name, ok: "not checked", detail, reason })

/** Like `check`, but also returns what `work` read; undefined if it failed. */
export const reading = <A, const Name extends string>(
  name: Name,
  work: () => A,
  says: (read: A) => string
): { readonly value: A | undefined; readonly check: Check<Name> } => {
  try {
    const value = work()
    return { value, check: { name, ok: true, detail: says(value) } }
  } catch (error) {
    if (error instanceof Malformed) return { value: undefined, check: refused(name, error) }
    throw error
  }
}

/** Throws `Malformed` with `message` and `reason` unless `condition` is true. */
export function demand(condition: boolean, message: string, reason?: Reason): asserts condition {
  if (!condition) throw new Malformed(message, reason)
}

/** True if no check failed; a check that was not made, or proved nothing, is no failure. */
export const allHold = (checks: ReadonlyArray<Check>): boolean => checks.every(({ ok }) => ok !== false)

/** True if no check failed and none left open what was asked for. */
export const allProved = (checks: ReadonlyArray<Check>): boolean =>
  checks.every(({ ok }) => ok === true || ok === "not checked")

/** Keys the operator published elsewhere (kid, hex or verifier string); empty if the caller has none. */
export type Pins = ReadonlyArray<string>

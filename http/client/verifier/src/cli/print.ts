/** Results in words. */
import type { Check } from "../../../../../core/proof/check.ts"

/** The mark in front of a check. */
export const mark = (ok: Check["ok"]): string =>
  ok === true
    ? "ok         "
    : ok === false
      ? "FAILED     "
      : ok === "not proved"
        ? "not proved "
        : "not checked"

/** Before an answer to one of the three questions. */
export const signs = { yes: "✔", no: "✘", open: "?" } as const

/** By exit code. */
export const verdicts = { 0: "holds", 1: "does not hold", 2: "not proved" } as const

/** Without control characters: text from a service or file must not control the terminal. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd")

/** What was looked at, and what was not, each with what would check it. */
export const inSum = (checks: ReadonlyArray<Check>) => ({
  checked: checks.flatMap(({ name, ok }) => (typeof ok === "boolean" ? [name] : [])),
  not_checked: checks.flatMap(({ detail, name, ok }) => (ok === "not checked" ? [{ name, detail }] : []))
})

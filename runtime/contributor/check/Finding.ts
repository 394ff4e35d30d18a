/** A finding of `plugin check`: what is wrong, and what to do about it. */
export interface Finding {
  /**
   * `wrong` fails the check. `todo` marks leftovers of the scaffold; `--strict` fails on them. `note` never fails.
   */
  readonly level: "wrong" | "todo" | "note"
  /** What the rule is about: `manifest`, `source`, `README`, `fixtures/<case>`, `broken payloads`. */
  readonly where: string
  readonly says: string
  readonly next: string
}

export const wrong = (where: string, says: string, next: string): Finding => ({
  level: "wrong",
  where,
  says,
  next
})

export const todo = (where: string, says: string, next: string): Finding => ({
  level: "todo",
  where,
  says,
  next
})

export const note = (where: string, says: string, next: string): Finding => ({
  level: "note",
  where,
  says,
  next
})

/** The mark that a scaffold puts where its example must be replaced. */
export const scaffoldMark = "scaffold example"

/** How the note of a derived case begins; a case without it was written by hand, or recorded. */
export const derivedMark = "Derived from the case ok"

/** Whether the case of this note can be derived again without a loss: it was derived before, or is the scaffold's example. */
export const isDerived = (note: string): boolean =>
  note.startsWith(derivedMark) || note.includes(scaffoldMark)

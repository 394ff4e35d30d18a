/** What `plugin check` found: one sentence each, with what to do about it. */
export interface Finding {
  /**
   * `wrong` fails the check. `todo` is what a scaffold still holds of its example; `--strict` fails on it. `note` is
   * worth knowing and fails nothing.
   */
  readonly level: "wrong" | "todo" | "note"
  /** The rule's place: `manifest`, `source`, `README`, `fixtures/<case>`, `broken payloads`, `plugins/README.md`. */
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

/** The mark that a scaffold leaves in what has to be replaced. */
export const scaffoldMark = "scaffold example"

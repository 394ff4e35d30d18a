/** Notes among the refused readings of a run, which refuse nothing: something was not checked of readings that stand. */

/** How the reason of a relation begins that was not applied, although its other figures are given. */
export const unapplied = "relation not applied: "

/** How the reason begins why readings are a node's word, and not proved by its chain. */
export const unproved = "unproved: "

/** How it begins where a chain's own proof contradicts the node that gave it: then the reading is refused. */
export const contradicted = "contradicted by its chain: "

/** How the reasons of all notes begin. */
export const notes = [unapplied, unproved] as const

/** Whether a reason is one of a refusal, and not a note. */
export const isRefusal = ({ reason }: { readonly reason: string }): boolean =>
  !notes.some((begin) => reason.startsWith(begin))

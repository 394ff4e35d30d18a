/** The value row as it is served, and words that several views share. */
import type { ValueRow } from "../../wire/data/valueRow.ts"
import type { CurrentRow } from "./Current.ts"

/** What is said of a value beside where it comes from; nothing of most. */
export const marksOf = ({
  simulated,
  unconfirmed
}: Pick<CurrentRow, "simulated" | "unconfirmed">): Pick<ValueRow, "simulated" | "unconfirmed"> => ({
  ...(simulated ? { simulated } : {}),
  ...(unconfirmed ? { unconfirmed } : {})
})

/** The marks of what is made of several values: those that any of them has. */
export const marksOfAll = (rows: ReadonlyArray<CurrentRow>): ReturnType<typeof marksOf> =>
  marksOf({
    simulated: rows.some(({ simulated }) => simulated),
    unconfirmed: rows.some(({ unconfirmed }) => unconfirmed)
  })

/** What is said of the readings around a value; nothing of most. */
export const besideOf = ({
  held,
  inDoubt
}: Pick<CurrentRow, "held" | "inDoubt">): Pick<ValueRow, "held" | "level_in_doubt"> => ({
  ...(held === undefined ? {} : { held }),
  ...(inDoubt === undefined ? {} : { level_in_doubt: inDoubt })
})

/** A latest row as it is served. */
export const valueRow = (current: CurrentRow): ValueRow =>
  current.simulated || current.unconfirmed || current.held !== undefined
    ? { ...current.row, ...marksOf(current), ...besideOf(current) }
    : current.row

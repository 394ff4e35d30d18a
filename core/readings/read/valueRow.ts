/** The value row as it is served, and words that several views share. */
import type { ValueRow } from "../../wire/data/valueRow.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"

type Marks = Pick<ValueRow, "simulated" | "unconfirmed" | "by_definition" | "by_definition_reason">

/** What is said of a zero that nobody counted; nothing of every other value. */
export const definitionOf = (
  reason: string | null | undefined
): Pick<ValueRow, "by_definition" | "by_definition_reason"> =>
  reason === null || reason === undefined ? {} : { by_definition: true, by_definition_reason: reason }

/** What is said of a value beside where it comes from; nothing of most. */
export const marksOf = ({
  by_definition,
  simulated,
  unconfirmed
}: Pick<CurrentRow, "simulated" | "unconfirmed" | "by_definition">): Marks => ({
  ...(simulated ? { simulated } : {}),
  ...(unconfirmed ? { unconfirmed } : {}),
  ...definitionOf(by_definition)
})

/** The marks of a row that shows several values: those that any of them has, and which of them are zeros that nobody counted. */
export const marksOfAll = (rows: ReadonlyArray<CurrentRow>): Marks => {
  const defined = rows.flatMap(({ by_definition, row }) =>
    by_definition === undefined ? [] : [`${row.metric}: ${by_definition}`]
  )
  return marksOf({
    simulated: rows.some(({ simulated }) => simulated),
    unconfirmed: rows.some(({ unconfirmed }) => unconfirmed),
    by_definition: defined.length === 0 ? undefined : defined.join("; ")
  })
}

/** Whether figures are computed from a value, by what is said of it. */
export const isRowCounted = (row: Pick<ValueRow, "unconfirmed" | "by_definition">): boolean =>
  row.unconfirmed !== true && row.by_definition !== true

/** What is said of the readings around a value; nothing of most. */
export const besideOf = ({
  held: reading,
  inDoubt
}: Pick<CurrentRow, "held" | "inDoubt">): Pick<ValueRow, "held" | "level_in_doubt"> => ({
  ...(reading === undefined ? {} : { held: reading }),
  ...(inDoubt === undefined ? {} : { level_in_doubt: inDoubt })
})

/** A latest row as it is served. */
export const valueRow = (current: CurrentRow): ValueRow =>
  current.simulated || !counts(current) || current.held !== undefined
    ? { ...current.row, ...marksOf(current), ...besideOf(current) }
    : current.row

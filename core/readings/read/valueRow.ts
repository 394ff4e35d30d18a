/** The value row as it is served, and words that several views share. */
import { isReviewed } from "../../plugin/reviewed.ts"
import type { ValueRow } from "../../wire/data/valueRow.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"

type Marks = Pick<
  ValueRow,
  "simulated" | "unconfirmed" | "by_definition" | "by_definition_reason" | "reviewed"
>

/** What the marks of a value are read from. */
interface Marked extends Pick<CurrentRow, "simulated" | "unconfirmed" | "by_definition"> {
  readonly row: Pick<ValueRow, "source">
}

/** What is said of a value whose plugin was not reviewed; nothing of every other one. */
export const reviewOf = (source: string): Pick<ValueRow, "reviewed"> =>
  isReviewed(source) ? {} : { reviewed: false }

/** What is said of a zero that nobody counted; nothing of every other value. */
export const definitionOf = (
  reason: string | null | undefined
): Pick<ValueRow, "by_definition" | "by_definition_reason"> =>
  reason === null || reason === undefined ? {} : { by_definition: true, by_definition_reason: reason }

/** What is said of a value beside where it comes from; nothing of most. */
export const marksOf = ({ by_definition, row, simulated, unconfirmed }: Marked): Marks => ({
  ...(simulated ? { simulated } : {}),
  ...(unconfirmed ? { unconfirmed } : {}),
  ...definitionOf(by_definition),
  ...reviewOf(row.source)
})

/** The marks of a row that shows several values: those that any of them has, and which of them are zeros that nobody counted. */
export const marksOfAll = (rows: ReadonlyArray<CurrentRow>): Marks => {
  const defined = rows.flatMap(({ by_definition, row }) =>
    by_definition === undefined ? [] : [`${row.metric}: ${by_definition}`]
  )
  const outside = rows.find(({ row }) => !isReviewed(row.source))
  return marksOf({
    row: outside?.row ?? { source: "" },
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
  current.simulated || !counts(current) || current.held !== undefined || !isReviewed(current.row.source)
    ? { ...current.row, ...marksOf(current), ...besideOf(current) }
    : current.row

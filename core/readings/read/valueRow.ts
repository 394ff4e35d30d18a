/** The value row as it is served, and words that several views share. */
import type { ValueRow } from "../../wire/data/valueRow.ts"
import type { CurrentRow } from "./Current.ts"

/** A latest row as it is served. */
export const valueRow = ({ row, simulated }: CurrentRow): ValueRow =>
  simulated ? { ...row, simulated } : row

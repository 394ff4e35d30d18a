/** A value of a column that is read at a glance: from a thousand on, money in three digits; the exact number is in the title. */
import type { Unit } from "../../../core/plugin/units.ts"
import { formatExactly, roughDollars } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { valueOf } from "./values.ts"

export const roughly = (row: {
  readonly value: number
  readonly value_text?: string | undefined
  readonly unit: Unit
}): Html =>
  row.unit === "usd" && Math.abs(row.value) >= 1000
    ? html`<data value="${row.value_text ?? String(row.value)}" title="${row.value_text ?? formatExactly(row.value)}">${roughDollars(row.value)}</data>`
    : valueOf(row)

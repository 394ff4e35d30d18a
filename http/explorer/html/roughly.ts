/** A value of a column that is read at a glance: from a thousand on without decimals, money in three digits; the exact number is in the title. */
import type { Unit } from "../../../core/plugin/units.ts"
import { formatExactly, roughDollars, valueText } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { valueOf } from "./values.ts"

/** As text; undefined where a value has no more digits than are read at a glance. */
const shortened = (value: number, unit: Unit): string | undefined =>
  Math.abs(value) < 1000 || unit === "bytes"
    ? undefined
    : unit === "usd"
      ? roughDollars(value)
      : Number.isInteger(value)
        ? undefined
        : valueText(Math.round(value), unit)

/** The same with its unit, where no title can have the exact number. */
export const roughText = (value: number, unit: Unit): string =>
  shortened(value, unit) ?? valueText(value, unit)

export const roughly = (row: {
  readonly value: number
  readonly value_text?: string | undefined
  readonly unit: Unit
}): Html => {
  const text = shortened(row.value, row.unit)
  return text === undefined
    ? valueOf(row)
    : html`<data value="${row.value_text ?? String(row.value)}" title="${row.value_text ?? formatExactly(row.value)}">${text}</data>`
}

/** The value of a leaf: its unit is a text, as what was published keeps it whatever the units are now. */
import { Schema } from "effect"
import { Unit } from "../../../core/plugin/Value.ts"
import type { RowLeaf } from "../../../core/proof/leaf.ts"
import { valueText } from "./format.ts"
import { type Html, html } from "./markup.ts"

const isUnit = Schema.is(Unit)

type Valued = Pick<RowLeaf, "unit" | "value" | "value_text">

export const leafText = ({ unit, value }: Valued): string =>
  isUnit(unit) ? valueText(value, unit) : `${value} ${unit}`

export const leafValue = (leaf: Valued): Html => {
  const exact = leaf.value_text ?? leaf.value
  return html`<data value="${exact}" title="${exact}">${leafText(leaf)}</data>`
}

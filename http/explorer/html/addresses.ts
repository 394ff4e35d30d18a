/** What the addresses of pages may say. */
import { Category } from "../../../core/plugin/kinds.ts"
import { TelemetryTier } from "../../../core/wire/data/networks.ts"
import { axisChoices } from "../charts/valueAxis.ts"
import { columnSetNames, kindFilters, sorts } from "./columns.ts"

const oneOf = (literals: ReadonlyArray<string | number>): RegExp => new RegExp(`^(?:${literals.join("|")})$`)

/** The values that pages understand, by parameter. Any other value counts as none; parameters that are not here are free text. */
export const values: Readonly<Record<string, RegExp>> = {
  axis: oneOf(axisChoices),
  columns: oneOf(columnSetNames),
  by: oneOf(["index", "value"]),
  category: oneOf(Category.literals),
  cursor: /^\d{1,15}$/,
  days: oneOf([7, 30]),
  month: /^\d{4}-(?:0[1-9]|1[0-2])$/,
  page: /^[1-9]\d{0,3}$/,
  sort: oneOf(sorts),
  show: oneOf(kindFilters),
  telemetry: oneOf(TelemetryTier.literals)
}

/**
 * Figures of one feed that are parts of a figure of another. No manifest can hold them to it, because each tells one of the two;
 * where a part is more than its whole, both are served, the part says so, and no share is computed from them.
 */
import type { WholeValue } from "../../wire/data/whole.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { pickSource } from "./pickSource.ts"

/** The whole of each part, by their metrics. */
const wholes: Readonly<Record<string, string>> = { top_holder_balance: "total_supply" }

/** What the largest holder of a token is, as far as a list of balances tells. */
export const oneAccount = "one account (it may be a contract, a bridge or an exchange)"

/** By what share a part may be more than its whole: the two are read hours apart, and tokens are minted meanwhile. */
const tolerance = 0.01

/** Whether a part is more than its whole can be. */
export const isBeyond = (part: number, whole: number): boolean => part > whole * (1 + tolerance)

/** The whole that each of the rows exceeds, which are all of a network; nothing for most. */
export const exceededWholes = (rows: ReadonlyArray<CurrentRow>): ReadonlyMap<CurrentRow, WholeValue> => {
  const exceeded = new Map<CurrentRow, WholeValue>()
  for (const part of rows) {
    const metric = wholes[part.row.metric]
    if (metric === undefined) continue
    const candidates = rows
      .filter((one) => one.row.metric === metric && counts(one))
      .map(({ asOf, row }) => ({ source: row.source, asOf, row }))
    const whole = pickSource(part.row.symbol, metric, candidates)?.row
    if (whole === undefined || !isBeyond(part.row.value, whole.value)) continue
    const { as_of, source, value, value_text } = whole
    exceeded.set(part, {
      metric,
      source,
      value,
      ...(value_text === undefined ? {} : { value_text }),
      as_of
    })
  }
  return exceeded
}

/** The member that a row has where it is more than its whole. */
export const exceeding = (
  exceeded: ReadonlyMap<CurrentRow, WholeValue>,
  row: CurrentRow
): { readonly exceeds?: WholeValue } => {
  const whole = exceeded.get(row)
  return whole === undefined ? {} : { exceeds: whole }
}

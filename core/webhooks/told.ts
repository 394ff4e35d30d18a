/**
 * A crossing of an alert as it is told. In a message to a person it is one value with its source and the address where it stands,
 * as on a page (`show`); what a webhook gets, a program takes on (`bulk`). Where the source of a figure does not let it be used so,
 * the crossing says that it happened, and where it is proved.
 */
import { sourcesIn } from "../credits/sourcesIn.ts"
import type { AlertCrossing } from "../wire/alerts/alert.ts"

/** The crossing, or what is left of it without the figures of sources that may not be told. */
export const toldOf = (crossing: AlertCrossing, may: (source: string) => boolean): AlertCrossing => {
  const barred = sourcesIn(crossing)
    .values()
    .filter((source) => !may(source))
    .toArray()
  if (barred.length === 0) return crossing
  const { says: _, unit: _unit, value: _value, value_text: _text, ...left } = crossing
  const { metric, symbol } = crossing
  return {
    ...left,
    says: `${metric} of ${symbol} did what you asked to be told of. Its figures are left out: the terms of ${barred.join(" and ")} do not let them be sent.`,
    withheld: "rights"
  }
}

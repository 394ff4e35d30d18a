/** What other operators have of a value, as pages say it. */
import { parseAgreement } from "../../../core/proof/agreement.ts"
import { parseAgreementLeaf, type Sighting } from "../../../core/proof/agreementLeaf.ts"
import type { AttestResponse } from "../../../core/wire/log/attest.ts"
import { formatDay, formatNumber, formatTime } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { valueOf } from "./values.ts"

/** "2 of 3 other operators saw the same". */
export const seenWords = ({
  n_agree,
  n_observers
}: {
  readonly n_agree: number
  readonly n_observers: number
}): string =>
  n_observers === 0
    ? "no other operator has this value"
    : n_observers === 1
      ? n_agree === 1
        ? "one other operator saw the same"
        : "one other operator saw another value"
      : `${formatNumber(n_agree)} of ${formatNumber(n_observers)} other operators saw the same`

/** The row of the proof. */
export const seenRow = ({ agreement }: AttestResponse): Html | false =>
  agreement !== undefined &&
  html`<dt>Seen</dt><dd>${seenWords(agreement)}; log entry ${formatNumber(agreement.log.index)}</dd>`

/** What an observer has; its unit is there if it is another, in its own words. */
const sightingOf = ({ unit, value, value_text }: Sighting, own: AttestResponse["value"]): Html | string =>
  value === undefined
    ? ""
    : unit === undefined
      ? valueOf({ value, ...(value_text === undefined ? {} : { value_text }), unit: own.unit })
      : `${value_text ?? value} ${unit}`

/** Says which operators have another value of the newest proved day; nothing of most values. */
export const differingMark = (proved: AttestResponse | undefined): Html | false => {
  if (proved?.agreement === undefined) return false
  const { agreement, date, value } = proved
  if (agreement.n_agree === agreement.n_observers) return false
  const { observers } = parseAgreement(agreement.document)
  const others = parseAgreementLeaf(agreement.leaf).seen.filter(({ relation }) => relation === "differs")
  return html`<p id="observers-differ"><strong>${others.length === 1 ? "Another operator has another value" : "Other operators have other values"}</strong> of ${formatDay(date)}, for which this service published ${valueOf(value)}: ${others.map(
    (one, n) =>
      html`${n > 0 && "; "}${observers[one.observer]?.origin ?? ""} has ${sightingOf(one, value)}${one.as_of !== undefined && html`, true at ${formatTime(one.as_of)}`}`
  )}.</p>`
}

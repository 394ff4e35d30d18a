/** What other operators have of a value, as pages say it. */
import { parseAgreement } from "../../../core/proof/agreement.ts"
import { parseAgreementLeaf, type Sighting } from "../../../core/proof/agreementLeaf.ts"
import type { DayAgreement } from "../../../core/wire/data/agreement.ts"
import type { HistoryPoint } from "../../../core/wire/data/history.ts"
import type { AttestResponse } from "../../../core/wire/log/attest.ts"
import { formatDay, formatNumber, formatTime } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { valueOf } from "./values.ts"

type Counts = Pick<DayAgreement, "n_agree" | "n_observers">

/** "2 of 3 other operators saw the same". */
export const seenWords = ({ n_agree, n_observers }: Counts): string =>
  n_observers === 0
    ? "no other operator has this value"
    : n_observers === 1
      ? `one other operator saw ${n_agree === 1 ? "the same" : "another value"}`
      : `${formatNumber(n_agree)} of ${formatNumber(n_observers)} other operators saw the same`

/** Of the newest compared day. */
export const seenOfDay = (agreement: DayAgreement): string =>
  `${seenWords(agreement)} on ${formatDay(agreement.day)}`

/** Beside a value whose day is said elsewhere or open; nothing where nobody else has it. */
export const seenSentence = (agreement: DayAgreement | undefined): Html | false =>
  agreement !== undefined && agreement.n_observers > 0 && html`<br>${seenOfDay(agreement)}`

/** Under a value in a table. */
export const seenMark = (agreement: DayAgreement | undefined): Html | false =>
  agreement !== undefined &&
  agreement.n_observers > 0 &&
  html`<span class="sub" title="${seenOfDay(agreement)}">seen by ${formatNumber(agreement.n_agree)} of ${formatNumber(agreement.n_observers)}</span>`

/** Under the state of a day. */
export const seenSub = (point: HistoryPoint | undefined): Html | false =>
  point?.n_observers !== undefined &&
  point.n_agree !== undefined &&
  html`<span class="sub">${seenWords({ n_observers: point.n_observers, n_agree: point.n_agree })}</span>`

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

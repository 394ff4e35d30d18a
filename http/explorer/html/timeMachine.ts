/** The time machine on a page: the field for a day, and what is said of a page that is as it was known on one. */
import { day as dayMs } from "../../../core/plugin/time.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { formatDay, formatNumber } from "./format.ts"
import { type Html, html, raw } from "./markup.ts"

/** Lines of what is different now. */
const mostLines = 30

interface KnownField {
  /** The day that is chosen, `YYYY-MM-DD`; empty for none. */
  readonly value: string
  /** The first day that can be chosen. */
  readonly min?: string
  /** Now, epoch milliseconds. */
  readonly now: number
  /** False where a form asks for other things too. */
  readonly isRequired: boolean
}

/** The newest day that is over. */
export const yesterdayOf = (now: number): string => dateOf(now - dayMs)

/** A day that is over, for a form that is sent with GET. */
export const knownField = ({ isRequired, min, now, value }: KnownField): Html =>
  html`<label>As it was known on<input type="date" name="as_known_at" value="${value}"${min !== undefined && html` min="${min}"`} max="${yesterdayOf(now)}"${isRequired && raw(" required")}></label>`

/** What is said of a page that is as it was known on a day. */
export interface KnownNote {
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** What is different now, a line each. */
  readonly lines: ReadonlyArray<string>
  readonly one: string
  readonly many: string
  /** How it is drawn. */
  readonly sign: string
  /** Days of the chart, of which this one is before the first. */
  readonly beyond?: number | undefined
}

/** How many of what was known then are something else now. */
const changedWords = ({ beyond, lines, many, one }: KnownNote): string =>
  beyond !== undefined
    ? `It is before the last ${beyond} days, which are those that anyone can read; /v1/history reads further with a key.`
    : lines.length === 0
      ? "Of what was known then, everything is published unchanged."
      : `${lines.length === 1 ? `One ${one} has` : `${formatNumber(lines.length)} ${many} have`} another value now`

const heading = ({ date }: KnownNote): string => `As it was known at the end of ${formatDay(date)}.`

/** Of which day the page is, what is different now, and the way to `present`, the page as it is known now. */
export const knownNote = (note: KnownNote, present: string): Html => {
  const { lines, sign } = note
  return html`<div id="as-known" role="note"><p><strong>${heading(note)}</strong> ${changedWords(note)}${lines.length > 0 && `, ${sign}:`} <a href="${present}">As it is known now</a></p>${lines.length > 0 && html`<ul>${lines.slice(0, mostLines).map((one) => html`<li>${one}</li>`)}</ul>`}${lines.length > mostLines && html`<p>The first ${mostLines} of ${formatNumber(lines.length)}.</p>`}</div>`
}

/** The same for a frame or a picture, which have no room for a list. */
export const knownLine = (note: KnownNote): string =>
  `${heading(note)} ${changedWords(note)}${note.lines.length > 0 ? `, ${note.sign}.` : ""}`

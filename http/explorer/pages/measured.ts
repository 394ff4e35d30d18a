/** What the page, the frame, the picture and the file of a measure share. */
import { Effect } from "effect"
import { measurePath } from "../../../core/catalog/Measures.ts"
import { bulk } from "../../../core/readings/read/bulk.ts"
import type { Measured, MeasureMember, Movement } from "../../../core/readings/read/measure.ts"
import { measureDays, movementOf } from "../../../core/readings/read/measure.ts"
import { measureAt } from "../../../core/readings/read/measureAnswer.ts"
import { valueRow } from "../../../core/readings/read/valueRow.ts"
import { commonTop, fits, multiple } from "../charts/multiples.ts"
import { changeText } from "../html/change.ts"
import { formatDay, formatNumber, valueText } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { roughly } from "../html/roughly.ts"
import { metricPath } from "../html/values.ts"

/** The measure of an address; fails with `NotFound`, which names those that come near. */
export const measureOf = (name: string) => measureAt(name, (near) => measurePath({ name: near }), "/measures")

const countedOrNone = (n: number): string => (n === 0 ? "none" : formatNumber(n))

/** `Since 7 Aug 2026 it rose at 3 of the 9 that state it, fell at 1 and stayed the same at 5.` */
export const movementText = ({ less, more, same, since, without }: Movement): string =>
  `Since ${formatDay(since)} it rose at ${countedOrNone(more)} of the ${formatNumber(more + less + same + without)} that state it, fell at ${countedOrNone(less)} and stayed the same at ${countedOrNone(same)}${without > 0 ? `; ${formatNumber(without)} had no value on that day` : ""}.`

/** What a measure says in one sentence; one without a live member says that. */
export const measureSentence = (one: Measured): string => {
  const { members, missing } = one
  if (members.length === 0)
    return missing.length === 0
      ? "Nothing of it is read yet: no feed of this service states it."
      : `Nobody states it now: the last values of the ${formatNumber(missing.length)} that did are older than 7 days or do not count.`
  const movement = movementOf(one)
  return movement === undefined
    ? `${formatNumber(members.length)} ${members.length === 1 ? "states" : "state"} it; no two closed days are in the log yet.`
    : movementText(movement)
}

/** The value of a member as a change over its closed days. */
export const memberChange = ({ change, row }: MeasureMember): string =>
  changeText({ unit: row.row.unit, change })

const label = ({ change, points, row, symbol }: MeasureMember): string =>
  points.length === 0
    ? `${nameOfSymbol(symbol)}: no closed day yet`
    : `${nameOfSymbol(symbol)}: ${points.length} of ${measureDays} days have a value, ${change === undefined ? valueText(points[0]?.value ?? 0, row.row.unit) : `from ${valueText(change.from.value, row.row.unit)} to ${valueText(change.to.value, row.row.unit)}`}`

/** Members whose sources let their series be handed on, and those whose do not. */
export const handed = Effect.fnUntraced(function* (all: ReadonlyArray<MeasureMember>) {
  const { may } = yield* bulk
  return {
    members: all.filter(({ row: { row } }) => may(row.source)),
    barred: all.filter(({ row: { row } }) => !may(row.source))
  }
})

/** Charts in one frame at most. */
export const mostDrawn = 12

export interface Drawn {
  readonly charts: Html
  /** How the axis is, in a sentence. */
  readonly axis: string
}

/** The first members as small charts on one axis. */
export const multiplesOf = (all: ReadonlyArray<MeasureMember>, now: number, target = ""): Drawn => {
  const drawn = all.slice(0, mostDrawn)
  const top = commonTop(drawn.map(({ points }) => points))
  const own = drawn.filter(({ points }) => points.length > 0 && !fits(points, top))
  return {
    charts: html`<div class="multiples">${drawn.map((member) => {
      const { counts, points, row, symbol } = member
      const name = nameOfSymbol(symbol)
      const { metric } = row.row
      return html`<article data-symbol="${symbol}"><h3><a href="${metricPath(symbol, metric)}"${raw(target)}>${name}</a>${name !== symbol && html` <span class="quiet">${symbol}</span>`}</h3>
<p><span class="big">${roughly(valueRow(row))}</span> <span class="quiet">${memberChange(member)}</span></p>
${raw(multiple({ points, top, now, days: measureDays, label: label(member) }))}
<p class="quiet">${counts}${own.includes(member) && html` <em>(axis of its own)</em>`}</p></article>`
    })}</div>`,
    axis: `${measureDays} days. One axis for all: from 0 to ${formatNumber(Math.round(top * 10) / 10)} times the first day's value${own.length > 0 ? `, but for ${own.map(({ symbol }) => nameOfSymbol(symbol)).join(", ")}` : ""}.`
  }
}

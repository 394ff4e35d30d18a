/** A month of the log as a table of days, Monday first. */
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import type { Incident } from "../../../core/wire/log/incidents.ts"
import { dateOfDay, dayNumber } from "../charts/scale.ts"
import { formatNumber } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { anchorSign, anchorText, type Sign, sign } from "../html/state.ts"

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

/** `September 2026` of `2026-09`. */
export const monthTitle = (month: string): string =>
  `${monthNames[Number(month.slice(5, 7)) - 1] ?? ""} ${month.slice(0, 4)}`

/** A month as `YYYY-MM`, so many months on. */
export const monthAfter = (month: string, months: number): string => {
  const [year = 0, number = 1] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7)
}

const dayOf = (time: string): string => time.slice(0, 10)

/** The incidents whose range has a part in the day. */
const incidentsOf = (day: string, incidents: ReadonlyArray<Incident>): number =>
  incidents.filter(({ from, to }) => dayOf(from) <= day && (to === undefined || day <= dayOf(to))).length

interface CalendarData {
  readonly batches: ReadonlyMap<string, Attestation>
  readonly incidents: ReadonlyArray<Incident>
  readonly today: string
  /** The first day that was ever closed. */
  readonly first: string | undefined
}

const countText = (count: number, one: string): string =>
  `${formatNumber(count)} ${one}${count === 1 ? "" : "s"}`

const cell = (day: string, { batches, first, incidents, today }: CalendarData): Html => {
  const batch = batches.get(day)
  const incidentCount = incidentsOf(day, incidents)
  const number = Number(day.slice(8))
  const current = day === today ? raw(' aria-current="date"') : ""
  const incidentSign = html`${incidentCount > 0 && sign("incident")}`
  if (batch === undefined) {
    const isOpen = first !== undefined && day > first && day <= today
    const says = isOpen ? "not closed yet" : day > today ? "still to come" : "no batch"
    return html`<td class="${isOpen ? "open" : "none"}"${current}><span class="day"><span class="number">${number}</span><span class="signs">${isOpen && sign("open")}${isOpen && incidentSign}</span><span class="visually-hidden">: ${says}</span></span></td>`
  }
  const anchored = anchorSign(batch.anchor)
  const state: Sign = batch.late ? "late" : "closed"
  const says = [
    batch.late ? "closed late" : "closed",
    countText(batch.tree_size, "leaf").replace("leafs", "leaves"),
    // Why it is not is said once, above the calendar.
    batch.anchor.state === "none" ? "not anchored" : anchorText(batch.anchor),
    ...(incidentCount === 0 ? [] : [countText(incidentCount, "incident")])
  ].join(", ")
  return html`<td${current}><a class="day" href="/log/${day}" data-day="${day}"><span class="number">${number}</span><span class="signs" title="${says}" aria-hidden="true">${sign(state)}${anchored !== undefined && sign(anchored)}${incidentSign}</span><span class="leaves" aria-hidden="true">${formatNumber(batch.tree_size)}</span><span class="visually-hidden">: ${says}</span></a></td>`
}

/** The table of a month `YYYY-MM`. */
export const calendar = (month: string, data: CalendarData): Html => {
  const first = dayNumber(`${month}-01`)
  const length = dayNumber(`${monthAfter(month, 1)}-01`) - first
  // The first of January 1970 was a Thursday.
  const lead = (((first + 3) % 7) + 7) % 7
  const cells = [
    ...Array.from({ length: lead }, () => html`<td class="blank"></td>`),
    ...Array.from({ length }, (_, n) => cell(dateOfDay(first + n), data)),
    ...Array.from({ length: (7 - ((lead + length) % 7)) % 7 }, () => html`<td class="blank"></td>`)
  ]
  const weeks = Array.from({ length: cells.length / 7 }, (_, n) => cells.slice(n * 7, n * 7 + 7))
  return html`<table class="calendar"><caption>Days of ${monthTitle(month)}. A day closes at 08:00 UTC on the next day.</caption>
<thead><tr>${weekdays.map((name) => html`<th scope="col"><span aria-hidden="true">${name.slice(0, 2)}</span><span class="visually-hidden">${name}</span></th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week}</tr>`)}</tbody></table>`
}

export const legend = html`<ul class="legend" aria-label="Signs in the calendar">
<li>${sign("closed")}closed</li><li>${sign("late")}closed late</li><li>${sign("open")}not closed yet</li>
<li>${sign("anchored")}in a Bitcoin block</li><li>${sign("pending")}waiting for a block</li><li>${sign("incident")}incident</li></ul>`

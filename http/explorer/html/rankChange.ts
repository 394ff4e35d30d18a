/** Changes of rank in a table: one column for each day since which they are told. */
import type { RankChange, RankChanges } from "../../../core/readings/read/rankChanges.ts"
import { absent, formatNumber, formatShortDay } from "./format.ts"
import { type Html, html } from "./markup.ts"

const changeWord = (change: RankChange | undefined): string =>
  change === undefined
    ? absent
    : change === "new"
      ? change
      : change === 0
        ? "same"
        : `${change > 0 ? "up" : "down"} ${Math.abs(change)}`

const sinceText = ({ since }: RankChanges): string => `since ${formatShortDay(since)}`

export const rankChangeHead = (of: RankChanges): Html =>
  html`<th scope="col" role="columnheader">Rank<span class="sub">${sinceText(of)}</span></th>`

export const rankChangeCell = (of: RankChanges, series: number): Html => {
  const word = changeWord(of.bySeries.get(series))
  return html`<td role="cell"${(word === absent || word === "same") && html` class="quiet"`} data-rank="${of.since}">${word}</td>`
}

const comparedText = (of: RankChanges): string =>
  `${formatNumber(of.compared)} ${of.compared === 1 ? "network has" : "networks have"} one on ${formatShortDay(of.since)}`

/** What the columns compare; nothing without one. */
export const rankChangeNote = (changes: ReadonlyArray<RankChanges>): Html | false =>
  changes.length > 0 &&
  html`<p class="quiet">A change of rank is among the networks with a value on that closed day as well as now, so that none moves because another is added or missing: ${changes.map(comparedText).join(", ")}. A network is “new” if it has no value on the day and none in the weeks before it.</p>`

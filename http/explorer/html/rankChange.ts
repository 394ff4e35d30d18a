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
  html`<th scope="col" role="columnheader" class="n">Rank<span class="sub">${sinceText(of)}</span></th>`

export const rankChangeCell = (of: RankChanges, series: number): Html => {
  const word = changeWord(of.bySeries.get(series))
  return html`<td role="cell" class="${word === absent || word === "same" ? "n quiet" : "n"}" data-rank="${of.since}">${word}</td>`
}

const comparedText = (of: RankChanges): string =>
  `${formatNumber(of.compared)} on ${formatShortDay(of.since)}`

const hasNew = ({ bySeries }: RankChanges): boolean => [...bySeries.values()].includes("new")

/** What the columns compare; nothing without one. */
export const rankChangeNote = (changes: ReadonlyArray<RankChanges>): Html | false =>
  changes.length > 0 &&
  html`<p class="quiet">Changes of rank are among the networks that have a value on the closed day as well as now (${changes.map(comparedText).join(", ")}), so that none moves because another is added or missing.${changes.some(hasNew) && html` “New” is a network without a value on the day and in the weeks before it.`}</p>`

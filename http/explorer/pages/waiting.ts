/** What a page waits for while feeds are unconfirmed: without it a missing headline, sum or rank looks like a fault. */
import { Effect } from "effect"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Current, type CurrentRow } from "../../../core/readings/read/Current.ts"
import { formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"

/** What waits for somebody who compares it with its upstream: a level in doubt waits for something else. */
const isWaiting = ({ inDoubt, unconfirmed }: CurrentRow): boolean => unconfirmed && inDoubt === undefined

/** Figures that wait, of those that a page is about, with their feeds. */
const waitingOf = Effect.fnUntraced(function* (isOfPage: (symbol: string) => boolean) {
  const { rows } = yield* (yield* Current).snapshot
  const all = rows.filter(({ row }) => isOfPage(row.symbol))
  return { all, waiting: all.filter(isWaiting) }
})

const feedsIn = (rows: ReadonlyArray<CurrentRow>): number => new Set(rows.map(({ plugin }) => plugin)).size

/** A paragraph that says how many figures of a page's symbols wait, and for what; nothing where none does. */
export const waitingNote = Effect.fnUntraced(function* (isOfPage: (symbol: string) => boolean = () => true) {
  const { all, waiting } = yield* waitingOf(isOfPage)
  const feeds = feedsIn(waiting)
  const theirFeeds =
    waiting.length === 1 ? "its feed" : feeds === 1 ? "their feed" : `their ${formatNumber(feeds)} feeds`
  return (
    waiting.length > 0 &&
    html`<p class="note" id="waiting">${formatNumber(waiting.length)} of ${formatNumber(all.length)} ${all.length === 1 ? "figure" : "figures"} here ${waiting.length === 1 ? "is unconfirmed and waits" : "are unconfirmed and wait"} until the operator has compared ${theirFeeds} with the sources. Each stands on its own page; no headline, sum, share or rank has them until then. <a href="/status#unconfirmed">Which feeds</a>.</p>`
  )
})

/** The unconfirmed feeds by name, those of most figures first; nothing where none is. */
export const waitingFeeds = Effect.gen(function* (): Effect.fn.Return<Html | false, never, Current | Feeds> {
  const { all, waiting } = yield* waitingOf(() => true)
  if (waiting.length === 0) return false
  const { manifests } = yield* Feeds
  const titles = new Map(manifests.map(({ id, title }) => [id, title]))
  const feeds = [...Map.groupBy(waiting, ({ plugin }) => plugin)].toSorted(
    ([, a], [, b]) => b.length - a.length
  )
  return html`<section aria-labelledby="unconfirmed"><h2 id="unconfirmed">Unconfirmed: ${feeds.length} of ${formatNumber(feedsIn(all))} feeds</h2>
<p>Nothing but their authors has compared these feeds with their sources yet. Their ${formatNumber(waiting.length)} figures, of ${formatNumber(all.length)}, are served, marked and proved; headlines, sums, shares and ranks wait until the operator, a second source or a recorded answer confirms them.</p>
<details><summary>${feeds.length} ${feeds.length === 1 ? "feed" : "feeds"}</summary><p>${feeds.map(([plugin, of], n) => html`${n > 0 && ", "}${titles.get(plugin) ?? plugin} (${formatNumber(of.length)})`)}</p></details></section>`
})

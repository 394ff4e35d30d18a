/** The sheet as one page without scripts or further files: to read beside the upstreams' own pages, or to hand on. */
import { type Html, html, raw } from "../../http/explorer/html/markup.ts"
import { beside, isCompared } from "./blocks.ts"
import { hasNothing, isOdd, type Sheet, type SheetFeed, type SheetFigure } from "./sheet.ts"
import { waitingText } from "./text.ts"

const style = `
:root { color-scheme: light dark; --line: #d7d9de; --quiet: #5c6370; --odd: #a33b00; --back: #fff; --text: #16181d }
@media (prefers-color-scheme: dark) { :root { --line: #363a44; --quiet: #a2a9b6; --odd: #ffab70; --back: #14161a; --text: #e8eaee } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 78rem; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .25rem } h2 { font-size: 1.05rem; margin: 0 } p { margin: .35rem 0 }
section { border-top: 1px solid var(--line); padding: 1rem 0 }
.quiet { color: var(--quiet) } .odd { color: var(--odd) }
code { font-size: .92em; overflow-wrap: anywhere } a { color: inherit; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100%; margin-top: .5rem } th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); font-weight: normal }
table { table-layout: fixed } thead th:first-child { width: 32% } thead th:nth-child(2) { width: 18% } thead th:nth-child(3) { width: 33% }
thead th { color: var(--quiet); font-size: .85rem; border: 0 } .n { overflow-wrap: anywhere; font-variant-numeric: tabular-nums }
details > summary { cursor: pointer; color: var(--quiet); padding: .35rem 0 }
@media (max-width: 45rem) { thead { display: none } table, tbody, tr, th, td { display: block } th, td { border: 0; padding: .1rem 0 } tr { border-top: 1px solid var(--line); padding: .5rem 0 } }
`

const figureRow = (figure: SheetFigure, now: number): Html => {
  const { doubts, meaning, metric, source, symbol, unit, value, value_text, verify_url } = figure
  return html`<tr><th scope="row"><strong>${symbol}</strong> <code>${metric}</code><br><span class="quiet">${meaning}</span></th>
<td class="n"><strong>${value_text ?? value}</strong> ${unit}</td>
<td>${doubts.map((doubt) => html`<p class="odd">${doubt}</p>`)}<span class="quiet">${beside(figure, now).join(" · ")}</span></td>
<td><a href="${verify_url}" rel="noreferrer">${URL.parse(verify_url)?.host ?? verify_url}</a><br><span class="quiet">${source}</span></td></tr>`
}

const table = (figures: ReadonlyArray<SheetFigure>, now: number): Html =>
  html`<table><thead><tr><th scope="col">Figure</th><th scope="col">Value</th><th scope="col">Beside it</th><th scope="col">Address</th></tr></thead>
<tbody>${figures.map((figure) => figureRow(figure, now))}</tbody></table>`

/** More figures than these are folded away until somebody opens them. */
const mostOpen = 12

const feedSection = (feed: SheetFeed, now: number): Html => {
  const { canaries, confirmed, doubts, figures, plugin, title } = feed
  const odd = figures.filter((figure) => figure.doubts.length > 0)
  const others = figures.filter((figure) => figure.doubts.length === 0)
  return html`<section id="${plugin}"><h2>${title} <code class="quiet">${plugin}</code></h2>
<p class="quiet">${figures.length} figures, ${figures.filter(isCompared).length} with something to compare them with${confirmed > 0 && `; ${confirmed} more confirmed before`}; ${canaries === 0 ? "no figure that cannot move is asked" : `${canaries} ${canaries === 1 ? "figure that cannot move is" : "figures that cannot move are"} asked once a day`}.</p>
${doubts.map((doubt) => html`<p class="odd">${doubt}</p>`)}
${odd.length > 0 && table(odd, now)}
${others.length > 0 && html`<details${isOdd(feed) || others.length > mostOpen ? "" : raw(" open")}><summary>${others.length} figures that nothing contradicts</summary>${table(others, now)}</details>`}
<p class="quiet"><code>plumbline confirm ${plugin}</code></p></section>`
}

/** The page's text. */
export const page = (sheet: Sheet): string => {
  const now = Date.parse(sheet.at)
  const odd = sheet.feeds.filter(isOdd).length
  return `<!doctype html>\n${html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>What waits to be confirmed</title><style>${raw(style)}</style></head>
<body><h1>What waits to be confirmed</h1>
<p>${waitingText(sheet)}: something is odd about ${odd} of them. As of ${sheet.at}.</p>
<p class="quiet">“Nothing contradicts” says that no second source, no day before and no case of its author does. Whether a figure means what it says, its own address shows.</p>
${sheet.feeds.map((feed) => (hasNothing(feed) ? html`<p><code>${feed.plugin}</code> has given no figure yet. <span class="odd">${feed.doubts[0]}</span></p>` : feedSection(feed, now)))}</body></html>`}\n`
}

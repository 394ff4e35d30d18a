/** How the figures of one network that it earned and paid out come about: enough to work them out again. */
import { Effect } from "effect"
import { type Flow, flowParts, flowsIn } from "../../../core/plugin/flows.ts"
import { symbolsNamed } from "../../../core/plugin/Manifest.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { type EarnedFigure, earnedFigures, othersOf } from "../../../core/readings/read/earned.ts"
import { knownSymbol } from "../../../core/readings/read/parameters.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { coded } from "../html/coded.ts"
import { formatTime, metricTitle, valueText } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { apart, rungMark } from "../html/rung.ts"
import { respondPage } from "../html/shell.ts"
import { metricPath, networkPath, outward, valueOf } from "../html/values.ts"

/** A flow that a manifest declares for a network. */
interface Declared {
  readonly metric: string
  readonly meaning: string
  /** Those of the plugin, the usual one first. */
  readonly sources: readonly [string, ...Array<string>]
  readonly flow: Flow
}

const declaredOf = (manifests: Feeds["Service"]["manifests"], symbol: string): ReadonlyArray<Declared> =>
  manifests.flatMap(({ covers, metrics, source, sources = [] }) =>
    symbolsNamed(covers).includes(symbol)
      ? Object.entries(metrics).flatMap(([metric, { flow, meaning }]) =>
          flow === undefined
            ? []
            : flowsIn(flow).flatMap(([of, one]) =>
                of === undefined || of === symbol
                  ? [{ metric, meaning, sources: [source, ...sources], flow: one }]
                  : []
              )
        )
      : []
  )

const repository = /^([\w.-]+)\/([\w.-]+)@([0-9a-f]{7,40}) (\S+?)(?::(\d+))?$/

/** Where the code stands that fills what is read; a link where it is a file at a commit. */
const codeOf = (code: string): Html => {
  const [, owner, name, commit, path, line] = repository.exec(code) ?? []
  return owner === undefined
    ? html`<a href="${code}" rel="noreferrer">${code}</a>`
    : html`<a href="https://github.com/${owner}/${name}/blob/${commit}/${path}${line === undefined ? "" : `#L${line}`}" rel="noreferrer"><code>${code}</code></a>`
}

/** What was asked for the newest value: its address, and what was posted there. */
const askedOf = (address: string): Html => {
  const [url = "", posted] = address.split("#", 2)
  return posted === undefined
    ? html`<code>GET ${url}</code>`
    : html`<code>POST ${url}</code> <code class="posted">${decodeURIComponent(posted)}</code>`
}

/** How formulas are read; `test/http/recompute.py` does it. */
const notation = html`<section aria-labelledby="notation"><h2 id="notation">How formulas are read</h2><dl class="facts">
<dt><code>a.b</code></dt><dd>The member <code>b</code> of the member <code>a</code> of the answer to what was asked. A text of digits is a number, and so is one in hexadecimal after <code>0x</code>.</dd>
<dt><code>result(2)</code></dt><dd>The result of the second of several calls.</dd>
<dt><code>little(x)</code></dt><dd>The number whose bytes are stored as <code>x</code>, the least first.</dd>
<dt><code>sum(a.b, c = d, e)</code></dt><dd>The sum of <code>e</code> over the entries of the lists <code>b</code> whose <code>c</code> is <code>d</code>.</dd></dl></section>`

/** What aggregators give for figures, how far it lies from them and why; where none is read now, why it would. */
const differing = (figures: ReadonlyArray<EarnedFigure>, differs: string | undefined): Html | false => {
  const rows = figures.flatMap(othersOf).filter(({ rung }) => rung === "aggregated")
  const items = rows.map(
    ({ as_of, difference_percent, of, source, unit, value, why }) =>
      html`<dd><code>${source}</code> gives ${valueText(value, unit)}, ${formatTime(as_of)}${difference_percent !== null && html`, ${apart(difference_percent)} than <code>${of}</code> here`}. ${why}</dd>`
  )
  if (items.length === 0 && differs === undefined) return false
  return html`<dt>Others differ</dt>${items.length > 0 ? items : html`<dd>${differs}</dd>`}`
}

export const earnedMethod = Effect.fn("explorer.earnedMethod")(function* (named: string) {
  const symbol = yield* knownSymbol("symbol", named)
  const { manifests } = yield* Feeds
  const declared = declaredOf(manifests, symbol)
  const name = nameOfSymbol(symbol)
  if (declared.length === 0)
    return yield* new NotFound({ message: `No feed of this service states what ${name} earned or paid out.` })
  const figures = (yield* orProblem(earnedFigures())).filter(({ row }) => row.symbol === symbol)
  const reads = figures.flatMap((figure) => [figure, ...figure.others])
  const sections = declared.map(({ flow, meaning, metric, sources }, n) => {
    const isOwn = ({ row }: (typeof reads)[number]) => sources.includes(row.source)
    const read = reads.find((one) => one.row.metric === metric && isOwn(one))
    const of = figures.filter((one) => (one.derivedFrom ?? one.row.metric) === metric && isOwn(one))
    const unit = flowParts(metric)?.unit === "usd" ? "US dollars" : "tokens of the network"
    return html`<section aria-labelledby="m${n}"><h2 id="m${n}"><a href="${metricPath(symbol, metric)}">${metricTitle(metric)}</a>&nbsp; ${rungMark(read?.rung ?? flow.rung)}</h2>
<p>${coded(meaning)} In ${unit}.</p><dl class="facts">
<dt>Read at</dt><dd>${coded(flow.at)}</dd>
<dt>Formula</dt><dd><code class="formula" data-metric="${metric}" data-source="${read?.row.source ?? sources[0]}">${flow.formula}</code></dd>
<dt>Not in it</dt><dd>${coded(flow.without)}</dd>
<dt>Code</dt><dd>${codeOf(flow.code)}</dd>
<dt>Worked out again</dt><dd>${coded(flow.recomputed ?? "Not yet from an answer that was recorded.")}</dd>
${differing(of, flow.differs)}
${read !== undefined && html`<dt>Newest</dt><dd>${valueOf(read.row)}, ${formatTime(read.row.as_of)}, source <code>${read.row.source}</code>; ${outward(read.row.verify_url, undefined, name)}</dd><dt>Asked</dt><dd>${askedOf(read.current.readUrl)}</dd>`}</dl></section>`
  })
  return yield* respondPage({
    title: `Method: what ${name} earned and paid out`,
    description: `Where each figure of ${name} is read, how it follows, what is not in it, and the code behind it.`,
    path: `/method/${encodeURIComponent(symbol)}`,
    script: "page",
    body: html`<p class="trail"><a href="/measure/earned">Earned and paid out</a> / <a href="${networkPath(symbol)}">${name}</a></p><h1>Method: ${name}</h1>
<p class="lede">Enough to work out each figure again without this service.</p>${sections}${notation}`
  })
})

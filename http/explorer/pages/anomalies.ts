/** What the rules found unusual in the newest week of closed days, by rule. */
import { Effect } from "effect"
import { day as dayMs } from "../../../core/plugin/time.ts"
import { ruleWords } from "../../../core/readings/anomalies/ruleWords.ts"
import { anomalies as listOf } from "../../../core/readings/read/anomalies.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { type Anomaly, AnomalyRule } from "../../../core/wire/data/anomalies.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { formatDay, formatNumber, metricWords } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"
import { sentence } from "../html/unusual.ts"
import { metricPath, valueOf } from "../html/values.ts"

/** Findings of a rule that are shown: the highest scores. */
const mostShown = 20

const row = ({ metric, score, source, symbol, why, ...value }: Anomaly): Html =>
  html`<tr role="row"><th scope="row" role="rowheader"><a href="${metricPath(symbol, metric)}">${symbol} ${metricWords(metric)}</a><span class="sub">${source}</span></th><td role="cell" class="n label" data-label="value">${valueOf(value)}</td><td role="cell" class="n label" data-label="score">${formatNumber(score)}</td><td role="cell" class="label" data-label="reason">${why}</td></tr>`

const ofRule = (rule: AnomalyRule, rows: ReadonlyArray<Anomaly>): Html =>
  html`<section aria-labelledby="${rule}"><h2 id="${rule}">${rule} <span class="quiet">${rows.length}</span></h2>
<p>${sentence(ruleWords[rule])}</p>
<table class="cards changes" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader" class="n">Value</th><th scope="col" role="columnheader" class="n">Score</th><th scope="col" role="columnheader">Reason</th></tr></thead>
<tbody role="rowgroup">${rows.slice(0, mostShown).map(row)}</tbody></table>${rows.length > mostShown && html`<p>The ${mostShown} highest scores are shown.</p>`}</section>`

/** The newest judged day and those of the week that it ends. */
const ofWeek = Effect.gen(function* () {
  const newest = yield* listOf({ limit: 1 })
  if (newest.judged_through === null) return newest
  const from = dateOf(Date.parse(newest.judged_through) - 6 * dayMs)
  return yield* listOf({ from, to: newest.judged_through, sort: "-score", limit: 500 })
})

export const anomalies = Effect.gen(function* () {
  const { anomalies: rows, judged_through: day } = yield* orProblem(ofWeek)
  const byRule = Map.groupBy(rows, ({ rule }) => rule)
  return yield* respondPage({
    title: "Unusual values",
    description:
      "Values of the newest closed days that a rule finds unusual, each with its rule and the reason.",
    path: "/anomalies",
    script: "page",
    body: html`<p class="trail"><a href="/changes">What changed</a></p><h1>Unusual values${day !== null && html` <span class="quiet">of the week to ${formatDay(day)}</span>`}</h1>
<p class="lede">Values of ${term("closed day", "closed days")} that are outside of what their own past, their peers or their other sources lead to. It is a reason to look. Nothing is excluded for it, and nobody is said to be wrong: <a href="/method#anomalies">the rules</a>.</p>
${
  rows.length === 0
    ? html`<p>${day === null ? "No day is judged yet." : "None."}</p>`
    : AnomalyRule.literals.map((rule) => {
        const of = byRule.get(rule)
        return of === undefined ? "" : ofRule(rule, of)
      })
}
<p><a href="/v1/anomalies">As JSON</a> · <a href="/v1/anomalies?format=csv">as CSV</a> · <a href="/docs#get-/v1/anomalies">other days, networks and rules</a></p>`
  })
})

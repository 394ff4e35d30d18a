/** What the rules found unusual in the newest week of closed days, by rule. */
import { Effect } from "effect"
import { ruleDescriptions } from "../../../core/readings/anomalies/ruleDescriptions.ts"
import { anomaliesByRule, type Largest, type Week } from "../../../core/readings/read/weekOfFindings.ts"
import { type Anomaly, type AnomalyRule, findingMeaning } from "../../../core/wire/data/anomalies.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { coded } from "../html/coded.ts"
import { formatDay, formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { seriesLink } from "../html/seriesLink.ts"
import { respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"
import { sentence } from "../html/unusual.ts"
import { valueOf } from "../html/values.ts"

/** Findings of a rule that are shown: the highest scores. */
const mostShown = 20

const row = ({ metric, score, source, symbol, why, ...value }: Anomaly): Html =>
  html`<tr role="row"><th scope="row" role="rowheader">${seriesLink({ symbol, metric, source })}</th><td role="cell" class="n label" data-label="value">${valueOf(value)}</td><td role="cell" class="n label" data-label="score">${formatNumber(score)}</td><td role="cell" class="label" data-label="reason">${coded(why)}</td></tr>`

/** How many more there are, with the list of them. */
const more = (rule: AnomalyRule, { largest, n }: Largest, { from, to }: Week): Html | false =>
  n > largest.length &&
  html`<p>The ${largest.length} highest scores are shown; <a href="/v1/anomalies?from=${from}&amp;to=${to}&amp;rule=${rule}">${formatNumber(n - largest.length)} more</a>.</p>`

const ofRule = (rule: AnomalyRule, of: Largest, week: Week): Html =>
  html`<section aria-labelledby="${rule}"><h2 id="${rule}">${rule} <span class="quiet">${formatNumber(of.n)}</span></h2>
<p>${sentence(ruleDescriptions[rule])}</p>
<table class="cards changes" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader" class="n">Value</th><th scope="col" role="columnheader" class="n">Score</th><th scope="col" role="columnheader">Reason</th></tr></thead>
<tbody role="rowgroup">${of.largest.map(row)}</tbody></table>${more(rule, of, week)}</section>`

export const anomalies = Effect.gen(function* () {
  const { rules, week } = yield* orProblem(anomaliesByRule(mostShown))
  return yield* respondPage({
    title: "Unusual values",
    description:
      "Values of the newest closed days that a rule finds unusual, each with its rule and the reason.",
    path: "/anomalies",
    script: "page",
    body: html`<p class="trail"><a href="/changes">What changed</a></p><h1>Unusual values${week !== undefined && html` <span class="quiet">of the week to ${formatDay(week.to)}</span>`}</h1>
<p class="lede">Values of ${term("closed day", "closed days")} outside the range that their own history, their peers or their other sources suggest. ${findingMeaning} <a href="/method#anomalies">The rules</a>.</p>
${
  week === undefined || rules.length === 0
    ? html`<p>${week === undefined ? "No day is judged yet." : "None of the values of these days."}</p>`
    : rules.map(({ rule, ...of }) => ofRule(rule, of, week))
}
<p><a href="/v1/anomalies${week !== undefined && `?from=${week.from}&to=${week.to}`}">As JSON</a> · <a href="/v1/anomalies?format=csv${week !== undefined && `&from=${week.from}&to=${week.to}`}">as CSV</a> · <a href="/docs#get-/v1/anomalies">other days, networks and rules</a></p>`
  })
})

/** One measure over all networks that state it, and the list of the measures. */
import { Effect } from "effect"
import { measurePath, measures } from "../../../core/catalog/Measures.ts"
import { earnedFigures } from "../../../core/readings/read/earned.ts"
import { type Measured, type MeasureMember, measured } from "../../../core/readings/read/measure.ts"
import { valueRow } from "../../../core/readings/read/valueRow.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { changeHead, commonSpan } from "../html/change.ts"
import { formatNumber, formatTime } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { roughly } from "../html/roughly.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { ageOf, marksText, metricPath, networkPath, outward } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { earnedPath } from "./earned.ts"
import { measureOf, measureSentence, memberChange, mostDrawn, multiplesOf } from "./measured.ts"

const row = (member: MeasureMember, hasPlaces: boolean, now: number): Html => {
  const { counts, place, symbol } = member
  const name = nameOfSymbol(symbol)
  const value = valueRow(member.row)
  const path = metricPath(symbol, value.metric)
  return html`<tr role="row" data-symbol="${symbol}">${hasPlaces && html`<td role="cell" class="n">${place}</td>`}<th scope="row" role="rowheader"><a href="${networkPath(symbol)}">${name}</a> <span class="quiet">${symbol}</span></th>
<td role="cell" class="n"><a class="plain" href="${path}">${roughly(value)}</a>${marksText(value).map((mark) => html` <span class="quiet">${mark}</span>`)}</td><td role="cell" class="n label" data-label="Change">${memberChange(member)}</td><td role="cell" class="extra">${counts ?? ""}</td><td role="cell" class="n extra">${ageOf(value.as_of, now)}</td><td role="cell" class="extra">${outward(value.verify_url, undefined, name)} · <a href="${path}#tell">Tell me when<span class="visually-hidden">, ${name}</span></a></td></tr>`
}

const table = ({ measure, members, missing }: Measured, now: number): Html => {
  const { best, ranks, title } = measure
  const span = commonSpan(members.map(({ change }) => ({ unit: measure.unit, change })))
  return html`<section aria-labelledby="ranking"><h2 id="ranking">${ranks ? "Ranking" : "All that state it"}</h2>
<p class="quiet">${best === "most" ? "The largest first" : "The lowest first"}${!ranks && ", without places: these are different things"}. Values that are older than 7 days, of an unconfirmed feed or 0 by definition are left out.</p>
${wideTable(
  title,
  html`<table class="ranking" role="table" aria-label="${title}"><thead role="rowgroup"><tr role="row">${ranks && html`<th scope="col" role="columnheader" class="n">#</th>`}<th scope="col" role="columnheader">Network</th><th scope="col" role="columnheader" class="n">${title}</th><th scope="col" role="columnheader" class="n">${changeHead(span)}</th><th scope="col" role="columnheader">Counts</th><th scope="col" role="columnheader" class="n">Age</th><th scope="col" role="columnheader">See it at</th></tr></thead>
<tbody role="rowgroup">${members.map((member) => row(member, ranks, now))}</tbody></table>`
)}
${missing.length > 0 && html`<p>Read once, without a value now: ${missing.map((symbol, n) => html`${n > 0 && ", "}<a href="${networkPath(symbol)}">${nameOfSymbol(symbol)}</a>`)}.</p>`}</section>`
}

/** What each metric of the measure means, once. */
const meanings = ({ members }: Measured): Html => {
  const rows = [
    ...Map.groupBy(members, ({ meaning, row: { row } }) => `${row.metric} ${meaning ?? ""}`).values()
  ]
  return html`<section aria-labelledby="differs"><h2 id="differs">In what they differ</h2><dl class="facts">${rows.map(
    (of) =>
      html`<dt>${of.slice(0, 4).map(({ symbol }, n) => html`${n > 0 && ", "}${nameOfSymbol(symbol)}`)}${of.length > 4 && ` and ${of.length - 4} more`}</dt><dd>${of[0]?.meaning ?? "The feed is gone."} <code>${of[0]?.row.row.metric ?? ""}</code></dd>`
  )}</dl></section>`
}

const takeIt = ({ measure }: Measured, baseUrl: string, now: number): Html => {
  const path = measurePath(measure)
  const frame = `<iframe src="${baseUrl}/embed${path}" title="${measure.title}" width="720" height="560" loading="lazy"></iframe>`
  return html`<section aria-labelledby="take"><h2 id="take">Take it with you</h2>
<p>The file, the frame and the JSON have the day's sample of the networks, and say so first.</p>
<div class="actions"><a class="button" href="${path}/data.csv">CSV, all days</a><a class="button" href="/v1/measures/${measure.name}">JSON</a><a class="button" href="${path}/picture.png" download="plumbline-${measure.name}.png">Picture</a></div>
<div class="columns"><div><h3><label for="cite">Cite it</label></h3><textarea id="cite" rows="3" readonly>${measure.title}, by network. Plumbline, ${baseUrl}${path}, read ${formatTime(new Date(now).toISOString())}.</textarea></div>
<div><h3><label for="embed">Embed it</label></h3><textarea id="embed" rows="3" readonly>${frame}</textarea></div></div></section>`
}

export const measure = Effect.fn("explorer.measure")(function* (name: string) {
  const one = yield* orProblem(measured(yield* measureOf(name)))
  const { measure, members } = one
  const now = yield* pageTime
  const { baseUrl } = yield* HttpSettings
  const sentence = measureSentence(one)
  const drawn = multiplesOf(members, now)
  const path = measurePath(measure)
  return yield* respondPage({
    title: `${measure.title}, by network`,
    description: `${measure.title}: ${sentence} ${measure.differs}`,
    path,
    picture: `${path}/picture.png`,
    script: "page",
    body: html`<p class="trail"><a href="/measures">Measures</a> / ${measure.title}</p><h1>${measure.title}</h1>
<p class="lede">${sentence}</p><p class="quiet">${measure.differs}</p>
${
  members.length > 0 &&
  html`<section aria-labelledby="lines"><h2 id="lines">By network</h2>${drawn.charts}<p class="quiet">${drawn.axis}${members.length > mostDrawn && ` The first ${mostDrawn} of ${formatNumber(members.length)}: all are in the table.`}</p></section>
${table(one, now)}${meanings(one)}${takeIt(one, baseUrl, now)}`
}
${members.length === 0 && one.missing.length > 0 && html`<p>${one.missing.map((symbol, n) => html`${n > 0 && ", "}<a href="${networkPath(symbol)}">${nameOfSymbol(symbol)}</a>`)}</p>`}`
  })
})

/** How many networks a measure is stated of. */
const listRow = ({ measure, members: [first] }: Measured, n: number): Html =>
  html`<tr><th scope="row"><a href="${measurePath(measure)}">${measure.title}</a></th><td class="n">${n === 0 ? "nobody" : formatNumber(n)}</td><td>${first !== undefined && measure.ranks && html`<a href="${networkPath(first.symbol)}">${nameOfSymbol(first.symbol)}</a> <span class="nowrap">${roughly(valueRow(first.row))}</span>`}</td><td class="hide-narrow quiet">${measure.differs}</td></tr>`

/** All measures, with how many state each. */
export const measureList = Effect.gen(function* () {
  const all = yield* Effect.forEach(measures, (measure) => orProblem(measured(measure)))
  // The page of what was earned has figures in tokens, and what was paid out, beside the dollars of the measure.
  const earning = new Set((yield* orProblem(earnedFigures())).map(({ row }) => row.symbol)).size
  return yield* respondPage({
    title: "Measures",
    description: `${measures.length} measures that compare networks: nodes, GPUs, prices, storage, fees and more, each over all networks that state it.`,
    path: "/measures",
    script: "page",
    body: html`<h1>Measures</h1><p class="lede">One measure over all networks that state it, subnets included, with what each of them counts and in what they differ.</p>
<table class="measures"><thead><tr><th scope="col">Measure</th><th scope="col" class="n">State it now</th><th scope="col">First</th><th scope="col" class="hide-narrow">In what they differ</th></tr></thead><tbody>${all.map(
      (one) => listRow(one, measurePath(one.measure) === earnedPath ? earning : one.members.length)
    )}</tbody></table>`
  })
})

/** Charts for the frame of another site: no header, no script, and a link to the page with the proof. */
import { Effect } from "effect"
import { measurePath } from "../../../core/catalog/Measures.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { bulk } from "../../../core/readings/read/bulk.ts"
import { measured, sampleWords, visibleMembers } from "../../../core/readings/read/measure.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { bothCompared } from "../charts/compareChart.ts"
import { bothSizes } from "../charts/lineChart.ts"
import { withheldWords } from "../charts/picture.ts"
import { formatTime, metricTitle } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { pageTime } from "../html/shell.ts"
import { knownLine } from "../html/timeMachine.ts"
import { metricPath, valueOf } from "../html/values.ts"
import { newestText, noteOfDays } from "./asKnown.ts"
import { type CompareQuery, caption, compared, noteOf, sharedOf } from "./compared.ts"
import { framed } from "./framed.ts"
import { handed, measureOf, multiplesOf } from "./measured.ts"
import { type MetricQuery, markedIn, seriesOf } from "./series.ts"

/** What stands for a series that its source does not let be handed on: where to see it. */
const linkAlone = (heading: string, address: string): Html =>
  html`<figure class="figure"><figcaption><h1>${heading}</h1></figcaption></figure>
<p>${withheldWords} <a href="${address}" target="_blank" rel="noopener">See it at Plumbline</a></p>`

export const embed = Effect.fn("explorer.embed")(function* (params: MetricQuery) {
  const series = yield* seriesOf(params)
  if (series.read === undefined) {
    return yield* new NotFound({ message: `No metric of this name is measured of ${series.of.symbol}.` })
  }
  const { asKnown, chart, name, of, read } = series
  const { baseUrl } = yield* HttpSettings
  const address = `${baseUrl}${metricPath(of.symbol, read.metric)}${asKnown === undefined ? "" : `?as_known_at=${asKnown.date}`}`
  if (!(yield* bulk).may(read.row.source))
    return yield* framed({
      title: chart.title,
      address,
      body: linkAlone(`${name}: ${metricTitle(read.metric)}`, address)
    })
  return yield* framed({
    title: chart.title,
    address,
    body: html`<figure class="figure"><figcaption><h1>${name}: ${metricTitle(read.metric)}</h1><span class="value">${asKnown === undefined ? valueOf(read.row) : newestText(asKnown, read.row.unit)}</span></figcaption>
${raw(bothSizes(chart))}</figure>${asKnown !== undefined && html`<p>${knownLine(noteOfDays(asKnown, read.row.unit))}</p>`}
<p><small>${read.row.source}, ${formatTime(asKnown?.series?.as_of ?? read.row.as_of)}. <a href="${address}" target="_blank" rel="noopener">Value and proof at Plumbline</a>${read.row.simulated === true && html`. <strong>Simulated</strong>`}</small></p>`
  })
})

export const embedCompare = Effect.fn("explorer.embedCompare")(function* (query: CompareQuery) {
  const { all, charts, lines, matches, now, params } = yield* compared(query)
  if (matches.length === 0) {
    return yield* new NotFound({ message: "Nothing to show: name a series, such as a=FIL." })
  }
  const { baseUrl } = yield* HttpSettings
  const address = `${baseUrl}${sharedOf(params, all)}`
  const handedOn = yield* bulk
  const barred = matches.find(({ read }) => !handedOn.may(read.row.source))
  if (barred !== undefined)
    return yield* framed({
      title: lines.map(({ name }) => name).join("; "),
      address,
      body: linkAlone(lines.map(({ name }) => name).join("; "), address)
    })
  const sources = new Set(matches.map(({ read }) => `${read.row.source}${markedIn(read.row)}`))
  const note = noteOf(matches, params)
  return yield* framed({
    title: lines.map(({ name }) => name).join("; "),
    address,
    body: html`<figure class="figure"><figcaption><h1>${lines.map(({ letter, name }) => `${letter.toUpperCase()} ${name}`).join("; ")}</h1></figcaption>
<p>${caption(matches, params, charts.length)}${note !== undefined && ` ${knownLine(note)}`}</p>${charts.map((chart) => raw(bothCompared(chart)))}</figure>
<p><small>${[...sources].join(", ")}, ${formatTime(new Date(now).toISOString())}. <a href="${address}" target="_blank" rel="noopener">Values and proofs at Plumbline</a></small></p>`
  })
})

export const embedMeasure = Effect.fn("explorer.embedMeasure")(function* (name: string) {
  const one = yield* orProblem(measured(yield* measureOf(name)))
  const { differs, title } = one.measure
  const { baseUrl } = yield* HttpSettings
  const address = `${baseUrl}${measurePath(one.measure)}`
  const sample = yield* visibleMembers(one, keyless)
  const { barred, members } = yield* handed(sample)
  const { axis, charts } = multiplesOf(members, yield* pageTime, ' target="_blank" rel="noopener"')
  return yield* framed({
    title,
    address,
    body: html`<h1>${title}</h1><p>${sampleWords(sample.length, one).replace(/^./, (first) => first.toUpperCase())}. ${differs}</p>
${charts}<p><small>${axis}${barred.length > 0 && ` ${barred.map(({ symbol }) => nameOfSymbol(symbol)).join(", ")}: ${withheldWords}`} <a href="${address}" target="_blank" rel="noopener">All of them, with proofs, at Plumbline</a></small></p>`
  })
})

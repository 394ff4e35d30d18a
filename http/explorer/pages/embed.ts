/** A metric's chart for the frame of another site: no header, no script, and a link to the page with the proof. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Assets } from "../assets/Assets.ts"
import { bothSizes } from "../charts/lineChart.ts"
import { formatTime, metricTitle } from "../html/format.ts"
import { html, raw } from "../html/markup.ts"
import { pageHeaders } from "../html/policy.ts"
import { metricPath, valueOf } from "../html/values.ts"
import { type MetricQuery, seriesOf } from "./series.ts"

export const embed = Effect.fn("explorer.embed")(function* (params: MetricQuery) {
  const series = yield* seriesOf(params)
  if (series.read === undefined) {
    return yield* new NotFound({ message: `No metric of this name is measured of ${series.of.symbol}.` })
  }
  const { chart, name, of, read } = series
  const { baseUrl } = yield* HttpSettings
  const assets = yield* Assets
  const address = `${baseUrl}${metricPath(of.symbol, read.metric)}`
  return HttpServerResponse.text(
    String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${chart.title}</title><meta name="robots" content="noindex"><link rel="canonical" href="${address}">
<link rel="stylesheet" href="${assets.address("styles/main.css")}"></head>
<body class="embed"><main><figure class="figure"><figcaption><h1>${name}: ${metricTitle(read.metric)}</h1><span class="value">${valueOf(read.row)}</span></figcaption>
${raw(bothSizes(chart))}</figure>
<p><small>${read.row.source}, ${formatTime(read.row.as_of)}. <a href="${address}" target="_blank" rel="noopener">Value and proof at Plumbline</a>${read.row.simulated === true && html`. <strong>Simulated</strong>`}</small></p></main></body></html>
`),
    { contentType: "text/html; charset=utf-8", headers: pageHeaders(true) }
  )
})

/** The files of a metric: its days as CSV, its chart as SVG and PNG. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { csvText } from "../../../core/readings/csv.ts"
import { bulk, withheldColumn, withheldReason } from "../../../core/readings/read/bulk.ts"
import { described } from "../../../core/wire/data/valueRow.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { chartFile } from "../charts/chartFile.ts"
import { Painter } from "../charts/Painter.ts"
import { pictureSvg, withheldPicture } from "../charts/picture.ts"
import { formatDay, metricTitle } from "../html/format.ts"
import { pictureHeaders } from "../html/policy.ts"
import { rightsText } from "../html/rights.ts"
import { metricPath } from "../html/values.ts"
import { type MetricQuery, proofLine, type Series, seriesOf, sourceLine } from "./series.ts"

const measured = Effect.fnUntraced(function* (params: MetricQuery) {
  const series = yield* seriesOf(params)
  if (series.read !== undefined) return series
  const { symbol } = series.of
  return yield* new NotFound({
    message: `No metric of this name is measured of ${symbol}. /network/${symbol} lists all.`
  })
})

const columns = [
  "symbol",
  "metric",
  "source",
  "unit",
  "date",
  "value",
  "n_observations",
  "closed",
  "simulated",
  "licence",
  "attribution"
]

export const csv = Effect.fn("explorer.csv")(function* (params: MetricQuery) {
  const { of, read, series } = yield* measured(params)
  const { unconfirmed } = read.row
  const { method } = read
  const handedOn = yield* bulk
  const may = handedOn.may(read.row.source)
  const rows = (series?.points ?? []).map(
    ({ by_definition, by_definition_reason, date, n_observations, open, simulated, value, value_text }) => [
      of.symbol,
      read.metric,
      read.row.source,
      read.row.unit,
      date,
      may ? (value_text ?? String(value)) : "",
      String(n_observations),
      String(open !== true),
      String(simulated === true),
      read.terms?.licence ?? "unknown",
      read.terms?.attribution ?? "",
      ...(unconfirmed === true ? ["true"] : []),
      ...(may ? [] : [withheldReason]),
      ...(method === undefined ? [] : [method, String(by_definition === true), by_definition_reason ?? ""])
    ]
  )
  return HttpServerResponse.text(
    yield* csvText(
      [
        ...columns,
        ...(unconfirmed === true ? ["unconfirmed"] : []),
        ...(may ? [] : [withheldColumn]),
        ...(method === undefined ? [] : ["source_method", ...Object.keys(described.definition)])
      ],
      rows
    ),
    {
      contentType: "text/csv; charset=utf-8; header=present",
      headers: { "content-disposition": `attachment; filename="${of.symbol}-${read.metric}.csv"` }
    }
  )
})

/** The chart, or, where its source does not let the series be handed on, the link to its page. */
const drawn = Effect.fnUntraced(function* (series: Series) {
  const { baseUrl } = yield* HttpSettings
  const { asKnown, chart, name, of, read } = series
  if (!(yield* bulk).may(read.row.source))
    return pictureSvg({
      ...withheldPicture(`${name}: ${metricTitle(read.metric)}`),
      foot: `${baseUrl}${metricPath(of.symbol, read.metric)}`
    })
  return chartFile(chart, {
    heading: `${name}: ${metricTitle(read.metric)}${asKnown === undefined ? "" : `, as known on ${formatDay(asKnown.date)}`}`,
    source: sourceLine(series, baseUrl, metricPath(of.symbol, read.metric)),
    rights: rightsText(read.terms),
    proof: proofLine(series, baseUrl)
  })
})

export const chartSvg = Effect.fn("explorer.chartSvg")(function* (params: MetricQuery) {
  const series = yield* measured(params)
  return HttpServerResponse.text(yield* drawn(series), {
    contentType: "image/svg+xml; charset=utf-8",
    headers: pictureHeaders
  })
})

/** Twice the size of the SVG, for sharp screens. */
const pixels = 1720

export const chartPng = Effect.fn("explorer.chartPng")(function* (params: MetricQuery) {
  const series = yield* measured(params)
  const svg = yield* drawn(series)
  const bytes = yield* (yield* Painter).png({ svg, width: pixels })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})

/** Pictures for previews of networks, metrics and comparisons: of closed days and of a date, since they are shown for weeks. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { bulk } from "../../../core/readings/read/bulk.ts"
import { profile } from "../../../core/readings/read/profile.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { compareChart } from "../charts/compareChart.ts"
import { lineChart } from "../charts/lineChart.ts"
import { Painter } from "../charts/Painter.ts"
import { chartSize, type Picture, pictureSvg, withheldPicture } from "../charts/picture.ts"
import { formatDay, metricTitle, valueText } from "../html/format.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { knownShortly } from "../html/timeMachine.ts"
import { marksText } from "../html/values.ts"
import { newestText } from "./asKnown.ts"
import { type CompareQuery, caption, compared, noteOf } from "./compared.ts"
import { headlineOf } from "./network.ts"
import { type MetricQuery, markedIn, seriesOf } from "./series.ts"

/** A picture as the answer. */
export const drawn = Effect.fnUntraced(function* (picture: Picture) {
  const bytes = yield* (yield* Painter).png({ svg: pictureSvg(picture), width: 1200 })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})

export const hostOf = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, "")

export const metricPicture = Effect.fn("explorer.metricPicture")(function* (params: MetricQuery) {
  const series = yield* seriesOf(params)
  const { baseUrl } = yield* HttpSettings
  if (series.read === undefined) {
    return yield* new NotFound({ message: `No metric of this name is measured of ${series.of.symbol}.` })
  }
  const { asKnown, chart, name, read } = series
  const { row } = read
  const marks = ["", ...marksText(row)].join(", ")
  return yield* drawn({
    heading: metricTitle(row.metric),
    ...(asKnown === undefined
      ? { below: `${name}, ${formatDay(row.as_of)}${marks}`, value: valueText(row.value, row.unit) }
      : {
          below: `${name}${marks}, as known on ${formatDay(asKnown.date)}`,
          value: newestText(asKnown, row.unit) ?? ""
        }),
    // A picture of one value where the source does not let its series be handed on.
    chart: (yield* bulk).may(row.source) ? lineChart({ ...chart, ...chartSize }) : undefined,
    foot: `Source: ${row.source}. With its proof at ${hostOf(baseUrl)}`
  })
})

export const networkPicture = Effect.fn("explorer.networkPicture")(function* (named: string) {
  const of = yield* profile(named)
  const { baseUrl } = yield* HttpSettings
  const main = headlineOf(of)
  const name = nameOfSymbol(of.symbol)
  const foot = `${of.metrics.length} measured metrics, each with source and proof, at ${hostOf(baseUrl)}`
  if (main === undefined) {
    return yield* drawn({ heading: name, below: "Listed, not measured", value: "", chart: undefined, foot })
  }
  const series = yield* seriesOf({ symbol: of.symbol, metric: main.metric })
  const { row } = main
  return yield* drawn({
    heading: name,
    below: `${metricTitle(main.metric)}, ${formatDay(row.as_of)}${["", ...marksText(row)].join(", ")}`,
    value: valueText(row.value, row.unit),
    chart:
      series.read === undefined || !(yield* bulk).may(row.source)
        ? undefined
        : lineChart({ ...series.chart, ...chartSize }),
    foot
  })
})

/** The first chart of a comparison. */
export const comparePicture = Effect.fn("explorer.comparePicture")(function* (query: CompareQuery) {
  const { charts, lines, matches, params } = yield* compared(query)
  const { baseUrl } = yield* HttpSettings
  const [first] = charts
  if (first === undefined || matches.length === 0) {
    return yield* new NotFound({ message: "Nothing to show: name a series, such as a=FIL." })
  }
  const sources = new Set(matches.map(({ read }) => `${read.row.source}${markedIn(read.row)}`))
  const note = noteOf(matches, params)
  const handedOn = yield* bulk
  const barred = matches.find(({ read }) => !handedOn.may(read.row.source))
  if (barred !== undefined)
    return yield* drawn({
      ...withheldPicture(lines.map(({ label }) => label).join(", ")),
      foot: `With the values at ${hostOf(baseUrl)}`
    })
  return yield* drawn({
    heading: lines.map(({ label }) => label).join(", "),
    below: note === undefined ? caption(matches, params, charts.length) : knownShortly(note),
    value: "",
    chart: compareChart({ ...first, ...chartSize }),
    foot: `Source: ${[...sources].join(", ")}. With their proofs at ${hostOf(baseUrl)}`
  })
})

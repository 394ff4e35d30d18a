/** Pictures for previews of networks and metrics: of closed days and of a date, since they are shown for weeks. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { profile } from "../../../core/readings/read/profile.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Painter } from "../charts/Painter.ts"
import { type Picture, pictureSvg } from "../charts/picture.ts"
import { formatDay, metricTitle, valueText } from "../html/format.ts"
import { marksText } from "../html/values.ts"
import { headlineOf } from "./network.ts"
import { seriesOf } from "./series.ts"

const drawn = Effect.fnUntraced(function* (picture: Picture) {
  const bytes = yield* (yield* Painter).png({ svg: pictureSvg(picture), width: 1200 })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})

const hostOf = (baseUrl: string): string => baseUrl.replace(/^https?:\/\//, "")

export const metricPicture = Effect.fn("explorer.metricPicture")(function* (symbol: string, metric: string) {
  const series = yield* seriesOf({ symbol, metric })
  const { baseUrl } = yield* HttpSettings
  if (series.read === undefined) {
    return yield* new NotFound({ message: `No metric of this name is measured of ${series.of.symbol}.` })
  }
  const { chart, name, read } = series
  const { row } = read
  return yield* drawn({
    heading: metricTitle(metric),
    below: `${name}, ${formatDay(row.as_of)}${["", ...marksText(row)].join(", ")}`,
    value: valueText(row.value, row.unit),
    chart,
    foot: `Source: ${row.source}. With its proof at ${hostOf(baseUrl)}`
  })
})

export const networkPicture = Effect.fn("explorer.networkPicture")(function* (named: string) {
  const of = yield* profile(named)
  const { baseUrl } = yield* HttpSettings
  const main = headlineOf(of)
  const name = of.network?.name ?? of.symbol
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
    chart: series.read === undefined ? undefined : series.chart,
    foot
  })
})

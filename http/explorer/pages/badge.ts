/** The badge of a metric. A single value with its source's leave to be displayed is enough (`core/rights/mayUse.ts`). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { AttestResponse } from "../../../core/wire/log/attest.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { badgeSvg } from "../charts/badge.ts"
import { formatShortDay, metricWords, valueText } from "../html/format.ts"
import { pictureHeaders } from "../html/policy.ts"
import { marksText } from "../html/values.ts"
import { provedOf, seriesOf } from "./series.ts"

/** Where the badge of a metric is. */
export const badgePath = (symbol: string, metric: string): string =>
  `/badge/${encodeURIComponent(symbol)}/${encodeURIComponent(metric)}.svg`

/** The newest sealed value with its day, and what is to be said of it beside. */
const badgeWords = (proved: AttestResponse | undefined): string => {
  if (proved === undefined) return "not sealed yet"
  if (proved.excluded !== undefined) return "withheld by an incident"
  const { value } = proved
  return [
    `${valueText(value.value, value.unit)} on ${formatShortDay(proved.date)}`,
    "sealed",
    ...marksText(value)
  ].join(", ")
}

export const badge = Effect.fn("explorer.badge")(function* (symbol: string, file: string) {
  const metric = /^(\w+)\.svg$/.exec(file)?.[1] ?? ""
  const series = yield* seriesOf({ symbol, metric })
  if (series.read === undefined)
    return yield* new NotFound({
      message: `No badge of this name: /network/${series.of.symbol} lists what is measured, and a badge is /badge/${series.of.symbol}/<metric>.svg.`
    })
  const proved = yield* provedOf(series)
  return HttpServerResponse.text(badgeSvg(`${series.name} ${metricWords(metric)}`, badgeWords(proved)), {
    contentType: "image/svg+xml; charset=utf-8",
    headers: pictureHeaders
  })
})

/** What a network is and how it stands, in one paragraph that needs no knowledge of the field; nothing in it is unmeasured. */
import { Effect } from "effect"
import type { Network } from "../../../core/catalog/Catalog.ts"
import { categoryFigures, placeAmongPeers, rankedFigures } from "../../../core/readings/read/category.ts"
import { extremesOf } from "../../../core/readings/read/extremes.ts"
import type { ReadMetric } from "../../../core/readings/read/profile.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { categoryTitle, formatDay, metricTitle, metricWords, valueText } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { categoryPath, mostRanked } from "./category.ts"

/** A sentence of a manifest, as the rest of another sentence. */
const within = (sentence: string): string => sentence.replace(/\.$/, "")

/** The paragraph; false of a symbol that is no network, or of which nothing is measured. */
export const introduction = Effect.fn("explorer.introduction")(function* (
  network: Network | undefined,
  main: ReadMetric | undefined
) {
  if (network === undefined || main === undefined) return false
  const { category, chain, name, symbol } = network
  const { meaning, metric, row } = main
  const extremes = yield* orProblem(extremesOf({ symbol, metric, source: row.source }))
  const place = placeAmongPeers(rankedFigures(yield* categoryFigures(category)), {
    symbol,
    metric,
    unit: row.unit
  })
  const title = metricTitle(metric)
  const kind = categoryTitle(category)
  const sentences: ReadonlyArray<Html> = [
    html`${name} is listed under <a href="${categoryPath(category)}">${kind}</a>${chain !== undefined && ` and runs on ${chain}`}.`,
    meaning === undefined
      ? html`What stands for it here is ${metricWords(metric)}.`
      : html`What stands for it here is ${metricWords(metric)} (“${within(meaning)}”).`,
    ...(extremes === undefined
      ? []
      : [
          html`The first closed day in the log is ${formatDay(extremes.first.date)} with ${valueText(extremes.first.value, extremes.unit)}; the highest is ${formatDay(extremes.highest.date)} with ${valueText(extremes.highest.value, extremes.unit)}.`
        ]),
    // A place that the table of the ranking does not reach is not claimed.
    ...(place === undefined || place.place > mostRanked
      ? []
      : [
          html`By ${title} it is number ${place.place} of the ${place.of} networks of its category of which this is measured (<a href="${categoryPath(category)}?metric=${encodeURIComponent(metric)}">ranking</a>).`
        ])
  ]
  return html`<p class="introduction">${sentences.map((sentence, n) => html`${n > 0 && " "}${sentence}`)}</p>`
})

/** What a network is and how it stands, in one paragraph that needs no knowledge of the field; nothing in it is unmeasured. */
import { Effect } from "effect"
import type { Network } from "../../../core/catalog/Catalog.ts"
import { categoryFigures, placeAmongPeers, rankedFigures } from "../../../core/readings/read/category.ts"
import { extremesOf } from "../../../core/readings/read/extremes.ts"
import type { ReadMetric } from "../../../core/readings/read/profile.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { categoryTitle, formatDay, metricWords } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { roughText } from "../html/roughly.ts"
import { categoryPath, mostRanked } from "./category.ts"

/** A sentence of a manifest, as the rest of another sentence. */
const within = (sentence: string): string => sentence.replace(/\.$/, "")

/** A chain as people write it, of which the catalog has small letters: `Solana`, `BSC`. */
const chainWords = (chain: string, name: string): string =>
  name.toLowerCase().split(" ")[0] === chain
    ? "a chain of its own"
    : chain.length <= 3
      ? chain.toUpperCase()
      : chain.replace(/^./, (first) => first.toUpperCase())

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
  const kind = categoryTitle(category)
  const sentences: ReadonlyArray<Html> = [
    html`${name} is listed under <a href="${categoryPath(category)}">${kind}</a>${chain !== undefined && ` and runs on ${chainWords(chain, name)}`}.`,
    meaning === undefined
      ? html`What stands for it here is ${metricWords(metric)}.`
      : html`What stands for it here is ${metricWords(metric)} (“${within(meaning)}”).`,
    ...(extremes === undefined
      ? []
      : [
          html`It is in the log since ${formatDay(extremes.first.date)}, with ${roughText(extremes.first.value, extremes.unit)} on that day${extremes.highest.date !== extremes.first.date && `; the highest since was ${roughText(extremes.highest.value, extremes.unit)}, on ${formatDay(extremes.highest.date)}`}.`
        ]),
    // A place that the table of the ranking does not reach is not claimed.
    ...(place === undefined || place.place > mostRanked
      ? []
      : [
          html`By ${metricWords(metric)} it is number ${place.place} of the ${place.of} networks of this category that state it (<a href="${categoryPath(category)}?metric=${encodeURIComponent(metric)}">ranking</a>).`
        ])
  ]
  return html`<p class="introduction">${sentences.map((sentence, n) => html`${n > 0 && " "}${sentence}`)}</p>`
})

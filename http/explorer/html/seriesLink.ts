/** A series as people call it, leading to its page, with its source below. */
import { metricWords, sourceWords } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { nameOfSymbol } from "./nameOfSymbol.ts"
import { metricPath } from "./values.ts"

export interface NamedSeries {
  readonly symbol: string
  readonly metric: string
  /** Every source of the metric without it. */
  readonly source?: string | undefined
}

/** `Filecoin active storage providers`. */
export const seriesWords = ({ metric, symbol }: NamedSeries): string =>
  `${nameOfSymbol(symbol)} ${metricWords(metric)}`

/** `fragment`: the part of its page, with its `#`. */
export const seriesLink = (series: NamedSeries, fragment = ""): Html =>
  html`<a href="${metricPath(series.symbol, series.metric)}${fragment}">${seriesWords(series)}</a><span class="sub">${series.source === undefined ? "every source" : sourceWords(series.source)}</span>`

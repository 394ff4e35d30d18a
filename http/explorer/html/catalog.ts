/** What the home page says of the catalog. It runs in a browser too, which draws it again from the signed answer. */
import { coverageOf } from "../../../core/readings/read/coverage.ts"
import type { SymbolRow } from "../../../core/wire/data/symbols.ts"
import { categoryTitle, formatNumber, metricTitle } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { metricPath, networkPath, telemetryOf } from "./values.ts"

/** How many networks and series there are; `/coverage` defines each count. */
export const coverageFigures = (all: ReadonlyArray<SymbolRow>): Html => {
  const { catalog, ownTelemetry, referenceMeasured, series, subnetsMeasured } = coverageOf(all)
  return html`<div><dt>Networks measured</dt><dd><a href="/coverage#own">${formatNumber(ownTelemetry)}</a><small>and ${formatNumber(subnetsMeasured)} subnets, ${formatNumber(referenceMeasured)} reference chains; of ${formatNumber(catalog)} in the catalog</small></dd></div>
<div><dt>Live series</dt><dd><a href="/coverage#series">${formatNumber(series)}</a><small>a value in the last 7 days</small></dd></div>`
}

/** The cells of a network's row that hold no value. */
export const networkCells = ({
  category,
  headline,
  live_series,
  name,
  symbol,
  telemetry_tier
}: SymbolRow) => ({
  name: html`<a href="${networkPath(symbol)}">${name}</a> <span class="quiet">${symbol}</span><span class="sub">${categoryTitle(category)}</span>`,
  metric:
    headline === undefined || telemetry_tier !== "first_party"
      ? html`<span class="quiet">not measured</span>`
      : html`<a href="${metricPath(symbol, headline)}">${metricTitle(headline)}</a>`,
  telemetry: telemetryOf(telemetry_tier),
  series: html`${live_series}`
})

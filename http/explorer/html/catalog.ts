/** What the home page says of the catalog. It runs in a browser too, which draws it again from the signed answer. */
import type { SymbolRow } from "../../../core/wire/data/symbols.ts"
import { categoryTitle, formatNumber, metricTitle } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { metricPath, networkPath, telemetryOf } from "./values.ts"

/** How many networks and series there are. */
export const coverage = (all: ReadonlyArray<SymbolRow>): Html => {
  const series = all.reduce((sum, { live_series }) => sum + live_series, 0)
  return html`<div><dt>Networks measured</dt><dd>${formatNumber(measured(all))}<small>of ${formatNumber(all.length)} in the catalog</small></dd></div>
<div><dt>Live series</dt><dd>${formatNumber(series)}<small>a value in the last 7 days</small></dd></div>`
}

/** Networks whose own telemetry is measured. */
export const measured = (all: ReadonlyArray<SymbolRow>): number =>
  all.filter(({ telemetry_tier }) => telemetry_tier === "first_party").length

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
    headline === undefined
      ? html`<span class="quiet">not measured</span>`
      : html`<a href="${metricPath(symbol, headline)}">${metricTitle(headline)}</a>`,
  telemetry: telemetryOf(telemetry_tier),
  series: html`${live_series}`
})

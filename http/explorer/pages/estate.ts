/** How the service stands, in figures. */
import type { SymbolRow } from "../../../core/wire/data/symbols.ts"
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import { coverageFigures } from "../html/catalog.ts"
import { absent, formatDay, formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"

export const estate = ({
  all,
  newest,
  readings
}: {
  readonly all: ReadonlyArray<SymbolRow>
  readonly newest: Attestation | undefined
  /** Undefined before they were counted. */
  readonly readings: number | undefined
}): Html =>
  html`<dl class="strip" id="estate">
${coverageFigures(all)}
<div><dt>Readings</dt><dd>${readings === undefined ? html`${absent}<small>being counted</small>` : html`${formatNumber(readings)}<small>in the last 24 hours</small>`}</dd></div>
<div><dt>Last closed day</dt><dd>${newest === undefined ? absent : html`${formatDay(newest.day)}<small>${formatNumber(newest.n_readings + newest.n_late + newest.n_revisions)} values sealed</small>`}</dd></div>
</dl>`

/** How the service stands, in seven figures. */
import { isoTime } from "../../../core/plugin/Value.ts"
import type { ComparedDay } from "../../../core/readings/read/agreementCounts.ts"
import type { SymbolRow } from "../../../core/wire/data/symbols.ts"
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import { seenFigure } from "../html/agreement.ts"
import { coverageFigures } from "../html/catalog.ts"
import { absent, formatDay, formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { anchorFigure } from "../html/state.ts"
import { agedOf } from "../html/values.ts"

export const estate = ({
  all,
  compared,
  newest,
  headAt,
  now,
  observers,
  readings,
  size
}: {
  readonly all: ReadonlyArray<SymbolRow>
  readonly newest: Attestation | undefined
  /** When the newest head was signed, epoch milliseconds; undefined while the log is empty. */
  readonly headAt: number | undefined
  /** Undefined before they were counted. */
  readonly readings: number | undefined
  /** The newest day that other operators were compared with; undefined before there is one. */
  readonly compared: ComparedDay | undefined
  /** How many of them the operator names. */
  readonly observers: number
  readonly now: number
  /** Entries in the log. */
  readonly size: number
}): Html =>
  html`<dl class="strip" id="estate">
${coverageFigures(all)}
<div><dt>Readings</dt><dd>${readings === undefined ? html`${absent}<small>being counted</small>` : html`${formatNumber(readings)}<small>in the last 24 hours</small>`}</dd></div>
<div><dt>Last closed day</dt><dd>${newest === undefined ? absent : html`${formatDay(newest.day)}<small>${formatNumber(newest.n_readings + newest.n_late + newest.n_revisions)} values sealed</small>`}</dd></div>
<div><dt>Anchor</dt><dd>${newest === undefined ? absent : anchorFigure(newest.anchor)}</dd></div>
<div><dt>Seen by others</dt><dd>${seenFigure(compared, observers)}</dd></div>
<div><dt>Head of the log</dt><dd>${size}<small>${size === 1 ? "entry" : "entries"}${headAt !== undefined && html`, ${agedOf(isoTime(headAt), now)}`}</small></dd></div>
</dl>`

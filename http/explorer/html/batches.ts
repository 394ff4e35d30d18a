/** What a page says of a closed batch. It runs in a browser too, which draws it again from the signed answer. */
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import { formatDay, formatNumber } from "./format.ts"
import { type Html, html } from "./markup.ts"
import { anchorOf, shortHash, sign } from "./state.ts"

/** A row of the table of batches. */
export const batchRow = (one: Attestation): Html =>
  html`<tr role="row" data-day="${one.day}"><th scope="row" role="rowheader" class="nowrap"><a href="/log/${one.day}">${formatDay(one.day)}</a></th>
<td role="cell" class="nowrap">${one.late ? html`${sign("late")}closed late` : html`${sign("closed")}closed`}</td>
<td role="cell" class="n label" data-label="leaves">${formatNumber(one.tree_size)}</td><td role="cell" class="n extra">${formatNumber(one.n_late)}</td>
<td role="cell" class="n extra">${formatNumber(one.n_revisions)}</td><td role="cell" class="n extra">${formatNumber(one.n_absent)}</td>
<td role="cell" class="extra">${shortHash(one.root)}</td><td role="cell" class="n extra">${one.log_index}</td><td role="cell">${anchorOf(one.anchor)}</td></tr>`

type Counted = Pick<Attestation, "day" | "tree_size" | "n_readings" | "n_late" | "n_revisions" | "n_absent">

/** The counts on the page of a day. */
export const batchCounts = (
  one: Counted
): Html => html`<div><dt>Leaves</dt><dd>${formatNumber(one.tree_size)}<small><a href="/v1/log/batches/${one.day}/leaves" download="${one.day}.leaves.jsonl">all of them, one on a line</a>; one has the list of what is absent</small></dd></div>
<div><dt>Readings</dt><dd>${formatNumber(one.n_readings)}<small>on time</small></dd></div>
<div><dt>Late</dt><dd>${formatNumber(one.n_late)}<small>after their day’s close</small></dd></div>
<div><dt>Revised</dt><dd>${formatNumber(one.n_revisions)}<small>restated by the source</small></dd></div>
<div><dt>Absent</dt><dd><a href="#absent">${formatNumber(one.n_absent)}</a><small>expected, without a reading</small></dd></div>`

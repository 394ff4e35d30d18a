/** What a product, or everything that subscriptions read, covers today. */
import { notReviewed } from "../../../core/plugin/reviewed.ts"
import type { Coverage } from "../../../core/wire/credits/coverage.ts"
import type { Reach } from "../../../core/wire/credits/pricing.ts"
import { formatDay, formatNumber, valueText } from "./format.ts"
import { type Html, html } from "./markup.ts"

const daysOf = ({ first_day, last_day }: { readonly first_day?: string; readonly last_day?: string }) =>
  first_day === undefined || last_day === undefined
    ? ""
    : first_day === last_day
      ? formatDay(last_day)
      : `${formatDay(first_day)} to ${formatDay(last_day)}`

/** In one line. */
export const coversWords = (coverage: Coverage): string => {
  const { holds, networks, not_reviewed: unreviewed = 0, of_networks, series, unconfirmed = 0 } = coverage
  if (holds !== undefined) return holds
  const days = daysOf(coverage)
  return [
    `${formatNumber(networks)} of ${formatNumber(of_networks)} networks`,
    `${formatNumber(series)} series${unconfirmed === 0 ? "" : `, ${formatNumber(unconfirmed)} of them unconfirmed`}`,
    ...(unreviewed === 0 ? [] : [`${formatNumber(unreviewed)} of them ${notReviewed}`]),
    ...(days === "" ? [] : [days])
  ].join(", ")
}

/** With what is missing. */
export const coversList = (coverage: Coverage): Html =>
  html`<p class="covers"><strong>Covers today:</strong> ${coversWords(coverage)}. <a href="/coverage">What the counts mean</a>.</p>
${
  coverage.missing.length > 0 &&
  html`<details class="missing"><summary>What is missing</summary><ul class="plain">${coverage.missing.map((one) => html`<li>${one}.</li>`)}</ul></details>`
}`

/** Of the tiers, exports and the archive. */
export const reachStrip = ({ archive, history, lists }: Reach): Html =>
  html`<dl class="strip"><div><dt><a href="/coverage#networks">Networks with values</a></dt><dd>${formatNumber(lists.networks)}<small>of ${formatNumber(lists.of_networks)} in the catalog</small></dd></div>
<div><dt><a href="/coverage#series">Live series</a></dt><dd>${formatNumber(lists.series)}<small>in lists, views and exports</small></dd></div>
<div><dt>Daily history</dt><dd>${formatNumber(history.series)} <span class="unit">series</span><small>${daysOf(history) || "no day is closed yet"}</small></dd></div>
<div><dt>Archive</dt><dd>${formatNumber(archive.files)} <span class="unit">files</span><small>${archive.files === 0 ? "none is published yet" : `${daysOf(archive)}, ${valueText(archive.bytes, "bytes")}`}</small></dd></div></dl>`

/** All feeds by rights: what each source allows, in its own words, and what this service does with its values. */
import { Effect } from "effect"
import { type Permission, type Use, uses } from "../../../core/plugin/Manifest.ts"
import {
  type CountsOfUse,
  type RightsOfFeed,
  type ShownGrant,
  sourceRights,
  type UseOfFeed
} from "../../../core/readings/read/sourceRights.ts"
import { formatDay, formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { placeOfTerms } from "../html/rights.ts"
import { pageTime, respondPage } from "../html/shell.ts"

const useNames: Readonly<Record<Use, string>> = {
  show: "Show",
  bulk: "Hand on",
  sell: "Sell",
  bodies: "Answers"
}

const useMeanings: Readonly<Record<Use, string>> = {
  show: "A value with its source: on a page, in a picture of one value, and in answers of the API.",
  bulk: "Values in tables, exports, webhooks, embeds and pictures of a series.",
  sell: "Values in what is paid for: products, and reads and queries that are sold.",
  bodies: "The source’s own answers as they were read, such as those of a replayed run."
}

const stated: Readonly<Record<Permission, string>> = {
  yes: "yes",
  no: "no",
  unknown: "not read"
}

/** What the terms say, and what is done where that is something else. */
const useCell = ({ may, stated: says }: UseOfFeed): Html | string =>
  says === "no" && may ? html`no<span class="sub">by permission: yes</span>` : stated[says]

const head = (heads: ReadonlyArray<string>): Html =>
  html`<thead role="rowgroup"><tr role="row">${heads.map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}</tr></thead>`

const cell = (name: string, content: Html | string | false): Html =>
  html`<td role="cell" class="label" data-label="${name.toLowerCase()}">${content}</td>`

const feedTable = (feeds: ReadonlyArray<RightsOfFeed>, now: number): Html =>
  html`<table class="cards keys" role="table" aria-labelledby="feeds">${head(["Feed", ...uses.map((use) => useNames[use]), "In its own words"])}
<tbody role="rowgroup">${feeds.map(
    ({ feed, series, terms, title, uses: of }) =>
      html`<tr role="row" id="${feed}"><th scope="row" role="rowheader">${title}<span class="sub"><code>${feed}</code>, ${formatNumber(series)} series</span></th>${uses.map((use) => cell(useNames[use], useCell(of[use])))}${cell(
        "Words",
        terms === undefined
          ? "Nobody has read its terms."
          : html`${terms.quote !== undefined && html`<q>${terms.quote}</q> `}${terms.attribution}; licence ${terms.licence} <span class="quiet">(${placeOfTerms(terms, now)})</span>`
      )}</tr>`
  )}</tbody></table>`

const countTable = (counts: Readonly<Record<Use, CountsOfUse>>): Html =>
  html`<table class="cards keys" role="table" aria-labelledby="counts">${head(["Use", "Allowed", "Forbidden", "Nobody has read", "Done here"])}
<tbody role="rowgroup">${uses.map((use) => {
    const { no, unknown, used, yes } = counts[use]
    return html`<tr role="row"><th scope="row" role="rowheader">${useNames[use]}<span class="sub">${useMeanings[use]}</span></th>${cell("Allowed", formatNumber(yes))}${cell("Forbidden", formatNumber(no))}${cell("Nobody has read", formatNumber(unknown))}${cell("Done here", formatNumber(used))}</tr>`
  })}</tbody></table>`

const states: Readonly<Record<ShownGrant["state"], string>> = {
  in_force: "in force",
  expired: "expired: it permits nothing",
  not_yet: "not yet in force",
  no_such_feed: "of no feed of this service: it permits nothing"
}

const grantTable = (grants: ReadonlyArray<ShownGrant>): Html =>
  html`<table class="cards keys" role="table" aria-labelledby="permissions">${head(["Feed", "Uses", "From", "Until", "State", "Reference"])}
<tbody role="rowgroup">${grants.map(
    (grant) =>
      html`<tr role="row"><th scope="row" role="rowheader"><code>${grant.feed}</code></th>${cell("Uses", grant.uses.map((use) => useNames[use].toLowerCase()).join(", "))}${cell("From", formatDay(grant.from))}${cell("Until", formatDay(grant.until))}${cell("State", states[grant.state])}${cell("Reference", grant.reference)}</tr>`
  )}</tbody></table>`

export const sources = Effect.gen(function* () {
  const { counts, feeds, grants, sellUnknown, simulated, unreadable } = yield* sourceRights
  const now = yield* pageTime
  return yield* respondPage({
    title: "Sources and their rights",
    description:
      "What each source allows to be done with its data, in its own words, and what this service does.",
    path: "/sources",
    script: "page",
    body: html`<h1>Sources and their rights</h1>
<p class="lede">What the terms of each source allow, where somebody has read them, and what this service does with its values.</p>
<section aria-labelledby="counts"><h2 id="counts">Series by rights</h2>
${countTable(counts)}
<p>A no is obeyed: such a value is in no sale, or in no table, export, embed or picture of a series, and what is made says that it is missing. What nobody has read is shown and handed on with its source’s name${sellUnknown ? ", and sold with the rights that are known" : ", and not sold"}. Answers of sources are handed on only with a yes. The <a href="/log">log</a> and its files are evidence: they keep every value, and are not sold. Ranks, shares and changes from which no value can be told are figures of this service.</p></section>
<section aria-labelledby="permissions"><h2 id="permissions">Permissions of this operator</h2>
${simulated && html`<p><strong>Simulated.</strong> Nobody gave these permissions: the demonstration plays with them so that everything can be tried.</p>`}
${unreadable !== undefined && html`<p><strong>The operator’s file gives no permission:</strong> ${unreadable}.</p>`}
${grants.length === 0 ? html`<p>None. The terms alone decide.</p>` : grantTable(grants)}
${grants.length > 0 && html`<p>The operator states them in the <a href="/log">log</a>, in a signed document of the kind <code>permissions</code>. Whether they were given, only the documents that he names can show.</p>`}</section>
<section aria-labelledby="feeds"><h2 id="feeds">All feeds</h2>
${feedTable(feeds, now)}
<p>The same for programs: <code>terms</code> of each feed in <a href="/v1/data-dictionary">/v1/data-dictionary</a>.</p></section>`
  })
})

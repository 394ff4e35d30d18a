import { openWords, soldWords } from "../../core/credits/openData.ts"
import { saysOf, type Terms } from "../../core/credits/warranty/terms.ts"
import { contactList } from "../explorer/html/contact.ts"
import { html } from "../explorer/html/markup.ts"
import type { OperatorDetails } from "../Operator.ts"

/** Who the contract is with; the operator's own words are escaped. */
const partyOf = (operator: OperatorDetails) => html`<h2 id="operator">Operator</h2>
${contactList(operator)}
${operator.law !== undefined && html`<p>These terms are under ${operator.law}.</p>`}
${operator.termsUrl !== undefined && html`<p>Beside them hold <a href="${operator.termsUrl}">the operator’s own terms</a>.</p>`}`

/** What is promised of what is sold, if anything is. */
const warrantyOf = (warranty: Terms | undefined) =>
  warranty === undefined
    ? ""
    : html`<h2 id="warranty">Warranty</h2>
<p>${saysOf(warranty)}</p>
<p>The price list and the statement signed with an offer say the same. For a sale, the statement signed with its receipt holds: it names the values that are
covered by the root of their tree, and what is paid back names the document of the log that it is paid for.</p>`

/** The terms page, which `terms_url` of `/v1/world` names. */
export const terms = (operator: OperatorDetails, warranty: Terms | undefined): string => `
<h1>Terms of use</h1>
<p>Plumbline serves measurements: values read from public upstream sources, each with a URL to compare it against. They
are for information only. They are not investment advice, a recommendation or a forecast.</p>
<ul>
<li>Values are provided as measured, without warranty of any kind${warranty === undefined ? "" : ' except <a href="#warranty">the one below</a>'}. An upstream source can be wrong, late or gone. What
was not measured is absent or null, never 0.</li>
<li>Each value names its upstream source. That source keeps the rights to its data, and its terms apply to your use of
them.</li>
<li>Derived grades and scores are ordinal heuristics over point estimates, not calibrated measurements.</li>
<li>Every response is signed. The signature proves that this service sent this response at this time, not that the
upstream source was right.</li>
<li>${openWords}</li>
<li>${soldWords}</li>
<li>Credits buy data products, which are delivered immediately. You are not charged for a purchase that is rejected or
cannot be delivered.</li>
<li>Rate limits keep the service usable for everyone. After a 429, wait for the time in <code>Retry-After</code>.</li>
<li>Values excluded because of a quality incident are kept and flagged; <a href="/v1/incidents">incidents</a> lists them
with the reason. Every change of a published value is listed under
<a href="/v1/revisions">revisions</a>.</li>
</ul>
<h2 id="data">Licence of the data</h2>
<p>What this service adds (dates, definitions, proofs, joins, derived figures) is free to use with attribution: “Plumbline”, with the address of the
page. The values themselves are their sources’: <a href="/sources">Sources and their rights</a> says for each feed what its terms allow,
where they were read, and whom to name, and so does the <a href="/v1/data-dictionary">data dictionary</a>. Where they are unknown, name the source and ask it before you publish its values again.</p>
<h2 id="service">Service</h2>
<ul>
<li>What is promised and what was kept is measured by the service itself: <a href="/status">status</a>. A promise that was missed is named there with its day.</li>
<li>A subscription ends with its paid month when you cancel it under <a href="/account">Account</a>; credits that you bought do not expire.</li>
<li>Each purchase has a signed receipt; invoices are in the account’s portal where cards are accepted.</li>
<li>What is kept of you, and how it is deleted, is on <a href="/privacy">the page on privacy</a>.</li>
</ul>
${warrantyOf(warranty)}
${partyOf(operator)}
<p>The operator of this service is responsible for it and may add further terms. The software is licensed under the Apache License 2.0.</p>
`

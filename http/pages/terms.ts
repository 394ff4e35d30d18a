import { openWords, soldWords } from "../../core/credits/openData.ts"

/** The terms page, which `terms_url` of `/v1/world` names. */
export const terms = `
<h1>Terms of use</h1>
<p>Plumbline serves measurements: values read from public upstream sources, each with a URL to compare it against. They
are for information only. They are not investment advice, a recommendation or a forecast.</p>
<ul>
<li>Values are provided as measured, without warranty of any kind. An upstream source can be wrong, late or gone. What
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
<p>The operator of this service is responsible for it and may add further terms. The software is licensed under the Apache License 2.0.</p>
`

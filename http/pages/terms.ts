/** The terms page, which `terms_url` of `/v1/world` names. */
export const terms = `
<h1>Terms of use</h1>
<p>Plumbline serves measurements: values that it read from upstreams that anyone can read, with the address to compare
against. They are informational. They are not investment advice, not a recommendation, and not a forecast.</p>
<ul>
<li>Values are given as measured, without warranty of any kind. An upstream can be wrong, late or gone; what was not
measured is absent or null, never 0.</li>
<li>Each value names its upstream. The rights in an upstream's data stay with that upstream, and its own terms hold for
what you do with them.</li>
<li>Derived grades and scores are ordinal heuristics over point estimates, not calibrated measurements.</li>
<li>Every answer is signed. The signature says that this service gave this answer at this time; it does not say that
the upstream was right.</li>
<li>Credits pay for data products that are delivered at once. A purchase that was not delivered is not charged. A refused
purchase is not charged.</li>
<li>Limits keep the service usable for all. A client that gets 429 waits as long as <code>Retry-After</code> says.</li>
<li>Values that a quality incident excludes are kept and flagged; published values are never changed unseen
(<a href="/v1/revisions">revisions</a>).</li>
</ul>
<p>Whoever runs this service answers for it and may add terms of their own. The software is under the Apache License 2.0.</p>
<p><a href="/docs">Documentation</a></p>
`

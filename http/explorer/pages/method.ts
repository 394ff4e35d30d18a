/** How a figure comes about, step by step, with the place where each step can be checked. */
import { Effect } from "effect"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { seriesADay } from "../../../core/readings/recheck/drawDue.ts"
import { assurances, lotLately } from "../../assurances.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { askAgainSentence, lotSentence, sealSentence } from "../html/assuranceWords.ts"
import { formatNumber } from "../html/format.ts"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"
import { unusualValues } from "../html/unusual.ts"

export const method = Effect.gen(function* () {
  const { manifests } = yield* Feeds
  const [here, lot] = yield* orProblem(Effect.all([assurances, lotLately]))
  return yield* respondPage({
    title: "Method",
    description:
      "How a figure comes about: read, checked, dated, sealed, corrected, and where each step can be checked.",
    path: "/method",
    script: "page",
    body: html`<h1>Method</h1>
<p class="lede">What happens between a source and a figure on this site, and where you can check each step.</p>
<ol class="steps columns">
<li><h2 id="read">Read</h2><p>${manifests.length} collectors ask their sources at fixed intervals. Each is a small program without memory: the same answer gives the same figures. <a href="/v1/data-dictionary">The dictionary</a> says what each metric counts, in which unit, and where that was read in the operator’s own source. Answers and code are kept, so that <a href="/v1/derivation">each run</a> can be repeated.</p></li>
<li><h2 id="check">Check</h2><p>A figure outside its bounds, a part above its whole, or a jump that its own history does not explain is withheld, with the reason, until a second source or a person confirms it. What is withheld is on <a href="/log/incidents">the list of incidents</a>. A feed that nothing but its author has compared with its source is marked unconfirmed, and enters no headline, share or rank. An aggregator’s figure names the method that it follows; a 0 that the method states and nobody counted is shown as 0 by definition, and enters no sum either.</p></li>
<li><h2 id="date">Date</h2><p>A figure carries the time that its source says it was true, and otherwise when it was read. What was not measured is absent: never 0, never carried forward.</p></li>
<li><h2 id="seal">Seal</h2><p>A UTC day closes at 08:00 of the next. Its figures become ${term("leaf", "leaves")} of a tree whose root enters <a href="/log">an append-only log</a>; ${sealSentence(here)} Runs are in the log within ten minutes of their hour, so that none can be slipped in later.</p></li>
<li><h2 id="again">Look again</h2><p>${askAgainSentence(here)} ${lotSentence(lot !== null, formatNumber(seriesADay))}${lot !== null && html` <a href="/coverage#again">The share that held</a> is published.`}</p></li>
<li><h2 id="correct">Correct</h2><p>A published value is never overwritten. When its source restates it, or the collector was wrong, a revision with both values and the reason joins the log. All of it is on <a href="/corrections">the list of corrections</a>.</p></li>
<li><h2 id="cite">Cite</h2><p>The page of each figure has a citation to copy: its name, value, day, source and address. A closed day’s value also has a receipt below <code>/p/</code>, whose address means this value of this day for good and shows what was checked of it. Name the source beside Plumbline: <a href="/sources">what each allows</a>.</p></li>
</ol>
${unusualValues}
<p>The formats, byte by byte, are in <a href="/docs">the documentation</a>; <a href="/verify">check a value</a> in your browser, or with <code>plumbline verify</code> on your own machine.</p>`
  })
})

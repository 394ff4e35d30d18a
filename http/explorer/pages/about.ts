/** Who runs the service, what it is, and how to reach somebody. */
import { Effect } from "effect"
import { assurances } from "../../assurances.ts"
import { Operator } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { reportSentence } from "../html/assuranceWords.ts"
import { contactList } from "../html/contact.ts"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

export const about = Effect.gen(function* () {
  const operator = yield* Operator
  return yield* respondPage({
    title: "About and contact",
    description: "Who runs this service, what it measures, and how to reach somebody.",
    path: "/about",
    script: "page",
    body: html`<h1>About and contact</h1>
<p class="lede">Plumbline reads what infrastructure networks and the physical world say of themselves, says of each figure where it came from and when it was true, and makes it checkable without trusting this site.</p>
<div class="columns"><section aria-labelledby="contact"><h2 id="contact">Contact</h2>${contactList(operator)}
<p>A figure that looks wrong: ${reportSentence(yield* orProblem(assurances))} What comes of reports is on <a href="/corrections">the list of corrections</a>.</p></section>
<section aria-labelledby="software"><h2 id="software">The software and the service</h2>
<p>The software is open (Apache License 2.0), and anybody can run it, or a witness of this log, or a mirror. This service is one installation of it: the operator above answers for it, and the software’s authors do not.</p></section></div>
<p><a href="/trust">Who vouches for what, and what remains to be trusted</a> · <a href="/method">Method</a> · <a href="/corrections">Corrections</a> · <a href="/sources">Sources and their rights</a> · <a href="/terms">Terms</a> · <a href="/privacy">Privacy</a> · <a href="/institutions">For institutions</a></p>`
  })
})

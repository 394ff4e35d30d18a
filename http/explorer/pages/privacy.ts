/** What the service keeps of those who use it, for how long, and how it is deleted. */
import { Effect } from "effect"
import { Operator } from "../../Operator.ts"
import { contactList } from "../html/contact.ts"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

export const privacy = Effect.gen(function* () {
  return yield* respondPage({
    title: "Privacy",
    description: "What this service keeps of those who use it, for how long, and how it is deleted.",
    path: "/privacy",
    script: "page",
    body: html`<h1>Privacy</h1>
<p class="lede">Reading needs no account, sets no cookie, and loads nothing from anybody else. This is what is kept all the same.</p>
<table class="counts"><thead><tr><th scope="col">Of whom</th><th scope="col">What</th><th scope="col">How long</th></tr></thead><tbody>
<tr><th scope="row">Readers</th><td>How often a network called on a day, under a keyed hash of its address (an IPv4 address, or the /64 of an IPv6 one). The address itself is not stored. A proxy in front of the service can have a log of its own.</td><td>Five days beyond the day at most</td></tr>
<tr><th scope="row">Who has a value looked at again</th><td>A keyed hash of the network that asked, so that one network does not use up what all may ask for.</td><td>Two days at most</td></tr>
<tr><th scope="row">Your browser</th><td>What it remembers for you stays in it: the key of this log and its newest head, your watchlist, and an API key until the tab is closed.</td><td>Until you delete it</td></tr>
<tr><th scope="row">Accounts</th><td>The name that you gave, a mail address if you gave one, hashes of API keys, credits, purchases and what they delivered.</td><td>As long as the account; purchases as long as accounts must be kept by law</td></tr>
<tr><th scope="row">Payments</th><td>By card: the processor’s numbers of the payment, no card number. On a chain: the address that paid and the transaction, which everybody can see there.</td><td>With the books</td></tr>
<tr><th scope="row">Sales in the log</th><td>A salted hash for each sale, from which neither the buyer nor what was bought nor how much was sold can be told.</td><td>For good</td></tr>
<tr><th scope="row">Alerts</th><td>The condition, the address that you gave, and what was sent to it.</td><td>Messages 7 days, what happened 90 days; the address until the alert is ended, or 7 days if nobody confirms it</td></tr>
<tr><th scope="row">Yesterday by mail</th><td>The mail address, and of what it is to be: everything, a category, or the networks and metrics that were named.</td><td>Messages 7 days; the address until it is ended, or 7 days if nobody confirms it</td></tr>
<tr><th scope="row">Webhooks</th><td>The address that you gave, and what was sent to it.</td><td>Deliveries about a week; the address until you remove it</td></tr>
</tbody></table>
<section aria-labelledby="delete"><h2 id="delete">To see it, or to have it deleted</h2>
<p>Your account shows what it holds under <a href="/account">Account</a>. For anything else, and to have it deleted, write to the operator; what the books must keep is kept without your name.</p>
${contactList(yield* Operator)}</section>`
  })
})

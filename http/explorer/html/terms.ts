/**
 * Words of the field, explained where they stand: a pointer shows the sentence, and a tap or a key opens it (the platform's
 * popover, without a script). Mark a word where a page uses it first, once a page.
 */
import { type Html, html } from "./markup.ts"

const meanings = {
  leaf: "A leaf is one value of one day as a line of text: symbol, metric, value, source, time. Its hash stands in the day's tree, so that not a character can change unseen.",
  batch:
    "A batch is everything that was sealed of one day: all its leaves under one root, and the list of what was expected and did not come.",
  head: "A head is the signed size and root of the log at one moment. Whoever keeps one can prove it if anything before it is changed later.",
  anchor:
    "An anchor puts a head into the Bitcoin chain by its hash. Since that block, nobody can make another past for the log, not even the operator.",
  witness:
    "A witness is somebody else's server that signs a head only if it extends the one that it signed before. With witnesses, two readers cannot be shown two logs.",
  "first-party":
    "First-party telemetry is measured at the network itself: its chain, its own API or its nodes, and not at a site that collects figures.",
  "closed day":
    "A closed day is over and sealed: at 08:00 UTC of the next day its values went into the log. An open day's value can still change."
} as const

type Term = keyof typeof meanings

/** The word, or other words for it, with its explanation. */
export const term = (name: Term, words: string = name): Html => {
  const id = `term-${name.replace(" ", "-")}`
  return html`<button type="button" class="term" popovertarget="${id}" title="${meanings[name]}">${words}</button><span popover role="note" class="explained" id="${id}">${meanings[name]}</span>`
}

/** What remains to be trusted, given who vouches for the service. */
import type { Assurances } from "../../assurances.ts"
import { formatDay, formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"

const ofKey = ({ operator }: Assurances): string =>
  operator.keyUrl === undefined
    ? "That the key is the operator’s: he names it nowhere but here, so whoever took over this address could show another."
    : "That the key is the operator’s and was not stolen: compare it with the page of his own."

const ofHistory = ({ isCosigned, vouching }: Assurances): string =>
  !isCosigned
    ? "That you are shown the same history as everybody: no witness cosigns this log. A copied folder of this service would sign another history, and nobody would see it before somebody compares both. Keep a head, and let plumbline verify monitor watch."
    : vouching.needsWitnesses
      ? "That you are shown the same history as everybody: a quorum of the witnesses cosigns each head before it is served, so that they would have to act together with the operator."
      : "That you are shown the same history as everybody, for the heads that no witness has cosigned yet: demand cosignatures of the verifier (--witness). For the others the witnesses would have to act together with the operator."

const ofAnswers = ({ vouching }: Assurances): string =>
  vouching.notaries.length === 0
    ? "That the collectors recorded what the sources said: nobody else saw the answers."
    : "That the collectors recorded what the sources said, where no notary carried the session, as its run shows; elsewhere that the notary does not act together with the operator."

const ofOthers = ({ compared, vouching }: Assurances): string =>
  vouching.observers.length === 0
    ? "That others are told the same: nobody observes this service yet."
    : compared === undefined
      ? "That others are told the same: no day was compared with the observers yet."
      : `That others are told the same, for what the observers do not have too: of ${formatNumber(compared.tree_size)} values of ${formatDay(compared.day)} they have ${formatNumber(compared.n_compared)}. And that they are independent of the operator and of each other.`

const ofTimes = ({ isAnchored, isCosigned }: Assurances): string =>
  isAnchored
    ? "The times of what came after the newest block with a head, and that nothing was held back for some hours before it."
    : isCosigned
      ? "The times: no block of Bitcoin dates this log yet, and the witnesses date the heads that they signed alone."
      : "The times: no block of Bitcoin and no witness dates this log yet."

const ofStaying = ({ vouching }: Assurances): string =>
  vouching.mirrors.length === 0
    ? "That it stays: no mirror is named. Keep the bundles of what matters to you."
    : "That the mirrors stay, if this service goes. Bundles that you keep need neither."

const ofSources = "That a source is right: a figure says what its source says, and no more."

/** One sentence for each. */
export const remains = (assurances: Assurances): Html =>
  assurances.mode === "replay"
    ? html`<p>All of it: this is a demonstration. Its values are simulated, and nobody vouches for them.</p>`
    : html`<ul>${[ofKey, ofHistory, ofAnswers, ofOthers, ofTimes, ofStaying]
        .map((sentence) => sentence(assurances))
        .concat(ofSources)
        .map((sentence) => html`<li>${sentence}</li>`)}</ul>`

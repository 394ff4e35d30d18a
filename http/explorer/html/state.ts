/** States of days and anchors: a form and a word for each, the same in the calendar, its legend and the tables. */
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import { absent, formatNumber } from "./format.ts"
import { type Html, html } from "./markup.ts"

export type Sign = "closed" | "late" | "open" | "none" | "anchored" | "pending" | "incident"

/** Drawn by the style; the word for it is next to it. */
export const sign = (one: Sign): Html => html`<span class="sign ${one}" aria-hidden="true"></span>`

type Anchor = Attestation["anchor"]

export const anchorSign = ({ state }: Anchor): Sign | undefined =>
  state === "confirmed" || state === "final" ? "anchored" : state === "pending" ? "pending" : undefined

export const anchorText = ({ block_height, reason, state }: Anchor): string =>
  state === "final"
    ? `final in Bitcoin block ${block_height ?? absent}`
    : state === "confirmed"
      ? `in Bitcoin block ${block_height ?? absent}`
      : state === "pending"
        ? "waiting for a Bitcoin block"
        : `not anchored${reason === undefined ? "" : `: ${reason}`}`

const anchorWords: Readonly<Record<Anchor["state"], string>> = {
  none: "Not anchored",
  pending: "Pending",
  confirmed: "In Bitcoin",
  final: "Final in Bitcoin"
}

/** The same as a figure with a note below it. */
export const anchorFigure = ({ block_height, reason, state }: Anchor): Html =>
  html`${anchorWords[state]}${
    block_height !== undefined
      ? html`<small>block ${formatNumber(block_height)}</small>`
      : reason !== undefined && html`<small>${reason}</small>`
  }`

/** The anchor of a batch in a table, with its timestamp to take away. */
export const anchorOf = (anchor: Anchor): Html => {
  const one = anchorSign(anchor)
  const text =
    anchor.block_height === undefined
      ? anchor.state === "none"
        ? "not anchored"
        : anchorText(anchor)
      : `block ${formatNumber(anchor.block_height)}`
  return html`${one !== undefined && sign(one)}<span title="${anchorText(anchor)}">${text}</span>${
    anchor.ots_url !== undefined &&
    html` <a href="${anchor.ots_url}" download>.ots<span class="visually-hidden"> of the head with ${anchor.checkpoint_size} entries</span></a>`
  }`
}

/** The first digits of a hash; the whole one is in the title. */
export const shortHash = (hash: string): Html => html`<code title="${hash}">${hash.slice(0, 12)}…</code>`

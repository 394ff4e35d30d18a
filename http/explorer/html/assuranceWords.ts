/** The sentences of pages that say who vouches for this service and what can be asked of it: only what is so (`http/assurances.ts`). */
import type { Assurances } from "../../assurances.ts"
import { type Html, html } from "./markup.ts"
import { term } from "./terms.ts"

type Dated = Pick<Assurances, "isAnchored" | "isCosigned" | "mode">

/** A demonstration plays its only witness itself. */
const cosigners = ({ mode }: Dated): Html =>
  mode === "replay" ? html`a simulated ${term("witness")}` : term("witness", "witnesses")
const cosign = ({ mode }: Dated): Html =>
  mode === "replay"
    ? html`a simulated ${term("witness")} cosigns`
    : html`${term("witness", "witnesses")} cosign`

const meaning = html`: <a href="/trust#remains">what that means</a>`

/** Of the head of the log, after what it is: who else signs and dates it. */
export const headSentence = (here: Dated): Html => {
  const { isAnchored, isCosigned } = here
  const head = html`its ${term("head")} is signed`
  const witnesses = cosigners(here)
  if (isCosigned && isAnchored) return html`${head}, cosigned by ${witnesses} and put into Bitcoin.`
  if (isCosigned) return html`${head} and cosigned by ${witnesses}. No block of Bitcoin has one yet.`
  return isAnchored
    ? html`${head} and put into Bitcoin. No ${term("witness")} cosigns it${meaning}.`
    : html`${head}. No ${term("witness")} cosigns it, and no block of Bitcoin has one yet${meaning}.`
}

/** Of the log, for whoever buys: what a proof rests on. */
export const proofSentence = (here: Dated): Html => {
  const { isAnchored, isCosigned } = here
  const leads = html`Each value leads to a ${term("leaf")} of a log`
  const auditor = "your auditor needs neither this site nor us"
  const dates = html`Bitcoin ${term("anchor", "dates")}`
  if (isCosigned && isAnchored) return html`${leads} that ${cosign(here)} and ${dates}; ${auditor}.`
  if (isCosigned) return html`${leads} that ${cosign(here)}; ${auditor}. No block of ${dates} it yet.`
  return isAnchored
    ? html`${leads} that ${dates}. No ${term("witness")} cosigns it${meaning}.`
    : html`${leads} that this service alone signs: no ${term("witness")} cosigns it, and no block of ${dates} it yet${meaning}.`
}

/** Of the heads of the log, as a step of the method. */
export const sealSentence = (here: Dated): Html => {
  const { isAnchored, isCosigned } = here
  const cosigned = isCosigned
    ? html`${cosign(here)} its ${term("head", "heads")}`
    : html`no ${term("witness")} cosigns its ${term("head", "heads")}`
  return isAnchored
    ? html`${cosigned}, and Bitcoin ${term("anchor", "dates them")}.`
    : html`${cosigned}, and no block of Bitcoin ${term("anchor", "dates")} one yet.`
}

/** Whether a source can be asked again. */
export const askAgainSentence = ({ canAskAgain }: Pick<Assurances, "canAskAgain">): string =>
  canAskAgain
    ? "You can have a source asked again on the page of any metric."
    : "No source can be asked again here: the values are simulated, and nothing stands behind them."

/** What a lot is, where one falls. */
export const lotSentence = (hasFallen: boolean, series: string): string =>
  hasFallen ? `Every day a lot falls on ${series} series.` : "No series was drawn by lot in the last 7 days."

/** How a mistake is reported. */
export const reportSentence = ({ canReport }: Pick<Assurances, "canReport">): string =>
  canReport
    ? "every metric has a link “Something wrong?”, which fills in what is needed."
    : "nobody here can be told of it, since no address is given."

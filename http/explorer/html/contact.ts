/** How a reader reaches the operator: as a filled-in mail, or the plain fact that there is no address. */
import type { OperatorDetails } from "../../Operator.ts"
import { type Html, html } from "./markup.ts"

/** What pages say where the operator gave no address. */
export const noAddress = "The operator of this service has given no address."

interface Mail {
  readonly subject: string
  readonly lines: ReadonlyArray<string>
}

export const mailtoOf = (email: string, { lines, subject }: Mail): string =>
  `mailto:${encodeURIComponent(email).replaceAll("%40", "@")}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(lines.join("\r\n"))}`

/** A link to a mail that is filled in; undefined where there is no address. */
export const mailLink = ({ email }: OperatorDetails, words: string, mail: Mail): Html | undefined =>
  email === undefined ? undefined : html`<a href="${mailtoOf(email, mail)}">${words}</a>`

/** Name, postal address and mail of the operator. */
export const contactList = ({ address, email, name, salesUrl, security }: OperatorDetails): Html =>
  name === undefined && address === undefined && email === undefined
    ? html`<p>${noAddress} Whoever runs it can enter name, address and mail in its settings; <code>plumbline doctor</code> says how.</p>`
    : html`<dl class="facts">${name !== undefined && html`<dt>Operator</dt><dd>${name}</dd>`}
${address !== undefined && html`<dt>Address</dt><dd>${address}</dd>`}
${email !== undefined && html`<dt>Mail</dt><dd><a href="mailto:${email}">${email}</a></dd>`}
${security !== undefined && html`<dt>Weaknesses</dt><dd><a href="${security}">${security.replace(/^mailto:/, "")}</a></dd>`}
${salesUrl !== undefined && html`<dt>Contracts</dt><dd><a href="${salesUrl}">${salesUrl}</a></dd>`}</dl>`

/** Texts that are written for programs, too, as people read them: names in them stand as code. */
import { type Html, html } from "./markup.ts"

/** What stands in backticks, or a name of a program: letters and digits around low lines. */
const name = /(`[^`]+`|[A-Za-z\d]+(?:_[A-Za-z\d]+)+)/

export const coded = (text: string): Html =>
  html`${text.split(name).map((part, n) => (n % 2 === 0 ? part : html`<code>${part.replaceAll("`", "")}</code>`))}`

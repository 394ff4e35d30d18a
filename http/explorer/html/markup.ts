/** HTML as tagged templates: what is put in is escaped, unless it is markup itself. */
import { html as tagged, raw as trusted } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"

export type Html = HtmlEscapedString

/** What a template takes; `undefined`, `null` and `false` show nothing. */
export type Part = Html | string | number | boolean | null | undefined | ReadonlyArray<Part>

export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => {
  const markup = tagged(strings, ...parts)
  if (markup instanceof Promise)
    throw new Error("a template was given a promise; a page is made of what is there")
  return markup
}

/** Markup that was made elsewhere, such as a chart. */
export const raw = (markup: string): Html => trusted(markup)

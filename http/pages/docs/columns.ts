/** The pages of the documentation in three columns: where one is, what is said, and what it looks like. */

import { languages, type Samples } from "../../description/samples.ts"
import { sections } from "../../description/sections.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { block, slug } from "./html.ts"

/** A place on a page. */
export interface Heading {
  readonly id: string
  /** HTML. */
  readonly text: string
}

const overviewHeadings: ReadonlyArray<Heading> = [
  { id: "start", text: "Quick start" },
  { id: "endpoints", text: "Endpoints" },
  { id: "conventions", text: "Conventions" },
  { id: "errors", text: "Errors" },
  { id: "limits", text: "Limits" },
  { id: "verify", text: "Verifying a response" }
]

const entry = (path: string, name: string, here: string, headings: ReadonlyArray<Heading>): string => {
  const isHere = path === here
  const below =
    isHere && headings.length > 0
      ? `<ul>${headings.map(({ id, text }) => `<li><a href="#${id}">${text}</a></li>`).join("")}</ul>`
      : ""
  return `<li><a href="${path}"${isHere ? ' aria-current="page"' : ""}>${escapeXml(name)}</a>${below}</li>`
}

/** Open beside the text where there is room, and folded above it on a phone; neither needs a script. */
const navigation = (here: string, headings: ReadonlyArray<Heading>): string => `
<nav class="docs-nav" aria-label="Documentation"><details><summary>All pages of the documentation</summary><ul>
${entry("/docs", "Overview", here, overviewHeadings)}
${entry("/docs/recipes", "Recipes", here, headings)}
${entry("/docs/test-mode", "Test mode", here, headings)}
${sections.map(({ name }) => entry(`/docs/${slug(name)}`, name, here, headings)).join("\n")}
</ul></details></nav>`

/** A whole page. `body` is made of rows. */
export const columns = (here: string, body: string, headings: ReadonlyArray<Heading> = []): string =>
  `${navigation(here, headings)}<div class="docs-body">${body}</div>`

/** Words, and beside them an example, both HTML. */
export const row = (words: string, example = "", id?: string): string =>
  `<section class="docs-row"${id === undefined ? "" : ` id="${id}"`}><div class="docs-words">${words}</div>${
    example === "" ? "" : `<div class="docs-example">${example}</div>`
  }</section>`

/** The class of a language's block, and its value in the choice. */
const classOf = (language: string): string => language.toLowerCase()

/**
 * The same in three languages. One is shown at a time: the choice is a plain control of the form, so that it needs no script
 * (`styles/docs.css`); a script makes it that of all samples, and remembers it.
 */
export const sampleTabs = (id: string, samples: Samples): string =>
  `<fieldset class="samples"><legend class="visually-hidden">Language of this sample</legend>${languages
    .map(
      (language, n) =>
        `<label><input type="radio" name="language-${id}" value="${classOf(language)}"${n === 0 ? " checked" : ""}>${language}</label>`
    )
    .join("")}${languages
    .map((language) => `<div class="${classOf(language)}">${block(samples[language])}</div>`)
    .join("")}</fieldset>`

/** What is made of the description: `/openapi.json`, the pages of the documentation, and what other programs import. */
import { readFileSync } from "node:fs"
import { HttpServerResponse } from "effect/http"
import { description } from "../../description/description.ts"
import { atomResponse } from "../../explorer/html/atom.ts"
import type { Frame } from "../../explorer/html/shell.ts"
import { page } from "../page.ts"
import { changelogBody, changelogFeed, releasesOf } from "./changelog.ts"
import { columns } from "./columns.ts"
import { slug } from "./html.ts"
import { openapiDocuments } from "./openapi.ts"
import { overview } from "./overview.ts"
import { postman } from "./postman.ts"
import { headingsOf, section } from "./section.ts"
import type { About } from "./tasks.ts"
import { widgets } from "./widgets.ts"

/** By their paths. */
export const make = (
  about: About,
  frame: Pick<Frame, "assets" | "settings">
): ReadonlyMap<string, HttpServerResponse.HttpServerResponse> => {
  const { tags } = description
  const first = page(
    {
      title: "API documentation",
      description:
        "How to read the values, verify them, get a key and pay: every endpoint, with a call and an example.",
      path: "/docs",
      body: columns("/docs", overview(description, about)),
      isDocumentation: true
    },
    frame
  )
  const sections = tags.map(({ description: tagDescription = "", name }) => {
    const path = `/docs/${slug(name)}`
    const body = columns(path, section(description, about.baseUrl, name), headingsOf(description, name))
    const prose = { title: `API: ${name}`, description: tagDescription, path, body, isDocumentation: true }
    return [path, page(prose, frame)] as const
  })
  const releases = releasesOf(readFileSync(new URL("../../../CHANGELOG.md", import.meta.url), "utf8"))
  const changelog = page(
    {
      title: "Changelog",
      description: "What changed in the service, its API and its formats, by release.",
      path: "/changelog",
      body: changelogBody(releases)
    },
    frame
  )
  const feed = atomResponse(changelogFeed(releases, about.baseUrl))
  return new Map([
    ...openapiDocuments(description, about),
    ["/postman.json", HttpServerResponse.jsonUnsafe(postman(description, about.baseUrl))],
    ["/widgets.json", HttpServerResponse.jsonUnsafe(widgets(description))],
    ["/docs", first],
    ["/changelog", changelog],
    ["/changelog/atom.xml", feed],
    ...sections
  ])
}

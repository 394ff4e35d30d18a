/** What is made of the description: `/openapi.json`, and the pages of the documentation. */
import { HttpServerResponse } from "effect/http"
import { description } from "../../description/description.ts"
import type { Frame } from "../../explorer/html/shell.ts"
import { page } from "../page.ts"
import { slug } from "./html.ts"
import { overview } from "./overview.ts"
import { section } from "./section.ts"
import type { About } from "./tasks.ts"

/** By their paths. */
export const make = (
  about: About,
  frame: Pick<Frame, "assets" | "settings">
): ReadonlyMap<string, HttpServerResponse.HttpServerResponse> => {
  const { info, tags } = description
  const openapi = HttpServerResponse.jsonUnsafe({
    ...description,
    info: { ...info, description: [info.description, "## Limits", ...about.limits].join("\n\n") },
    servers: [{ url: about.baseUrl }]
  })
  const first = page(
    {
      title: "API documentation",
      description:
        "How to read the values, verify them, get a key and pay: every endpoint, with a call and an example.",
      path: "/docs",
      body: overview(description, about)
    },
    frame
  )
  const sections = tags.map(({ description: tagDescription = "", name }) => {
    const path = `/docs/${slug(name)}`
    const body = section(description, about.baseUrl, name)
    return [path, page({ title: `API: ${name}`, description: tagDescription, path, body }, frame)] as const
  })
  return new Map([["/openapi.json", openapi], ["/docs", first], ...sections])
}

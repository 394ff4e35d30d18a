/** What is made of the description: `/openapi.json`, and the pages of the documentation. */
import { HttpServerResponse } from "effect/http"
import { description } from "../../description/description.ts"
import type { Frame } from "../../explorer/html/shell.ts"
import type { ExtraRoute } from "../../routing/ExtraRoutes.ts"
import { page } from "../page.ts"
import { slug } from "./html.ts"
import { overview } from "./overview.ts"
import { section } from "./section.ts"

/** What the documentation says of this service. */
interface About {
  readonly baseUrl: string
  readonly limits: ReadonlyArray<string>
  readonly extraRoutes: ReadonlyArray<Pick<ExtraRoute, "method" | "path" | "summary">>
}

export const make = (about: About, frame: Pick<Frame, "assets" | "settings">) => {
  const { info, tags } = description
  return {
    openapi: HttpServerResponse.jsonUnsafe({
      ...description,
      info: { ...info, description: [info.description, "## Limits", ...about.limits].join("\n\n") },
      servers: [{ url: about.baseUrl }]
    }),
    overview: page(
      {
        title: "API documentation",
        description:
          "How to read the values, verify them, get a key and pay: every endpoint, with a call and an example.",
        path: "/docs",
        body: overview(description, about)
      },
      frame
    ),
    /** The page of a section by the last segment of its address. */
    sections: new Map(
      tags.map(({ description: tagDescription = "", name }) => {
        const path = `/docs/${slug(name)}`
        const body = section(description, about.baseUrl, name)
        return [
          slug(name),
          page({ title: `API: ${name}`, description: tagDescription, path, body }, frame)
        ] as const
      })
    )
  }
}

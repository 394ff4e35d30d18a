/** What is made of the description: `/openapi.json`, and the pages of the documentation. */
import { HttpServerResponse } from "effect/http"
import { description } from "../../description/description.ts"
import type { ExtraRoute } from "../../ExtraRoutes.ts"
import { page } from "../page.ts"
import { slug } from "./html.ts"
import { overview } from "./overview.ts"
import { section } from "./section.ts"

/** What the documentation says of this service. */
interface About {
  readonly baseUrl: string
  readonly mode: string
  readonly limits: ReadonlyArray<string>
  readonly extraRoutes: ReadonlyArray<Pick<ExtraRoute, "method" | "path" | "summary">>
}

export const make = (about: About) => {
  const { info, tags } = description
  return {
    openapi: HttpServerResponse.jsonUnsafe({
      ...description,
      info: { ...info, description: [info.description, "## Limits", ...about.limits].join("\n\n") },
      servers: [{ url: about.baseUrl }]
    }),
    overview: page(`${info.title} ${info.version}`, overview(description, about)),
    /** The page of a section by the last segment of its address. */
    sections: new Map(
      tags.map(({ name }) => [slug(name), page(name, section(description, about.baseUrl, name))] as const)
    )
  }
}

/** What programs and agents look for at known places. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Site } from "../explorer/Site.ts"
import { apiCatalog } from "../pages/catalogs/apiCatalog.ts"
import { llms } from "../pages/catalogs/llms.ts"
import { skillIndex, skillText } from "../pages/catalogs/skills.ts"
import { x402List } from "../pages/catalogs/x402List.ts"
import { Documents } from "../pages/docs/Documents.ts"

export const layer = HttpApiBuilder.group(
  Site,
  "catalogs",
  Effect.fn(function* (handlers) {
    const documents = yield* Documents
    return handlers.handleAll({
      apiCatalog: () => apiCatalog,
      skillIndex: () => skillIndex,
      skill: ({ params }) => skillText(params.skill),
      llms: () => llms,
      x402List: () => x402List,
      postman: () => documents.at("/postman.json"),
      widgets: () => documents.at("/widgets.json"),
      changelog: () => documents.at("/changelog"),
      changelogFeed: () => documents.at("/changelog/atom.xml")
    })
  })
)

/** Writes the types of the API, from its description, to `generated/api.ts`, which git ignores. */
import { mkdirSync, writeFileSync } from "node:fs"
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript"
import { description } from "../../description/description.ts"

const document: OpenAPI3 = JSON.parse(JSON.stringify(description))
const folder = new URL("generated/", import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL("api.ts", folder), astToString(await openapiTypescript(document)))

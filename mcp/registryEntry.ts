/**
 * `/server.json`: what an operator publishes to the registry of MCP servers
 * (https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json): `mcp-publisher publish` takes the file as it is.
 */
import { nameOf } from "./descriptor.ts"
import { description, iconsOf, implementation } from "./server.ts"

/** The registry takes 100 characters. */
const longestDescription = 100

const short = (text: string): string => {
  const [first = text] = text.split(":")
  return (text.length <= longestDescription ? text : `${first}.`).slice(0, longestDescription)
}

export const registryEntry = (baseUrl: string): object => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: nameOf(baseUrl),
  title: implementation.title,
  description: short(description),
  version: implementation.version,
  websiteUrl: `${baseUrl}/docs`,
  ...iconsOf(baseUrl),
  remotes: [
    {
      type: "streamable-http",
      url: `${baseUrl}/mcp`,
      headers: [
        {
          name: "X-API-Key",
          description: "Key of an account. Reading requires none.",
          isRequired: false,
          isSecret: true
        }
      ]
    },
    { type: "streamable-http", url: `${baseUrl}/mcp/public` }
  ]
})

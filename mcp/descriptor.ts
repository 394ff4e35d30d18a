/** `/.well-known/mcp.json` describes the two endpoints. It is generated from the tools themselves. */
import { promptsOf } from "./prompts.ts"
import { protocolVersions } from "./protocol.ts"
import { resources, templates } from "./resources.ts"
import { description, iconsOf, implementation } from "./server.ts"
import type { Edition } from "./Tool.ts"
import { toolsOf } from "./tools/all.ts"

/** The name of the server: its host in reverse DNS order, as MCP registries name servers. */
export const nameOf = (baseUrl: string): string =>
  `${new URL(baseUrl).hostname.split(".").reverse().join(".")}/plumbline`

const endpoint = (edition: Edition, url: string) => ({
  type: "streamable-http",
  url,
  tools: [...toolsOf(edition).values()].map(({ annotations, name, title }) => ({
    name,
    title,
    read_only: annotations.readOnlyHint
  })),
  prompts: promptsOf(edition).map(({ prompt }) => prompt.name)
})

export const descriptor = (baseUrl: string): object => ({
  name: nameOf(baseUrl),
  title: implementation.title,
  description,
  version: implementation.version,
  websiteUrl: `${baseUrl}/docs`,
  ...iconsOf(baseUrl),
  protocolVersions,
  remotes: [
    { type: "streamable-http", url: `${baseUrl}/mcp` },
    { type: "streamable-http", url: `${baseUrl}/mcp/public` }
  ],
  endpoints: {
    full: endpoint("full", `${baseUrl}/mcp`),
    public: endpoint("public", `${baseUrl}/mcp/public`)
  },
  resources: resources.map(({ uri }) => uri),
  resourceTemplates: templates.map(({ uriTemplate }) => uriTemplate),
  authentication: {
    required: false,
    header: "X-API-Key",
    note: "Reading requires no key. Account tools take the key from the header or from the argument api_key."
  },
  signing_key: `${baseUrl}/.well-known/service-signing-key.json`
})

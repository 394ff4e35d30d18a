/** `/.well-known/mcp.json`: what the two endpoints are, made from what they really offer. */
import { promptsOf } from "./prompts.ts"
import { protocolVersions } from "./protocol.ts"
import { resources, templates } from "./resources.ts"
import { description, implementation } from "./server.ts"
import type { Edition } from "./Tool.ts"
import { toolsOf } from "./tools/all.ts"

/** A name in reverse DNS, as registries of servers want it. */
const reversed = (baseUrl: string): string => new URL(baseUrl).hostname.split(".").reverse().join(".")

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
  name: `${reversed(baseUrl)}/plumbline`,
  title: implementation.title,
  description,
  version: implementation.version,
  websiteUrl: `${baseUrl}/docs`,
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
    note: "Reading needs no key. Tools of the account take it as a header or as the argument api_key."
  },
  signing_key: `${baseUrl}/.well-known/service-signing-key.json`
})

/**
 * `/.well-known/agent-card.json`: the tools as the skills of an agent, in the form of A2A 1.0
 * (https://a2a-protocol.org/latest/specification/). The service speaks MCP and not A2A, and the binding says so: A2A names its own
 * bindings by a word, and any other by a URI.
 */
import { protocolVersions } from "./protocol.ts"
import { description, implementation } from "./server.ts"
import { toolsOf } from "./tools/all.ts"

const binding = "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http"

const json = ["application/json"]

export const agentCard = (baseUrl: string): object => ({
  name: implementation.title,
  description,
  version: implementation.version,
  supportedInterfaces: ["/mcp", "/mcp/public"].map((path) => ({
    url: `${baseUrl}${path}`,
    protocolBinding: binding,
    protocolVersion: protocolVersions[0]
  })),
  provider: { organization: implementation.title, url: `${baseUrl}/about` },
  documentationUrl: `${baseUrl}/docs`,
  iconUrl: `${baseUrl}/favicon.svg`,
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: json,
  defaultOutputModes: json,
  skills: [...toolsOf("full").values()].map((tool) => ({
    id: tool.name,
    name: tool.title,
    description: tool.description,
    tags: [tool.annotations.readOnlyHint ? "read" : "account"]
  }))
})

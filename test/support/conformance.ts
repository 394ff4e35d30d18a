/** What the public conformance suite wants to find on a server, on our transport. */
import { createServer } from "node:http"
import {
  type CallToolResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server
} from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { checkOrigin, makeTransport } from "../../mcp/transport.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

const text = (value: string) => ({ type: "text" as const, text: value })
const image = { type: "image" as const, data: png, mimeType: "image/png" }

const answers: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content."
        }
      }
    ]
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}'
        }
      }
    ]
  },
  test_error_handling: {
    isError: true,
    content: [text("This tool intentionally returns an error for testing")]
  },
  json_schema_2020_12_tool: { content: [text("ok")] },
  test_logging_tool: { content: [text("logged nothing")] },
  test_streaming_elicitation: { content: [text("asked nothing")] }
}

/** A tool that needs what few clients can do. */
const demanding = "test_missing_capability"

const open = { type: "object" as const }
const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

const readings: Readonly<Record<string, ReadResourceResult["contents"][number]>> = {
  "test://static-text": {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource."
  },
  "test://static-binary": { uri: "test://static-binary", mimeType: "image/png", blob: png }
}

const prompts = [
  { name: "test_simple_prompt", description: "A simple prompt" },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with arguments",
    arguments: [
      { name: "arg1", description: "first", required: true },
      { name: "arg2", description: "second", required: true }
    ]
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource",
    arguments: [{ name: "resourceUri", description: "the resource", required: true }]
  },
  { name: "test_prompt_with_image", description: "A prompt with an image" }
]

const promptMessages = (name: string, args: Readonly<Record<string, string>>) => {
  const user = "user" as const
  switch (name) {
    case "test_prompt_with_arguments":
      return [
        {
          role: user,
          content: text(`Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`)
        }
      ]
    case "test_prompt_with_embedded_resource":
      return [
        {
          role: user,
          content: {
            type: "resource" as const,
            resource: {
              uri: args["resourceUri"] ?? "",
              mimeType: "text/plain",
              text: "Embedded resource content for testing."
            }
          }
        },
        { role: user, content: text("Please process the embedded resource above.") }
      ]
    case "test_prompt_with_image":
      return [
        { role: user, content: image },
        { role: user, content: text("Please analyze the image above.") }
      ]
    default:
      return [{ role: user, content: text("This is a simple prompt for testing.") }]
  }
}

const fixtures = (): Server => {
  const server = new Server(
    { name: "fixtures", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} } }
  )
  server.setRequestHandler("tools/list", () => ({
    tools: [...Object.keys(answers), demanding].map((name) => ({
      name,
      description: `The suite's ${name}`,
      inputSchema: name === "json_schema_2020_12_tool" ? schema2020 : open
    }))
  }))
  server.setRequestHandler("tools/call", ({ params }) => {
    if (params.name === demanding) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    }
    const answer = answers[params.name]
    if (answer === undefined) throw new ProtocolError(-32602, "Unknown tool")
    return answer
  })
  server.setRequestHandler("resources/list", () => ({
    resources: Object.values(readings).map(({ mimeType, uri }) => ({
      uri,
      name: uri,
      mimeType: mimeType ?? ""
    }))
  }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }]
  }))
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
    const resource = readings[uri]
    if (resource !== undefined) return { contents: [resource] }
    if (id === undefined) throw new ResourceNotFoundError(uri)
    const json = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: "application/json", text: json }] }
  })
  server.setRequestHandler("logging/setLevel", () => ({}))
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: [], total: 0, hasMore: false }
  }))
  server.setRequestHandler("prompts/list", () => ({ prompts }))
  server.setRequestHandler("prompts/get", ({ params }) => ({
    messages: promptMessages(params.name, params.arguments ?? {})
  }))
  return server
}

/** A server on a free port whose every message goes the product's way; ends with its scope. */
export const fixtureServer = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly close: () => void }>((resolve) => {
        const answer = makeTransport(fixtures, async () => undefined, {
          inTurn: (_sender, work) => work(),
          spendsWithOthers: () => false
        })
        const policy = { hosts: new Set(["localhost", "127.0.0.1"]), origins: new Set<string>() }
        const server = createServer(async (request, response) => {
          const headers = new Headers(
            Object.entries(request.headers).flatMap(([name, value]) =>
              typeof value === "string" ? [[name, value] satisfies [string, string]] : []
            )
          )
          const chunks: Array<Buffer> = []
          for await (const chunk of request) chunks.push(chunk)
          const reply =
            request.method === "POST"
              ? (checkOrigin(headers, policy) ??
                (await answer(
                  "http://127.0.0.1/mcp",
                  headers,
                  Buffer.concat(chunks).toString("utf8"),
                  undefined
                )))
              : new Response(null, { status: 405, headers: { allow: "POST" } })
          response.writeHead(reply.status, Object.fromEntries(reply.headers))
          response.end(Buffer.from(await reply.arrayBuffer()))
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resolve({ port, close: () => server.close() })
        })
      })
  ),
  ({ close }) => Effect.sync(close)
)

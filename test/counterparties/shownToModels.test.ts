/** What the clients of agents hand to their model: the figure must be in it, whichever revision they speak. */
import { assert } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerNeeding } from "../support/layerNeeding.ts"
import { publish } from "../support/mcp.ts"
import { counterparties } from "../support/programs.ts"
import { Service } from "../support/service.ts"
import { installed } from "./installed.ts"

const { createMCPClient } = await installed(() => import("@ai-sdk/mcp"))
const { MultiServerMCPClient } = await installed(() => import("@langchain/mcp-adapters"))
const { Client: OldClient } = await installed(() => import("@modelcontextprotocol/sdk/client/index.js"))
const { StdioClientTransport } = await installed(() => import("@modelcontextprotocol/sdk/client/stdio.js"))

const args = { symbol: "FIL" }
/** The figure of `publish`, as JSON has it. */
const figure = '"value":302'

const proxy = new URL("node_modules/mcp-remote/dist/proxy.js", counterparties).pathname

layerNeeding("counterparties")(Service.layer())("what a model is shown", (it) => {
  const address = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    const { port } = yield* Service
    return `http://127.0.0.1:${port}/mcp`
  })

  it.effect("by the AI SDK is the text alone, also in revision 2026-07-28", () =>
    Effect.gen(function* () {
      const url = yield* address
      const modelOutput = yield* Effect.promise(async () => {
        const client = await createMCPClient({ transport: { type: "http", url } })
        const tool = (await client.tools())["get_network"]
        const options = { toolCallId: "1", messages: [], context: {} }
        const output = await tool?.execute?.(args, options)
        if (output === undefined || Symbol.asyncIterator in output) return undefined
        const model = await tool?.toModelOutput?.({ toolCallId: "1", input: args, output })
        await client.close()
        return model
      })
      if (modelOutput?.type !== "content") return assert.fail(JSON.stringify(modelOutput))
      assert.include(texts(modelOutput.value), figure)
      assert.notInclude(JSON.stringify(modelOutput), "structuredContent")
    })
  )

  it.effect("by LangChain's adapters is the text, with the structured value beside it for programs", () =>
    Effect.gen(function* () {
      const url = yield* address
      const message = yield* Effect.promise(async () => {
        const client = new MultiServerMCPClient({ mcpServers: { plumbline: { transport: "http", url } } })
        const tools = await client.getTools()
        const tool = tools.find(({ name }) => name === "get_network")
        const answer: unknown = await tool?.invoke({ id: "1", name: "get_network", args, type: "tool_call" })
        await client.close()
        return answer as { readonly content: unknown; readonly artifact: unknown }
      })
      assert.include(texts([message.content].flat()), figure)
      assert.include(JSON.stringify(message.artifact), figure)
    })
  )

  it.effect("by a host of mcp-remote is what the service sent, text and structured value", () =>
    Effect.gen(function* () {
      const url = yield* address
      const { content, structuredContent } = yield* Effect.promise(async () => {
        const client = new OldClient({ name: "host", version: "1" })
        const transport = new StdioClientTransport({
          command: process.execPath,
          args: [proxy, url],
          stderr: "ignore"
        })
        // The SDK's own transport does not hold to exactOptionalPropertyTypes.
        await client.connect(transport as Parameters<typeof client.connect>[0])
        const result = await client.callTool({ name: "get_network", arguments: args })
        await client.close()
        return result
      })
      assert.include(texts(content), figure)
      assert.include(JSON.stringify(structuredContent), figure)
    })
  )

  it.effect("by a host of the SDK is either, in each revision", () =>
    Effect.gen(function* () {
      const url = new URL(yield* address)
      for (const mode of ["legacy", "auto"] as const) {
        const { content, structuredContent } = yield* Effect.promise(async () => {
          const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode } })
          await client.connect(new StreamableHTTPClientTransport(url))
          const result = await client.callTool({ name: "get_network", arguments: args })
          await client.close()
          return result
        })
        assert.include(texts(content), figure, mode)
        assert.include(JSON.stringify(structuredContent), figure, mode)
      }
    })
  )
})

/** The texts among the parts of a message. */
const texts = (parts: unknown): string =>
  (parts as ReadonlyArray<string | { readonly text?: string }>)
    .map((part) => (typeof part === "string" ? part : (part.text ?? "")))
    .join("\n")

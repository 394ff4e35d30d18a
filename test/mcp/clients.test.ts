/** The lines of the README that clients take connect, with the key that they send. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { Accounts } from "../../core/credits/Accounts.ts"
import { Service } from "../support/service.ts"

const readme = readFileSync(new URL("../../mcp/README.md", import.meta.url), "utf8")

const blocks = (language: string): ReadonlyArray<string> =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text ?? "")

interface Entry {
  readonly type?: string
  readonly url?: string
  readonly serverUrl?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly command?: string
  readonly args?: ReadonlyArray<string>
}

/** What a client of the block would connect to, and with which headers. */
const target = (entry: Entry) => {
  const { args = [], headers = {}, serverUrl, url } = entry
  const header = /^([\w-]+): ?(.*)$/.exec(args[args.indexOf("--header") + 1] ?? "")
  return {
    url: url ?? serverUrl ?? args.find((arg) => arg.startsWith("http")) ?? "",
    headers: header === null ? headers : { [header[1] ?? ""]: header[2] ?? "" }
  }
}

const ofJson = blocks("json").map((text) => {
  const file: Readonly<Record<string, Readonly<Record<string, Entry>>>> = JSON.parse(text)
  return target((file["mcpServers"] ?? file["servers"])?.["plumbline"] ?? {})
})

const ofToml = blocks("toml").map((text) => ({
  url: /^url = "([^"]+)"$/m.exec(text)?.[1] ?? "",
  headers: Object.fromEntries(
    [...text.matchAll(/"([\w-]+)" = "([^"]+)"/g)].map(([, name = "", value = ""]) => [name, value])
  )
}))

/** Each command of a shell is a line, also where it is written in two. */
const ofShell = blocks("sh")
  .flatMap((text) => text.replaceAll("\\\n", " ").trim().split("\n"))
  .map((line) => ({
    url: /http:\/\/[\w.:]+\/mcp/.exec(line)?.[0] ?? "",
    headers: Object.fromEntries(
      [...line.matchAll(/--header "([\w-]+): ([^"]+)"/g)].map(([, name = "", value = ""]) => [name, value])
    )
  }))

layer(Service.layer())("clients", (it) => {
  it("have their lines in the README", () => {
    assert.deepStrictEqual([ofJson.length, ofToml.length, ofShell.length], [4, 1, 7])
    for (const { url } of [...ofJson, ...ofToml, ...ofShell]) {
      assert.strictEqual(url, "http://127.0.0.1:8080/mcp")
    }
  })

  it.effect("connect with what these lines say", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const { api_key } = yield* (yield* Accounts).register({ agent_name: "reader" }, "192.0.2.9")
      for (const { headers, url } of [...ofJson, ...ofToml, ...ofShell]) {
        const requestHeaders = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => {
            assert.match(value, /^plk_\.\.\.$|^\$\{\S+\}$/)
            return [name, api_key]
          })
        )
        const client = new Client({ name: "readme", version: "1" })
        const at = new URL(url.replace(":8080", `:${port}`))
        yield* Effect.promise(async () => {
          await client.connect(
            new StreamableHTTPClientTransport(at, { requestInit: { headers: requestHeaders } })
          )
          assert.strictEqual((await client.listTools()).tools.length, 19)
          const { structuredContent } = await client.callTool({ name: "check_balance", arguments: {} })
          const keyed = Object.keys(headers).length > 0
          assert.strictEqual(
            (structuredContent as { agent_name?: string } | undefined)?.agent_name,
            keyed ? "reader" : undefined
          )
          await client.close()
        })
      }
    })
  )
})

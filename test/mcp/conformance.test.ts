/** Spec 4.6: the protocol's public conformance suite, and the SDK's clients of both generations. */
import { execFile } from "node:child_process"
import { assert, layer } from "@effect/vitest"
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport
} from "@modelcontextprotocol/client"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fixtureServer } from "../support/conformance.ts"
import { publish } from "../support/mcp.ts"
import { Service } from "../support/service.ts"

const program = new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url)
  .pathname

/** What one scenario printed, and whether it holds. */
const scenario = (port: number, path: string, name: string) =>
  Effect.promise(
    () =>
      new Promise<{ readonly ok: boolean; readonly output: string }>((resolve) => {
        const url = `http://127.0.0.1:${port}${path}`
        execFile(
          process.execPath,
          [program, "server", "--url", url, "--scenario", name],
          { timeout: 60_000 },
          (error, stdout, stderr) => resolve({ ok: error === null, output: `${stdout}${stderr}` })
        )
      })
  )

/** Scenarios that ask for nothing but the protocol. */
const ofProduct = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection"
]

const ofFixtures = [
  ...ofProduct,
  "logging-set-level",
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "json-schema-2020-12",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "resources-subscribe",
  "resources-unsubscribe",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
  "server-sse-multiple-streams"
]

const stream = "an answer is one signed JSON text: there is no stream to send anything before it"
const asking = "the server keeps no session and asks its clients nothing"

/** What does not apply, and why: each must fail, so that the list can not go stale. */
const exceptions: Readonly<Record<string, string>> = {
  "tools-call-with-logging": stream,
  "tools-call-with-progress": stream,
  "tools-call-sampling": asking,
  "tools-call-elicitation": asking,
  "elicitation-sep1034-defaults": asking,
  "elicitation-sep1330-enums": asking
}

/** Passes with warnings on a server without streams: it says nothing of ours. */
const silent = ["server-sse-polling"]

const listed = Effect.promise(
  () =>
    new Promise<ReadonlyArray<string>>((resolve) => {
      execFile(process.execPath, [program, "list", "--server"], (_, stdout) =>
        resolve([...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name ?? ""))
      )
    })
)

layer(Service.layer())("the conformance suite", (it) => {
  it.effect("has no scenario that is not looked at", () =>
    Effect.gen(function* () {
      assert.sameMembers([...(yield* listed)], [...ofFixtures, ...Object.keys(exceptions), ...silent])
    })
  )

  it.effect(
    "holds for both editions, as far as it asks for no fixtures",
    () =>
      Effect.gen(function* () {
        const { port } = yield* Service
        for (const path of ["/mcp", "/mcp/public"]) {
          const names = path === "/mcp" ? ofProduct : ["server-initialize", "tools-list"]
          const results = yield* Effect.forEach(names, (name) => scenario(port, path, name), {
            concurrency: 2
          })
          results.forEach(({ ok, output }, at) => {
            assert.isTrue(ok, `${path} ${names[at]}\n${output}`)
          })
        }
      }),
    120_000
  )

  it.effect(
    "holds for the same transport with the suite's fixtures",
    () =>
      Effect.gen(function* () {
        const { port } = yield* fixtureServer
        const results = yield* Effect.forEach(ofFixtures, (name) => scenario(port, "/mcp", name), {
          concurrency: 3
        })
        results.forEach(({ ok, output }, at) => {
          assert.isTrue(ok, `${ofFixtures[at]}\n${output}`)
        })
        const names = Object.keys(exceptions)
        const others = yield* Effect.forEach(names, (name) => scenario(port, "/mcp", name), {
          concurrency: 3
        })
        others.forEach(({ ok }, at) => {
          assert.isFalse(ok, `${names[at]} holds now: it is no exception any more`)
        })
      }),
    180_000
  )
})

layer(Service.layer())("the SDK's clients", (it) => {
  const published = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    const { port } = yield* Service
    return new URL(`http://127.0.0.1:${port}/mcp`)
  })

  /** Reads of every kind: both clients hold structured answers to the schema that was listed. */
  const calls = [
    ["find_networks", {}],
    ["get_network", { symbol: "FIL" }],
    ["get_metric_history", { symbol: "FIL" }],
    ["verify_value", { symbol: "FIL", metric: "active_storage_providers", date: "20260903" }],
    ["verify_footprint", { values: [{ symbol: "FIL", metric: "active_storage_providers", value: 1 }] }],
    ["get_data_dictionary", {}],
    ["get_derivation_ledger", {}],
    ["list_datasets", {}],
    ["fetch_dataset", { dataset: "supply" }],
    ["get_stats", {}],
    ["list_products", {}],
    ["register_agent", { agent_name: "client" }]
  ] as const

  it.effect("of the first generation", () =>
    Effect.gen(function* () {
      const url = yield* published
      const client = new OldClient({ name: "old", version: "1" })
      yield* Effect.promise(async () => {
        // The SDK's own transport does not hold to exactOptionalPropertyTypes.
        await client.connect(new OldTransport(url) as Parameters<OldClient["connect"]>[0])
        assert.strictEqual((await client.listTools()).tools.length, 15)
        let key = ""
        for (const [name, args] of calls) {
          const result = await client.callTool({ name, arguments: args })
          assert.notStrictEqual(result.isError, true, `${name} ${JSON.stringify(result.content)}`)
          if (name === "register_agent") key = (result.structuredContent as { api_key: string }).api_key
        }
        const result = await client.callTool({
          name: "topup_credits",
          arguments: { method: "stripe", amount: 1, api_key: key }
        })
        assert.notStrictEqual(result.isError, true)
        const balance = await client.callTool({ name: "check_balance", arguments: { api_key: key } })
        assert.notStrictEqual(balance.isError, true)
        await client.close()
      })
    })
  )

  it.effect("of the second generation, by handshake and without", () =>
    Effect.gen(function* () {
      const url = yield* published
      for (const mode of ["legacy", "auto"] as const) {
        const client = new NewClient({ name: "new", version: "1" }, { versionNegotiation: { mode } })
        yield* Effect.promise(async () => {
          await client.connect(new NewTransport(url))
          assert.strictEqual(
            client.getNegotiatedProtocolVersion(),
            mode === "auto" ? "2026-07-28" : "2025-11-25"
          )
          assert.strictEqual((await client.listTools()).tools.length, 15)
          for (const [name, args] of calls) {
            const result = await client.callTool({ name, arguments: args })
            assert.notStrictEqual(result.isError, true, name)
          }
          await client.close()
        })
      }
    })
  )
})

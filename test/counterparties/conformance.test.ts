/** The protocol's public conformance suite, and the SDK's clients of both generations. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport
} from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { fixtureServer } from "../support/conformance.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { publish } from "../support/mcp.ts"
import { counterparties } from "../support/programs.ts"
import { Service } from "../support/service.ts"
import { installed } from "./installed.ts"

const { Client: OldClient } = await installed(() => import("@modelcontextprotocol/sdk/client/index.js"))
const { StreamableHTTPClientTransport: OldTransport } = await installed(
  () => import("@modelcontextprotocol/sdk/client/streamableHttp.js")
)

const program = new URL("node_modules/@modelcontextprotocol/conformance/dist/index.js", counterparties)
  .pathname

const stream = "an answer is one signed JSON text: there is no stream to send anything before or after it"
const sessionless = "the server keeps no session and asks its clients nothing"
const fixture = "it asks for a tool, resource or prompt that only the suite's own server has"

const each = (names: ReadonlyArray<string>, reason: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, reason]))

const kinds = ["basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multi-round"]
const inputs = [
  ...[...kinds, "multiple-input-requests", "non-tool-request", "result-type", "tampered-state"],
  ...["capability-check", "missing-input-response", "ignore-extra-params"]
].map((name) => `input-required-result-${name}`)

const fixtures = [
  ...["simple-text", "image", "audio", "embedded-resource", "mixed-content", "error"].map(
    (name) => `tools-call-${name}`
  ),
  ...["read-text", "read-binary", "templates-read"].map((name) => `resources-${name}`),
  ...["simple", "with-args", "embedded-resource", "with-image"].map((name) => `prompts-get-${name}`),
  "completion-complete"
]

/**
 * What does not apply, and why, by the set of scenarios that a revision requires. The suite fails on what fails and
 * stands not here, and on what stands here and passes: so the lists cannot go stale.
 */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "2025-11-25": {
    ...each(["tools-call-with-logging", "tools-call-with-progress", "server-sse-multiple-streams"], stream),
    ...each(["resources-subscribe", "resources-unsubscribe"], stream),
    ...each(["tools-call-sampling", "tools-call-elicitation"], sessionless),
    ...each(["elicitation-sep1034-defaults", "elicitation-sep1330-enums"], sessionless)
  },
  "2026-07-28": { ...each(["tools-call-with-progress"], stream), ...each(inputs, sessionless) }
}

/** The same for the product, which has none of the suite's fixtures. */
const ofProduct: typeof exceptions = {
  "2025-11-25": { ...exceptions["2025-11-25"], ...each([...fixtures, "logging-set-level"], fixture) },
  "2026-07-28": { ...exceptions["2026-07-28"], ...each([...fixtures, "server-stateless"], fixture) }
}

/** Runs the suite against a server; gives what it printed where it does not hold. */
const run = (port: number, path: string, more: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<string | undefined>((resolve) => {
        execFile(
          process.execPath,
          [program, "server", "--url", `http://127.0.0.1:${port}${path}`, ...more],
          { timeout: 170_000, maxBuffer: 64 * 1024 * 1024 },
          (error, stdout, stderr) => {
            resolve(error === null ? undefined : `${stdout.slice(stdout.indexOf("=== SUMMARY"))}${stderr}`)
          }
        )
      })
  )

/** Runs all that a revision requires. */
const faultOf = (port: number, path: string, revision: string, expected: typeof exceptions) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
    (folder) => {
      const baseline = join(folder, "baseline.yml")
      const names = Object.keys(expected[revision] ?? {})
      writeFileSync(baseline, ["server:", ...names.map((name) => `  - ${name}`), ""].join("\n"))
      return run(port, path, ["--requirements", revision, "--expected-failures", baseline])
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const revisions = Object.keys(exceptions)

layerNeeding("counterparties")(Service.layer())("the conformance suite", (it) => {
  it.effect.each(revisions)(
    "holds for both editions, as far as it asks for no fixtures: %s",
    (revision) =>
      Effect.gen(function* () {
        const { port } = yield* Service
        for (const path of ["/mcp", "/mcp/public"]) {
          assert.isUndefined(yield* faultOf(port, path, revision, ofProduct), path)
        }
      }),
    360_000
  )

  it.effect("holds in what it does not count yet and we do: the headers of 2026-07-28", () =>
    Effect.gen(function* () {
      const { port } = yield* Service
      const headers = ["--scenario", "http-header-validation", "--spec-version", "2026-07-28"]
      assert.isUndefined(yield* run(port, "/mcp", headers))
    })
  )

  it.effect.each(revisions)(
    "holds for the same transport with the suite's fixtures: %s",
    (revision) =>
      Effect.gen(function* () {
        const { port } = yield* fixtureServer
        assert.isUndefined(yield* faultOf(port, "/mcp", revision, exceptions))
      }),
    180_000
  )
})

layerNeeding("counterparties")(Service.layer())("the SDK's clients", (it) => {
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
        await client.connect(new OldTransport(url) as Parameters<typeof client.connect>[0])
        assert.strictEqual((await client.listTools()).tools.length, 19)
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
          assert.strictEqual((await client.listTools()).tools.length, 19)
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

/** Every prompt through the protocol's own client, with what it completes; and the steps of those that only read. */
import { assert, layer } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/credits/Accounts.ts"
import type { Product } from "../../core/credits/Product.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { publish } from "../support/mcp.ts"
import { Service } from "../support/service.ts"

const products: ReadonlyArray<Product> = [
  { key: "depin_networks", build: () => Effect.succeed({ rows: [{ n: 1, as_of: "2026-09-05T01:00:00Z" }] }) }
]

/** Words such as tools have. Those of a prompt are tools, arguments or members of answers. */
const named = (text: string): ReadonlyArray<string> => [...new Set(text.match(/\b[a-z]+(?:_[a-z0-9]+)+\b/g))]

const members = [
  ...["as_of", "verify_url", "change_pct", "next_cursor", "telemetry_tier", "not_covered", "also_matching"],
  ...["not_checked", "how_to_check", "price_usd", "payload_sha256", "active_storage_providers"],
  // Another prompt.
  "buy_data"
]

const metric = "active_storage_providers"

const argumentValues: Readonly<Record<string, string>> = {
  symbol: "FIL",
  other_symbol: "GEOD",
  metric,
  days: "7",
  since: "2026-09-02",
  date: "2026-09-03",
  value: "202",
  category: "storage",
  budget_usd: "4.99",
  question: "How many providers are there?",
  product_key: "depin_networks",
  min_as_of: "2026-09-05T00:00:00Z"
}

layer(Service.layer({ products }))("prompts", (it) => {
  const connected = Effect.fnUntraced(function* (path: string) {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 9))
    yield* publish
    const { port } = yield* Service
    const client = new Client({ name: "prompts", version: "1" })
    yield* Effect.acquireRelease(
      Effect.promise(() =>
        client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}${path}`)))
      ),
      () => Effect.promise(() => client.close())
    )
    return client
  })

  const textOf = (client: Client, name: string, args: Record<string, string>) =>
    Effect.map(
      Effect.promise(() => client.getPrompt({ name, arguments: args })),
      ({ messages }) => {
        const content = messages[0]?.content
        return content?.type === "text" ? content.text : ""
      }
    )

  it.effect.each(["/mcp", "/mcp/public"])("of %s name tools and arguments that there are", (path) =>
    Effect.gen(function* () {
      const client = yield* connected(path)
      const { prompts } = yield* Effect.promise(() => client.listPrompts())
      const { tools } = yield* Effect.promise(() => client.listTools())
      const vocabulary = new Set([
        ...members,
        ...Object.values(argumentValues),
        ...tools.flatMap(({ inputSchema, name }) => [name, ...Object.keys(inputSchema.properties ?? {})])
      ])
      assert.isAtLeast(prompts.length, 5)
      for (const { arguments: promptArguments = [], name, title } of prompts) {
        assert.isString(title)
        const needed = promptArguments.filter(({ required }) => required === true)
        for (const some of [needed, promptArguments]) {
          const args = Object.fromEntries(
            some.map(({ name }) => [name, argumentValues[name] ?? assert.fail(name)])
          )
          const text = yield* textOf(client, name, args)
          for (const [argument, value] of Object.entries(args)) {
            assert.include(text, value, `${name} says ${argument}`)
          }
          assert.notInclude(text, "undefined", name)
          assert.deepStrictEqual(
            named(text).filter((word) => !vocabulary.has(word)),
            [],
            name
          )
          assert.isAtLeast(tools.filter((tool) => text.includes(tool.name)).length, 2, name)
        }
        const [first] = needed
        if (first === undefined) continue
        const without = Object.fromEntries(
          needed.slice(1).map(({ name }) => [name, argumentValues[name] ?? ""])
        )
        const refused = yield* Effect.tryPromise(() => client.getPrompt({ name, arguments: without })).pipe(
          Effect.flip
        )
        assert.include(String(refused.cause), first.name)
      }
    })
  )

  it.effect("complete every argument that is chosen from a list", () =>
    Effect.gen(function* () {
      const client = yield* connected("/mcp")
      const { prompts } = yield* Effect.promise(() => client.listPrompts())
      const typed = ["value", "question", "min_as_of"]
      for (const { arguments: promptArguments = [], name } of prompts) {
        for (const argument of promptArguments) {
          const { completion } = yield* Effect.promise(() =>
            client.complete({
              ref: { type: "ref/prompt", name },
              argument: { name: argument.name, value: "" },
              context: { arguments: { symbol: "FIL" } }
            })
          )
          if (typed.includes(argument.name)) assert.deepStrictEqual(completion.values, [])
          else
            assert.include(
              [...completion.values, "FIL", "GEOD"],
              argumentValues[argument.name],
              argument.name
            )
          assert.strictEqual(completion.values.length === 0, typed.includes(argument.name), argument.name)
        }
      }
      const { completion } = yield* Effect.promise(() =>
        client.complete({
          ref: { type: "ref/prompt", name: "what_changed" },
          argument: { name: "since", value: "2026-09" }
        })
      )
      assert.deepStrictEqual(completion.values, ["2026-09-04", "2026-09-03", "2026-09-02"])
    })
  )

  it.effect("can be followed with the calls that they describe", () =>
    Effect.gen(function* () {
      const client = yield* connected("/mcp")
      const { api_key } = yield* (yield* Accounts).register({}, "192.0.2.7")
      const call = Effect.fnUntraced(function* (name: string, args: Record<string, unknown>) {
        const { content, isError } = yield* Effect.promise(() => client.callTool({ name, arguments: args }))
        const [first] = content
        const text = first?.type === "text" ? first.text : ""
        assert.notStrictEqual(isError, true, text)
        // biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
        return JSON.parse(text) as any
      })
      yield* (yield* EventLog).run
      const symbol = "FIL"
      const history = yield* call("get_metric_history", { symbol, metric, days: 7 })
      assert.isAbove(history.data.FIL[metric].change_pct, 0)
      for (const dataset of ["revisions", "incidents"]) {
        assert.strictEqual((yield* call("fetch_dataset", { dataset, symbol })).dataset, dataset)
      }
      // Every event of the feed, page by page.
      const kinds = new Set<string>()
      for (let cursor: string | undefined = "0"; cursor !== undefined; ) {
        const page: { answer: { events: ReadonlyArray<{ kind: string }> }; next_cursor?: string } =
          yield* call("fetch_dataset", { dataset: "events", symbol, limit: 1, cursor })
        for (const { kind } of page.answer.events) kinds.add(kind)
        cursor = page.next_cursor
      }
      assert.deepStrictEqual([...kinds], ["values"])
      const values = [{ symbol, metric, value: 202, date: "2026-09-03" }]
      assert.isTrue((yield* call("verify_footprint", { values })).all_hold)
      const affordable = { product_key: "depin_networks", max_price_usd: 4.99, api_key }
      const dryRun = yield* call("purchase_data", { ...affordable, dry_run: true })
      assert.deepInclude(dryRun, { status: "dry_run", would_be_bought: true })
      const fresh = { ...affordable, min_as_of: "2026-09-05T00:00:00Z", idempotency_key: "one" }
      assert.strictEqual((yield* call("purchase_data", fresh)).price_paid, 0.99)
      const stale = yield* Effect.promise(() =>
        client.callTool({
          name: "purchase_data",
          arguments: { ...fresh, min_as_of: "2026-09-05T08:00:00Z", idempotency_key: "two" }
        })
      )
      assert.isTrue(stale.isError)
      assert.include(JSON.stringify(stale.content), "data_too_old")
      assert.strictEqual((yield* call("check_balance", { api_key })).credits_balance, 4.01)
    })
  )
})

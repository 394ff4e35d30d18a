/** Analyses by a language model: a loopback server speaks the interface, and lies in every way that a model can. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { aiIntel } from "../../core/products/depin_ai_intel/build.ts"
import { AiIntel } from "../../core/products/depin_ai_intel/definition.ts"
import { Analyses, acceptStatement } from "../../core/products/shared/analyst.ts"
import type { Input } from "../../core/wire/products/payload.ts"
import * as LanguageModel from "../../runtime/outside/languageModel.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { latest, noon, services, setSnapshot } from "../support/views.ts"

interface ModelRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
    readonly response_format: { readonly type: string; readonly json_schema: Record<string, unknown> }
  }
}

interface Reply {
  readonly status?: number
  readonly text: string
}

const requests: Array<ModelRequest> = []
let reply: Reply = { text: "" }

/** A completion as the interface sends it. */
const completion = (message: Readonly<Record<string, unknown>>, finish_reason = "stop"): Reply => ({
  text: JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_788_000_000,
    model: "analyst-1",
    choices: [
      { index: 0, message: { role: "assistant", refusal: null, ...message }, logprobs: null, finish_reason }
    ],
    usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 }
  })
})
const says = (...statements: ReadonlyArray<unknown>) =>
  completion({ content: JSON.stringify({ statements }) })

const key = "sk-a-secret-of-the-operator"

const model = Layer.unwrap(
  Effect.gen(function* () {
    const server = createServer(async (request, response) => {
      let body = ""
      for await (const chunk of request) body += chunk
      requests.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(body) })
      response.writeHead(reply.status ?? 200, { "content-type": "application/json" })
      response.end(reply.text)
    })
    const base = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<string>((resolve) => {
            server.listen(0, "127.0.0.1", () => {
              const address = server.address()
              resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1/`)
            })
          })
      ),
      () => Effect.sync(() => server.close())
    )
    return LanguageModel.layer({ base, model: "analyst-1", key: Redacted.make(key) })
  })
)

const written = Layer.provideMerge(Analyses.layerAnalyst, Analyses.layer).pipe(
  Layer.provide(model),
  Layer.provideMerge(services)
)

const rows = [
  latest({ metric: "nodes_online", value: 4123 }),
  latest({ metric: "fees_30d_usd", source: "feed_m", unit: "usd", value: 1234567.891, tier: "market" }),
  latest({ metric: "price_change_30d_pct", source: "feed_m", unit: "pct", value: -31.4, tier: "market" })
]
/** f1 to f3, as `rows` sorts them. */
const fees = { kind: "thesis", text: "Fees of 30 days came to 1,234,568 US dollars.", cites: ["f1"] }
const nodes = { kind: "moat", text: "4123 nodes answer.", cites: ["f2"] }
const price = { kind: "risk", text: "The price fell by 31.4 percent in 30 days.", cites: ["f3"] }

const fil = Effect.gen(function* () {
  const intel = yield* aiIntel
  const decoded = Schema.decodeUnknownExit(AiIntel, { onExcessProperty: "error" })(intel)
  assert.isTrue(decoded._tag === "Success", JSON.stringify(decoded).slice(0, 1000))
  const row = intel.networks.find(({ symbol }) => symbol === "FIL")
  const texts = [row?.thesis, row?.moat, row?.risk].map((all) => all?.map(({ text }) => text))
  return { intel, row, texts }
})

layer(written)("analyses by a language model", (it) => {
  const fresh = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`truncate analysis`
    yield* TestClock.setTime(noon)
    yield* setSnapshot(...rows.toSorted((a, b) => (a.metric < b.metric ? -1 : 1)))
    requests.length = 0
    return yield* Analyses
  })

  it.effect("are asked for in the interface's words, and cite what they rest on", () =>
    Effect.gen(function* () {
      const analyses = yield* fresh
      reply = says(fees, nodes, price)
      assert.strictEqual(yield* analyses.run, 1)
      const [first, ...others] = requests
      assert.deepStrictEqual(others, [])
      assert.strictEqual(first?.url, "/v1/chat/completions")
      assert.strictEqual(first?.headers.authorization, `Bearer ${key}`)
      assert.strictEqual(first?.body.model, "analyst-1")
      assert.deepStrictEqual(
        first?.body.messages.map(({ role }) => role),
        ["system", "user"]
      )
      const prompt = JSON.parse(first?.body.messages[1]?.content ?? "{}")
      assert.deepInclude(prompt, { symbol: "FIL" })
      assert.deepStrictEqual(prompt.facts[1], {
        id: "f2",
        metric: "nodes_online",
        value: 4123,
        unit: "count",
        as_of: "2026-09-05T12:00:00Z"
      })
      const { json_schema, type } = first?.body.response_format ?? {}
      assert.strictEqual(type, "json_schema")
      assert.deepInclude(json_schema, { name: "analysis", strict: true })
      assert.deepInclude(json_schema?.["schema"], { type: "object", required: ["statements"] })

      const { intel, row, texts } = yield* fil
      assert.strictEqual(intel.author, "language_model")
      assert.strictEqual(row?.author, "language_model")
      assert.deepStrictEqual(texts, [[fees.text], [nodes.text], [price.text]])
      assert.deepStrictEqual(row?.moat[0]?.cites, [
        {
          metric: "nodes_online",
          value: 4123,
          as_of: "2026-09-05T12:00:00Z",
          verify_url: "https://stats.example.net/v1/nodes"
        }
      ])
      assert.deepStrictEqual(row?.inputs.map(({ metric }) => metric).toSorted(), [
        "fees_30d_usd",
        "nodes_online",
        "price_change_30d_pct"
      ])
      assert.isNull(row?.conviction)
      assert.include(intel.methodology.rules.join(" "), "language_model")
    })
  )

  it.effect("are kept over a restart, and asked for again a day later where the values changed", () =>
    Effect.gen(function* () {
      const analyses = yield* fresh
      reply = says(nodes)
      yield* analyses.run
      assert.strictEqual(yield* analyses.run, 0)
      const storedStatements = yield* Effect.flatMap(Analyses, ({ statements }) => statements).pipe(
        Effect.provide(Layer.provide(Analyses.layer, model), { local: true })
      )
      assert.strictEqual(storedStatements.get("FIL")?.[0]?.text, nodes.text)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* analyses.run, 0)
      assert.strictEqual(requests.length, 1)
      yield* setSnapshot(
        ...rows.map((row) => (row.metric === "nodes_online" ? { ...row, value: 4200 } : row))
      )
      yield* TestClock.adjust("1 day")
      reply = says({ ...nodes, text: "4200 nodes answer." })
      assert.strictEqual(yield* analyses.run, 1)
      assert.deepStrictEqual((yield* fil).texts[1], ["4200 nodes answer."])
    })
  )

  it.effect("stand no longer than the values that they cite are measured", () =>
    Effect.gen(function* () {
      const analyses = yield* fresh
      reply = says(fees, nodes, price)
      yield* analyses.run
      yield* setSnapshot(...rows.filter(({ metric }) => metric !== "nodes_online"))
      assert.deepStrictEqual((yield* fil).texts, [[fees.text], [], [price.text]])
      yield* TestClock.adjust("7 days")
      yield* setSnapshot(...rows.map((row) => ({ ...row, as_of: new Date(noon + 7 * 86_400_000) })))
      assert.strictEqual((yield* fil).row?.author, "rules")
    })
  )

  const unusable: ReadonlyArray<readonly [what: string, reply: Reply]> = [
    ["nothing that stands", says({ ...nodes, cites: [] })],
    ["no statements at all", says()],
    ["a refusal", completion({ content: null, refusal: "I cannot help with that." })],
    ["half an answer", completion({ content: '{"statements":[' }, "length")],
    ["no JSON", completion({ content: "Sure! Here is the analysis:" })],
    ["another shape", completion({ content: '{"statements":[{"kind":"praise","text":"x","cites":[]}]}' })],
    ["no completion", { text: "{}" }],
    ["a page", { text: "<html>bad gateway</html>" }],
    ["a wrong key", { status: 401, text: JSON.stringify({ error: { message: `Incorrect key: ${key}` } }) }],
    ["too many requests", { status: 429, text: "{}" }],
    ["a failure", { status: 500, text: "{}" }],
    ["far too much", { text: `{"choices":[${" ".repeat(2_000_000)}]}` }]
  ]
  it.effect.each(unusable)("%s leaves the rules to write", ([, badReply]) =>
    Effect.gen(function* () {
      const analyses = yield* fresh
      reply = badReply
      yield* analyses.run
      assert.strictEqual(requests.length, 1)
      const { row, texts } = yield* fil
      assert.strictEqual(row?.author, "rules")
      assert.deepStrictEqual(texts, [
        ["It collected 1,234,567.89 US dollars in fees over 30 days."],
        [],
        ["The price changed by -31.4 percent over 30 days."]
      ])
    })
  )

  it.effect("that failed are retried after an hour, not before", () =>
    Effect.gen(function* () {
      const analyses = yield* fresh
      reply = { status: 500, text: "{}" }
      yield* analyses.run
      reply = says(nodes)
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* analyses.run, 0)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* analyses.run, 1)
      assert.strictEqual(requests.length, 2)
    })
  )
})

describe("the settings of a language model", () => {
  const read = (environment: Readonly<Record<string, string>>) =>
    Settings.pipe(
      Effect.provide(Settings.layer),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )

  it.effect("name it whole or not at all", () =>
    Effect.gen(function* () {
      for (const half of [{ AI_MODEL: "m" }, { AI_API_BASE: "http://127.0.0.1:1/v1" }]) {
        assert.match(
          (yield* Effect.flip(read(half))).message,
          /^AI_API_BASE and AI_MODEL must be set together/
        )
      }
      const { aiModel } = yield* read({ AI_MODEL: "m", AI_API_BASE: "http://127.0.0.1:1/v1" })
      assert.deepStrictEqual(aiModel, Option.some("m"))
    })
  )
})

describe("a statement of a model", () => {
  const fact = (id: string, metric: string, value: number) => ({
    id,
    input: {
      metric,
      value,
      unit: "count",
      source: "s",
      verify_url: "https://x.example",
      as_of: "2026-09-05T12:00:00Z"
    } satisfies Input
  })
  const facts = [
    fact("f1", "nodes_online", 4123),
    fact("f2", "fees_30d_usd", 0.4567),
    fact("f3", "change_pct", -31.45)
  ]
  const stands = (text: string, ...cites: ReadonlyArray<string>) =>
    acceptStatement({ kind: "risk", text, cites }, facts) !== undefined

  it.each([
    ["It has 4,123 nodes.", ["f1"]],
    ["It has 4123 nodes and took 0.46 dollars in 30 days.", ["f1", "f2"]],
    ["It fell by 31.5 percent.", ["f3"]],
    ["Most nodes answer – today.", ["f1", "f1"]]
  ])("stands: %s", (text, cites) => {
    assert.isTrue(stands(text, ...cites))
  })

  it.each<readonly [string, ReadonlyArray<string>]>([
    ["It has 4123 nodes.", []],
    ["It has 4123 nodes.", ["f9"]],
    ["It has 4123 nodes.", ["f1", "f9"]],
    ["It has 4123 nodes.", ["f2"]],
    ["It has 4124 nodes.", ["f1"]],
    ["It has 41 nodes.", ["f1"]],
    ["It took 0.45 dollars.", ["f2"]],
    ["It took 0.46 dollars in 7 days.", ["f2"]],
    ["It has ٤١٢٣ nodes.", ["f1"]],
    ["It has 4123² nodes.", ["f1"]],
    ["It has ½ of the nodes.", ["f1"]],
    ["Investors should buy it.", ["f1"]],
    ["It is undervalued.", ["f1"]],
    ["See https://evil.example now.", ["f1"]],
    ["<b>Strong</b> network.", ["f1"]],
    ["Two\nlines.", ["f1"]],
    ["Turned \u202etxet.", ["f1"]],
    ["   ", ["f1"]],
    ["x".repeat(281), ["f1"]]
  ])("is dropped: %s", (text, cites) => {
    assert.isFalse(stands(text, ...cites))
  })
})

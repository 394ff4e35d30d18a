/** Answers that are sound one by one and not together: what a careless plugin makes of them is found. */
import { assert, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, distinct, quantity } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Wholes from "../../runtime/contributor/check/wholes.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"

const Lists = Schema.Struct({
  nodes: Schema.Array(Schema.Struct({ id: Schema.String })),
  income_usd: quantity,
  spare: count
})

const urls = ["https://one.example.net/", "https://two.example.net/"]

/** Counts the nodes of two networks: entry by entry and as far as they answer, or by id and only where both do. */
const nodes = (careful: boolean) =>
  Plugin.define({
    id: "nodes",
    title: "Nodes",
    covers: { networks: ["STORJ"] },
    source: "nodes",
    tier: "supply_telemetry",
    hosts: ["one.example.net", "two.example.net"],
    every: "1 hour",
    calls: 2,
    grade: "A",
    metrics: {
      nodes_online: { unit: "count", min: 0, meaning: "Nodes of both networks." },
      income_usd: { unit: "usd", min: 0, meaning: "Income of the first network." },
      spare: { unit: "count", min: 0, meaning: "Spare nodes of the first network." }
    },
    collect: (observe) =>
      Effect.gen(function* () {
        const outcomes = yield* Upstream.parts(urls.map((url) => [url, Upstream.json(url, Lists)] as const))
        const answers = outcomes.flatMap(({ outcome }) =>
          Result.isSuccess(outcome) ? [outcome.success] : []
        )
        const [first] = answers
        if (first === undefined || (careful && answers.length < urls.length)) return []
        if (careful && answers.some(({ body }) => body.income_usd === 0)) {
          return yield* Upstream.implausible(first, "income_usd", "there was no income")
        }
        const listed = answers.flatMap(({ body }) => body.nodes)
        return observe(first, {
          nodes_online: (careful ? distinct(listed, ({ id }) => id) : listed).length,
          income_usd: first.url === urls[0] ? first.body.income_usd : undefined,
          spare: first.url === urls[0] ? first.body.spare : undefined
        })
      })
  })

const body = (ids: ReadonlyArray<string>) =>
  new TextEncoder().encode(JSON.stringify({ nodes: ids.map((id) => ({ id })), income_usd: 9.5, spare: 3 }))

const tape: Tape = {
  now: 1e12,
  targets: [],
  settings: {},
  exchanges: [body(["a", "b", "c"]), body(["d", "e"])].map((body, at) => ({
    request: { method: "GET", url: urls[at] ?? "" },
    at: 1e12,
    status: 200,
    headers: {},
    sha256: "",
    body
  }))
}

const changes = (careful: boolean, way: Wholes.Way) =>
  Effect.map(Wholes.changed(nodes(careful), tape, way), (differences) =>
    differences.map(({ row, was }) => `${row.metric} ${was.join()} becomes ${row.value}`)
  )

const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
  "an entry listed twice": ["nodes_online 5 becomes 6", "nodes_online 5 becomes 6"],
  "a source that is silent": ["nodes_online 5 becomes 2", "nodes_online 5 becomes 3"],
  // What ingest holds back by itself, a stock that falls to nothing, needs no care.
  "all numbers 0": ["income_usd 9.5 becomes 0"]
}

it.effect.each([...Wholes.ways])("$name is found where it changes what a careless plugin says", (way) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* changes(false, way), expected[way.name])
    assert.deepStrictEqual(yield* changes(true, way), [])
  })
)

it.effect("the union of the sources that answer may stand under a name of its own", () =>
  Effect.gen(function* () {
    const union = Plugin.define({
      ...nodes(true).manifest,
      sources: ["first_alone"],
      collect: (observe) =>
        Effect.gen(function* () {
          const outcomes = yield* Upstream.parts(urls.map((url) => [url, Upstream.json(url, Lists)] as const))
          const answers = outcomes.flatMap(({ outcome }) =>
            Result.isSuccess(outcome) ? [outcome.success] : []
          )
          return answers.slice(0, 1).flatMap((first) =>
            observe(
              first,
              { nodes_online: answers.flatMap(({ body }) => body.nodes).length },
              // The second alone is careless: it goes by the name of the whole.
              answers.length < urls.length && first.url === urls[0] ? { source: "first_alone" } : {}
            )
          )
        })
    })
    const silent = Wholes.ways.filter(({ name }) => name === "a source that is silent")
    const changes = yield* Effect.forEach(silent, (way) => Wholes.changed(union, tape, way))
    assert.deepStrictEqual(
      changes.flat().map(({ row }) => `${row.source} ${row.value}`),
      ["nodes 2"]
    )
  })
)

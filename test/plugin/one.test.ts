/** `Plugin.define`, `Plugin.one` and `Plugin.from`: what is left out has its default, and one answer gives its readings. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count, moment } from "../../core/plugin/shapes/fields.ts"
import { mayDropToZero, metric, signed } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"

const url = "https://stats.example.net/v1/acme"
const at = Date.parse("2026-09-05T11:00:00Z")
const Stats = Schema.Struct({ updated: moment, nodes: count })

type Observe = Plugin.Observe<"nodes_online">

const plugin = (
  collect: (
    observe: Observe
  ) => Effect.Effect<ReadonlyArray<Plugin.CollectedPart>, Upstream.UpstreamError, Upstream.Upstream>
) =>
  Plugin.define({
    id: "acme",
    title: "Acme",
    covers: { networks: ["STORJ"] },
    source: "acme_stats",
    tier: "supply_telemetry",
    hosts: ["stats.example.net"],
    every: "1 hour",
    grade: "A",
    metrics: { nodes_online: metric("count", "Nodes.") },
    collect
  })

const rowsOf = (instance: ReturnType<typeof plugin>, body: unknown) => {
  const exchange = {
    request: { method: "GET", url } as const,
    at,
    status: 200,
    headers: {},
    sha256: "",
    body: new TextEncoder().encode(JSON.stringify(body))
  }
  return Effect.map(
    Fixtures.replay(instance, { now: at, targets: [], settings: {}, exchanges: [exchange] }),
    (rows) =>
      "error" in rows
        ? rows.message
        : rows.observations.map(({ as_of, metric, value, verify_url }) => [metric, value, as_of, verify_url])
  )
}

const stated = plugin((observe) =>
  Plugin.one(
    observe,
    url,
    Stats,
    { as_of: ({ updated }) => updated, verify_url: "https://example.net/" },
    ({ nodes }, answer) => {
      if (nodes === 0) return Upstream.implausible(answer, `["nodes"]`, "no node listed")
      return nodes === 1 ? undefined : { nodes_online: nodes }
    }
  )
)

describe("the readings of one answer", () => {
  it.effect("are its values, with what is told beside them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rowsOf(stated, { nodes: 7, updated: "2026-09-05T10:30:00Z" }), [
        ["nodes_online", 7, "2026-09-05T10:30:00Z", "https://example.net/"]
      ])
    })
  )

  it.effect("are dated by the answer, and compared at its address, where nothing is told", () =>
    Effect.gen(function* () {
      const plain = plugin((observe) =>
        Plugin.one(observe, url, Stats, ({ nodes }) => ({ nodes_online: nodes }))
      )
      const rows = [["nodes_online", 7, "2026-09-05T11:00:00Z", url]]
      assert.deepStrictEqual(yield* rowsOf(plain, { nodes: 7 }), rows)
      const undated = plugin((observe) =>
        Plugin.from(observe, Upstream.json(url, Stats), {}, ({ nodes }) => ({ nodes_online: nodes }))
      )
      assert.deepStrictEqual(yield* rowsOf(undated, { nodes: 7 }), rows)
    })
  )

  it.effect("are none where the time that the plugin reads is taken out of the answer", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rowsOf(stated, { nodes: 7, updated: null }), [])
      assert.deepStrictEqual(yield* rowsOf(stated, { nodes: 7 }), [])
    })
  )

  it.effect("are none where there is nothing to say, and a failure where the answer is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rowsOf(stated, { nodes: 1 }), [])
      assert.strictEqual(yield* rowsOf(stated, { nodes: 0 }), `${url}: at ["nodes"]: no node listed`)
      assert.include(yield* rowsOf(stated, "nodes"), "Expected object")
    })
  )

  it("of a metric that is not declared do not compile", () => {
    plugin((observe) =>
      // @ts-expect-error: `nodes` is not a metric of the manifest.
      Plugin.one(observe, url, Stats, ({ nodes }) => ({ nodes_online: nodes, nodes }))
    )
  })
})

describe("a definition", () => {
  it("has the project as its owner, and is telemetry, unless it says otherwise", () => {
    assert.strictEqual(stated.manifest.owner, "plumbline")
    assert.strictEqual(stated.manifest.tier, "supply_telemetry")
    const { collect, manifest } = stated
    const other = Plugin.define({
      ...manifest,
      owner: "acme",
      tier: "market",
      collect: () => Effect.succeed([])
    })
    assert.strictEqual(other.manifest.owner, "acme")
    assert.strictEqual(other.manifest.tier, "market")
    assert.notStrictEqual(other.collect, collect)
  })

  it("says of a metric what is other than usual", () => {
    assert.deepStrictEqual(metric("count", "Nodes."), { unit: "count", min: 0, meaning: "Nodes." })
    assert.deepStrictEqual(metric("rank", "Rank.", { min: 1, max: 5 }), {
      unit: "rank",
      min: 1,
      max: 5,
      meaning: "Rank."
    })
    assert.deepStrictEqual(mayDropToZero("usd", "Fees."), {
      unit: "usd",
      min: 0,
      collapse: 1,
      meaning: "Fees."
    })
    assert.deepStrictEqual(signed("usd", "Change."), { unit: "usd", meaning: "Change." })
  })
})

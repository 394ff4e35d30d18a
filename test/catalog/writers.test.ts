/** One writer for a series, across manifests. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rivalsOf, seriesOfBoth } from "../../core/catalog/writers.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { seriesFindings } from "../../runtime/contributor/check/manifest.ts"
import { plugins } from "../support/plugins.ts"
import { manifest } from "../support/runs.ts"

const count = { unit: "count", meaning: "Nodes." } as const

const one: Manifest = { ...manifest, id: "one", metrics: { nodes: count } }
const other = (over: Partial<Manifest>): Manifest => ({ ...one, id: "other", ...over })

describe("two manifests", () => {
  it("share a series by its metric, by a family, by another label, and by a row of the catalog", () => {
    const family = { "nodes_*": { ...count, of: ["up", "down"] } }
    assert.deepStrictEqual(seriesOfBoth(one, other({})), {
      symbol: "FIL",
      metric: "nodes",
      source: "test_feed"
    })
    for (const [first, second] of [
      [one, other({ source: "its_own", sources: ["test_feed"] })],
      [{ ...one, metrics: { nodes_up: count } }, other({ metrics: family })],
      [{ ...one, metrics: family }, other({ metrics: { "node*": { ...count, of: ["s_up"] } } })],
      [{ ...one, sources: ["rpc_*"] }, other({ source: "rpc_12" })],
      [{ ...one, sources: ["rpc_*"] }, other({ source: "own", sources: ["rpc_1*"] })],
      [one, other({ covers: { catalog: "coingecko_id" } })]
    ] as const) {
      assert.isDefined(seriesOfBoth(first, second), JSON.stringify(second))
      assert.isDefined(seriesOfBoth(second, first), JSON.stringify(second))
    }
  })

  it("share none where the symbol, the metric or the label differs", () => {
    for (const second of [
      other({ covers: { networks: ["AR"] } }),
      other({ metrics: { others: count } }),
      other({ source: "its_own" }),
      other({ source: "own", sources: ["test_feed_*"] })
    ]) {
      assert.isUndefined(seriesOfBoth(one, second), JSON.stringify(second))
    }
  })

  it("are told of each other by the check", () => {
    const [finding] = seriesFindings(other({}), [one, other({})])
    assert.strictEqual(finding?.level, "wrong")
    assert.include(finding?.says, "FIL nodes of the source test_feed is declared by plugins/one")
  })
})

it.effect("no two plugins declare one series", () =>
  Effect.gen(function* () {
    const manifests = plugins.map(({ manifest }) => manifest)
    for (const each of manifests) assert.deepStrictEqual(rivalsOf(each, manifests), [])
  })
)

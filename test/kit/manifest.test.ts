/** What the check says of a family of metrics in a manifest. */
import { assert, describe, it } from "@effect/vitest"
import type { Manifest, Metric } from "../../core/plugin/Plugin.ts"
import { countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { manifestFindings } from "../../runtime/check/manifest.ts"

const said = (metrics: Readonly<Record<string, Metric>>): ReadonlyArray<string> => {
  const manifest: Manifest = {
    id: "example",
    title: "Example",
    covers: { networks: ["FIL"] },
    tier: "supply_telemetry",
    source: "example",
    hosts: ["stats.example.net"],
    every: "1 hour",
    grade: "K",
    owner: "plumbline",
    metrics
  }
  return manifestFindings("example", manifest).map(({ says }) => says)
}

const count = { unit: "count", min: 0, meaning: "A count." } as const

describe("a family of metrics", () => {
  it("has a star at its end and words that make names", () => {
    assert.deepStrictEqual(said(countryMetrics("Nodes")), [])
    assert.deepStrictEqual(said({ "nodes_*": { ...count, of: ["a", "b_2"] } }), [])
    assert.deepStrictEqual(said({ "nodes_*": { ...count, of: ["a", "b c"] } }), ["nodes_*: no metric name"])
    assert.deepStrictEqual(said({ "nodes_*": { ...count, of: [] } }), ["nodes_*: no metric name"])
    assert.deepStrictEqual(said({ "nodes_*": count }), ["nodes_*: no metric name"])
    assert.deepStrictEqual(said({ nodes: { ...count, of: ["a"] } }), ["nodes: a family without its star"])
  })
})

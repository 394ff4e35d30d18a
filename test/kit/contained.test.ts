/** What a contributor's command does before and after a plugin's own code runs. */
import { mkdirSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { contained } from "../../runtime/commands/contained.ts"
import { ingestible, table } from "../../runtime/contributor/rows.ts"
import { contributor } from "../support/contributor.ts"

it.effect("a plugin that reaches outside by itself is refused before it is imported", () =>
  Effect.gen(function* () {
    const { plugins } = yield* contributor
    mkdirSync(new URL("reaching/", plugins))
    const source = 'throw new Error("imported")\nexport default {}\n'
    writeFileSync(new URL("reaching/index.ts", plugins), source)
    assert.include((yield* Effect.flip(contained("reaching", plugins))).message, "imported")
    writeFileSync(
      new URL("reaching/more.ts", plugins),
      'export const page = fetch("https://stats.example.net/")\n'
    )
    const { message } = yield* Effect.flip(contained("reaching", plugins))
    assert.match(
      message,
      /^plugins\/reaching\/more\.ts uses the network directly: export const page = fetch\(/
    )
    assert.notInclude(message, "imported")
  })
)

it("rows that ingest holds back are shown as refused, with its reason", () => {
  const manifest: Manifest = {
    id: "acme",
    title: "Acme",
    covers: { networks: ["STORJ"] },
    tier: "supply_telemetry",
    source: "acme_stats",
    hosts: ["stats.example.net"],
    every: "1 hour",
    metrics: {
      nodes_online: { unit: "count", meaning: "Nodes.", min: 0 },
      used_percent: { unit: "percent", meaning: "Used.", min: 0, max: 100 }
    },
    grade: "A",
    owner: "tests"
  }
  const row = (metric: string, value: number): Observation => ({
    symbol: "STORJ",
    metric,
    value,
    unit: metric === "nodes_online" ? "count" : "percent",
    source: "acme_stats",
    verify_url: "https://stats.example.net/",
    as_of: "2026-09-05T10:00:00Z"
  })
  const sound = [row("nodes_online", 0), row("used_percent", 100)]
  const rows = ingestible(manifest, {
    observations: [...sound, row("nodes_online", -1), row("used_percent", 101)],
    refused: [{ symbol: "STORJ", metric: "other", reason: "got -5, at least 0 expected" }]
  })
  assert.deepStrictEqual(rows, {
    observations: sound,
    refused: [
      { symbol: "STORJ", metric: "other", reason: "got -5, at least 0 expected" },
      {
        symbol: "STORJ",
        metric: "nodes_online",
        reason: "held back at ingest: -1 is below the least possible value 0"
      },
      {
        symbol: "STORJ",
        metric: "used_percent",
        reason: "held back at ingest: 101 is above the greatest possible value 100"
      }
    ]
  })
  assert.include(table(rows), "  2 rows, 3 refused")
})

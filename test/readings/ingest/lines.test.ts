import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Observation } from "../../../core/plugin/Value.ts"
import { linesOf, observationsOf } from "../../../core/readings/ingest/runs/lines.ts"
import * as Runs from "../../support/runs.ts"

/** Each row differs from the one before it in one member; the texts need escapes. */
const rows: Array<Observation> = [Runs.row(100, "2026-09-05T10:00:00Z")]
const changes: ReadonlyArray<Partial<Observation>> = [
  { symbol: "STO\nRJ" },
  { metric: 'no"des' },
  { source: "another\\feed" },
  { unit: "usd" },
  { verify_url: "https://stats.example.net/v2/nodes?a=\u2028" },
  { as_of: "2026-09-05T11:59:00.500Z" },
  { value: 1e-7 },
  { value_text: "0.00000010" },
  { value_text: "" }
]
for (const change of changes) rows.push(Object.assign({ ...Runs.row(100, "") }, rows.at(-1), change))

it("writes each row as a line of JSON by itself, whatever the row before it", () => {
  for (const observations of [rows, rows.toReversed()]) {
    const lines = observations.map((row) => {
      const { as_of, metric, source, symbol, unit, value, value_text, verify_url } = row
      return `${JSON.stringify([symbol, metric, source, as_of, value, value_text ?? null, unit, verify_url])}\n`
    })
    assert.strictEqual(linesOf(observations), lines.join(""))
  }
})

it.effect("reads the rows that it wrote", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* observationsOf(linesOf(rows)), rows)
  })
)

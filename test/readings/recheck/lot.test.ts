/** The daily lot of series to look at again. */
import { assert, it } from "@effect/vitest"
import { drawnOf, seriesADay } from "../../../core/readings/recheck/drawDue.ts"
import * as Runs from "../../support/runs.ts"

const rows = Array.from({ length: 2000 }, (_, series) => ({
  series,
  row: Runs.row(1, "2026-09-05T12:00:00Z", { symbol: `N${series}` }),
  plugin: "testnet",
  tier: "supply_telemetry" as const,
  readUrl: "https://stats.example.net/v1/nodes",
  asOf: 0,
  confirmedAt: 0,
  simulated: false,
  by_definition: undefined,
  unconfirmed: false
}))

it("draws the same series of the same seed, others of another, and spreads them over the day", () => {
  const namesOf = (seed: string) => drawnOf(seed, rows).map(({ served }) => served.row.symbol)
  assert.lengthOf(namesOf("monday"), seriesADay)
  assert.deepStrictEqual(namesOf("monday"), namesOf("monday"))
  const both = namesOf("monday").filter((name) => namesOf("tuesday").includes(name))
  assert.isBelow(both.length, 50)
  // Which of them it are does not depend on the order in which they are read.
  assert.sameMembers(
    drawnOf("monday", rows.toReversed()).map(({ served }) => served.row.symbol),
    namesOf("monday")
  )
  const turns = drawnOf("monday", rows).map(({ turn }) => turn)
  assert.deepStrictEqual(
    turns,
    turns.toSorted((a, b) => a - b)
  )
  for (const quarter of [0, 0.25, 0.5, 0.75])
    assert.isAbove(turns.filter((turn) => turn >= quarter && turn < quarter + 0.25).length, 25)
})

/** What the check says of a row that is true at midnight, and where a day ends. */
import { assert, describe, it } from "@effect/vitest"
import type { Manifest } from "../../core/plugin/Plugin.ts"
import { endOfDay, isoTime } from "../../core/plugin/Value.ts"
import { midnights } from "../../runtime/contributor/check/times.ts"

const day = { unit: "usd", min: 0, meaning: "Paid in the newest UTC day that is over." } as const
const nodes = { unit: "count", min: 0, meaning: "Nodes online." } as const

const said = (metrics: Manifest["metrics"], as_of: string) => {
  const manifest: Manifest = {
    id: "example",
    title: "Example",
    covers: { networks: ["FIL"] },
    tier: "fees_tvl",
    source: "example",
    hosts: ["stats.example.net"],
    every: "1 hour",
    grade: "K",
    owner: "plumbline",
    metrics
  }
  const observations = Object.entries(metrics).map(([metric, { unit }]) => ({
    symbol: "FIL",
    metric,
    value: 1,
    unit,
    source: "example",
    verify_url: "https://stats.example.net/",
    as_of
  }))
  return midnights("fixtures/ok", manifest, { observations, refused: [] }).map(
    ({ level, says }) => `${level}: ${says}`
  )
}

describe("a row that is true at midnight", () => {
  it("is wrong of a metric about a finished day, by its name or its meaning", () => {
    assert.deepStrictEqual(said({ fees: day }, "2026-09-05T00:00:00Z"), [
      "wrong: as_of of fees is midnight, 2026-09-05T00:00:00Z, which belongs to the next day"
    ])
    assert.lengthOf(said({ fees_24h_usd: { ...day, meaning: "Fees paid." } }, "2026-09-05T00:00:00.000Z"), 1)
  })

  it("is noted of another metric, which may be a snapshot of midnight", () => {
    assert.deepStrictEqual(said({ nodes }, "2026-09-05T00:00:00Z"), [
      "note: as_of of nodes is midnight, 2026-09-05T00:00:00Z, which belongs to the next day"
    ])
  })

  it("is nothing a millisecond before", () => {
    assert.deepStrictEqual(said({ fees: day, nodes }, "2026-09-04T23:59:59.999Z"), [])
  })
})

describe("the end of a day", () => {
  it("is the last millisecond of the UTC day that holds the time", () => {
    const end = "2026-09-04T23:59:59.999Z"
    for (const text of ["2026-09-04T00:00:00Z", "2026-09-04T13:00:00Z", end]) {
      assert.strictEqual(isoTime(endOfDay(Date.parse(text))), end)
    }
    assert.isNaN(endOfDay(Number.NaN))
  })
})

/** What the check says of times: of a row that is true at midnight, of a time that no row uses, and where a day ends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { endOfDay, isoTime } from "../../core/plugin/Value.ts"
import { midnights, unreadTimes } from "../../runtime/contributor/check/times.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"

const day = { unit: "usd", min: 0, meaning: "Paid in the newest UTC day that is over." } as const
const nodes = { unit: "count", min: 0, meaning: "Nodes online." } as const

const messagesOf = (metrics: Manifest["metrics"], as_of: string) => {
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
    tier: "supply_telemetry",
    verify_url: "https://stats.example.net/",
    as_of
  }))
  return midnights("fixtures/ok", manifest, { observations, refused: [] }).map(
    ({ level, says }) => `${level}: ${says}`
  )
}

describe("a row that is true at midnight", () => {
  it("is wrong of a metric about a finished day, by its name or its meaning", () => {
    assert.deepStrictEqual(messagesOf({ fees: day }, "2026-09-05T00:00:00Z"), [
      "wrong: as_of of fees is midnight, 2026-09-05T00:00:00Z, which belongs to the next day"
    ])
    assert.lengthOf(
      messagesOf({ fees_24h_usd: { ...day, meaning: "Fees paid." } }, "2026-09-05T00:00:00.000Z"),
      1
    )
  })

  it("is noted of another metric, which may be a snapshot of midnight", () => {
    assert.deepStrictEqual(messagesOf({ nodes }, "2026-09-05T00:00:00Z"), [
      "note: as_of of nodes is midnight, 2026-09-05T00:00:00Z, which belongs to the next day"
    ])
  })

  it("is nothing a millisecond before", () => {
    assert.deepStrictEqual(messagesOf({ fees: day, nodes }, "2026-09-04T23:59:59.999Z"), [])
  })
})

describe("a time that the answer states", () => {
  const url = "https://stats.example.net/v1/summary"
  const at = Date.parse("2026-09-05T11:00:00Z")
  const Summary = Schema.Struct({ nodes: Schema.Int, updated_at: Schema.String })
  const findings = (uses: boolean) => {
    const plugin = Plugin.define({
      id: "example",
      title: "Example",
      covers: { networks: ["FIL"] },
      source: "example",
      tier: "supply_telemetry",
      hosts: ["stats.example.net"],
      every: "1 hour",
      grade: "K",
      metrics: { nodes },
      collect: (observe) =>
        Plugin.one(
          observe,
          url,
          Summary,
          uses ? { as_of: ({ updated_at }) => Date.parse(updated_at) } : {},
          (body) => ({ nodes: body.nodes })
        )
    })
    const body = new TextEncoder().encode('{"nodes":7,"updated_at":"2026-09-05T10:30:00Z"}')
    const request = { method: "GET", url } as const
    const exchange = { request, at, status: 200, headers: {}, sha256: "", body }
    const tape = { now: at, targets: [], settings: {}, exchanges: [exchange] }
    const replay = (other: Tape) => Fixtures.replay(plugin, other)
    return Effect.flatMap(replay(tape), (rows) => unreadTimes("fixtures/ok", tape, rows, replay))
  }

  it.effect("is named if no row uses it, and not if one does", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        (yield* findings(false)).map(({ says }) => says),
        ["the answer says in updated_at when its data was true, but no row uses it"]
      )
      assert.deepStrictEqual(yield* findings(true), [])
    })
  )
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

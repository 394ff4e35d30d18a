/** Random changes of all that answers are made of, and the addresses whose answers they change. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { HistoryCoverage } from "../../core/readings/read/HistoryCoverage.ts"
import { IngestCounts } from "../../core/readings/read/IngestCounts.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { waitingFeed } from "./feedState.ts"
import * as Runs from "./runs.ts"

const metric = "active_storage_providers"
export const start = Date.UTC(2026, 8, 6, 9)
const hour = 3_600_000

export const states = new Map([["made-up", waitingFeed("made-up")]])

export const addresses = [
  "/try",
  "/v1/supply?network=FIL",
  "/v1/supply?network=geod",
  "/v1/supply",
  "/v1/networks",
  "/v1/networks?query=filecoin",
  "/v1/network/FIL",
  "/v1/network/fil",
  "/v1/network/GEOD",
  "/v1/network/nope",
  "/v1/network/AKT",
  "/v1/supply?network=NOPE",
  "/v1/history?network=NOPE",
  "/v1/history?network=FIL&metric=no_such",
  "/.well-known/service-signing-key.json",
  "/v1/market",
  "/v1/revenue",
  "/v1/world",
  "/v1/provenance",
  "/v1/provenance?network=FIL",
  "/v1/data-dictionary",
  `/v1/history?network=FIL&metric=${metric}&days=30`,
  "/v1/history?network=FIL",
  "/v1/history?network=GEOD&days=3",
  "/v1/diff?network=FIL&from=2026-09-05T00:00:00Z&to=2026-09-06T08:00:00Z",
  `/v1/attest?symbol=FIL&metric=${metric}&date=20260905`,
  `/v1/attest?symbol=GEOD&metric=${metric}&date=20260905`,
  `/v1/attest?symbol=FIL&metric=${metric}&date=20260905&format=bundle`,
  // Not there, or not yet.
  `/v1/attest?symbol=FIL&metric=${metric}&date=20260801`,
  `/v1/attest?symbol=FIL&metric=${metric}&date=20260906`,
  `/v1/attest?symbol=GEOD&metric=${metric}&date=20260907`,
  `/v1/attest?symbol=GEOD&metric=${metric}&date=20260906&format=absence`,
  `/v1/attest?symbol=AKT&metric=${metric}&date=20260905`,
  `/v1/attest?symbol=NOPE&metric=${metric}&date=20260905`,
  "/v1/log/checkpoints/2",
  "/v1/log/checkpoints/999",
  "/v1/log/tile/0/000",
  "/v1/log/tile/0/000.p/2",
  "/v1/log/tile/entries/000.p/3",
  "/v1/log/batches/2026-09-06/leaves",
  "/v1/log/batches/2026-09-06/absent",
  "/v1/brief?date=2026-09-07",
  "/v1/attestations",
  "/v1/revisions",
  "/v1/derivation",
  "/v1/derivation?limit=1",
  "/v1/brief",
  "/v1/log/checkpoint",
  "/v1/log/checkpoints/1",
  "/v1/log/tile/0/000.p/1",
  "/v1/log/batches/2026-09-05/leaves",
  "/v1/log/batches/2026-09-05/absent",
  "/x402",
  "/x402/openapi.json",
  "/openapi.json",
  "/health",
  "/terms"
]

const symbols = ["FIL", "GEOD"] as const

export const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("read"),
      symbol: fc.constantFrom(...symbols),
      hoursAgo: fc.integer({ min: 0, max: 50 }),
      value: fc.integer({ min: 1, max: 3 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("open"),
      symbol: fc.constantFrom(...symbols),
      hours: fc.integer({ min: 1, max: 60 })
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("again"), symbol: fc.constantFrom(...symbols) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("close") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("count") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("feed") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait"),
      ms: fc.constantFrom(1, 999, 4000, 9999, 10_000, hour, 24 * hour)
    })
  }
)
export type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** Makes a change. */
export const applyStep = Effect.fnUntraced(function* (one: Step) {
  const now = yield* DataClock.now
  const incidents = yield* Incidents
  switch (one.kind) {
    case "read": {
      const asOf = now - one.hoursAgo * hour - (now % hour)
      const row = Runs.row(one.value, isoTime(asOf), { symbol: one.symbol, metric, source: "made-up" })
      return yield* (yield* Ingest).write(Runs.delivery(now, [row], "made-up"))
    }
    case "again": {
      const [row] = (yield* (yield* Current).snapshot).bySymbol.get(one.symbol) ?? []
      if (row === undefined) return undefined
      return yield* (yield* Ingest).write(Runs.delivery(now, [row.row], "made-up"))
    }
    case "open":
      return yield* Effect.ignore(
        incidents.open(
          { symbol: one.symbol, metric, from: now - 100 * hour, to: now - one.hours * hour },
          "out of range"
        )
      )
    case "reopen": {
      const [newest] = yield* incidents.list(true, 1)
      return newest === undefined ? undefined : yield* incidents.close(newest.id, "was right")
    }
    case "close":
      return yield* Effect.andThen((yield* DailyClose).run, (yield* Brief).run)
    case "count":
      return yield* Effect.andThen((yield* IngestCounts).refresh, (yield* HistoryCoverage).refresh)
    case "feed": {
      const before = states.get("made-up") ?? waitingFeed("made-up")
      states.set("made-up", { ...before, runs: before.runs + 1 })
      return yield* (yield* Versions).changed("feeds")
    }
    case "wait":
      return yield* TestClock.adjust(one.ms)
  }
})

/** What the changes after them need. */
export const first: ReadonlyArray<Step> = [
  { kind: "read", symbol: "FIL", hoursAgo: 20, value: 1 },
  { kind: "read", symbol: "GEOD", hoursAgo: 20, value: 1 },
  { kind: "close" }
]

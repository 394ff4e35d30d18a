/** Two sources of one figure that contradict each other: both are served, each names the other, and the feed says it once. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { EventLog } from "../../core/events/EventLog.ts"
import { events, eventsText } from "../../core/events/read/events.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { network } from "../../core/readings/read/network.ts"
import { provenance, provenanceBytes } from "../../core/readings/read/provenance.ts"
import { contradictions } from "../../core/readings/secondSources.ts"
import { NetworkResponse } from "../../core/wire/data/network.ts"
import { ProvenanceResponse } from "../../core/wire/data/provenance.ts"
import { EventsResponse } from "../../core/wire/events/event.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const minute = 60_000
const day = 86_400_000

const nodes = Runs.manifest.metrics["nodes_online"] ?? assert.fail()
const manifests = [
  {
    ...Runs.manifest,
    agreesWith: [
      { metric: "nodes_online", source: "crawler", as: "nodes_seen", tolerance: 0.1, why: "the same nodes" }
    ]
  },
  { ...Runs.manifest, id: "crawler", source: "crawler", metrics: { nodes_seen: nodes } }
]

describe("two values of one figure", () => {
  const pair = { plugin: "a", metric: "n_*", source: "s2", tolerance: 0.1, why: "" }
  const of = (plugin: string, source: string, value: number, asOf = noon, simulated = false) => ({
    symbol: "FIL",
    metric: "n_x",
    source,
    plugin,
    value,
    asOf,
    simulated
  })
  const isContradicted = (...rows: ReadonlyArray<ReturnType<typeof of>>) =>
    contradictions([pair], rows, (row) => row).length > 0

  it("contradict each other beyond the tolerance, if they are of about the same time", () => {
    const first = of("a", "s1", 100)
    assert.isFalse(isContradicted(first, of("b", "s2", 90)))
    assert.isTrue(isContradicted(first, of("b", "s2", 89)))
    assert.isTrue(isContradicted(first, of("b", "s2", 200, noon - day)))
    assert.isFalse(isContradicted(first, of("b", "s2", 200, noon - day - 1)), "one has stopped")
    assert.isFalse(isContradicted(first, of("b", "s3", 200)), "no declared source")
    assert.isFalse(isContradicted(first, { ...of("b", "s2", 200), symbol: "AKT" }))
    assert.isFalse(isContradicted(first, of("b", "s2", 200, noon, true)), "made up by the demo")
  })
})

onBothEngines("a disagreement", (database) => {
  const services = EventLog.layer.pipe(
    Layer.provideMerge(
      logged(database, noon, Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(new Map()) })))
    )
  )

  layer(services, { excludeTestServices: false })((it) => {
    const read = Effect.fnUntraced(function* (at: number, plugin: string, value: number) {
      yield* TestClock.setTime(at)
      const row = Runs.row(value, isoTime(at), {
        source: plugin === "crawler" ? "crawler" : "test_feed",
        metric: plugin === "crawler" ? "nodes_seen" : "nodes_online"
      })
      yield* (yield* Ingest).write(Runs.delivery(at, [row], plugin))
      yield* (yield* EventLog).run
    })
    const served = Effect.gen(function* () {
      const rows = yield* Schema.decodeUnknownEffect(NetworkResponse)(yield* network("FIL"))
      const { provenance: records } = yield* Schema.decodeUnknownEffect(ProvenanceResponse)(
        yield* provenance({ network: "FIL" })
      )
      const { bytes } = yield* provenanceBytes({ network: "FIL" })
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(bytes)).provenance, records)
      assert.deepStrictEqual(
        rows.map(({ disagrees_with }) => disagrees_with),
        records.map(({ disagrees_with }) => disagrees_with)
      )
      return rows.map(({ disagrees_with, value }) => [value, disagrees_with?.source, disagrees_with?.value])
    })
    const inFeed = Effect.gen(function* () {
      const page = yield* events({ access: { ...keyless, breadth: "all" }, limit: 500, kind: "disagreement" })
      const decoded = yield* Schema.decodeUnknownEffect(EventsResponse)(JSON.parse(eventsText(page)))
      return decoded.events.flatMap((event) =>
        event.kind === "disagreement" ? [event.data.disagreement] : []
      )
    })

    it.effect("is on both values and in the feed, once until they agree again", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`truncate disagreement, event, event_due, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
        yield* (yield* Current).reload
        yield* read(noon, "testnet", 1000)
        yield* read(noon + minute, "crawler", 950)
        assert.deepStrictEqual(yield* served, [
          [1000, undefined, undefined],
          [950, undefined, undefined]
        ])
        assert.deepStrictEqual(yield* inFeed, [])

        yield* read(noon + 2 * minute, "crawler", 700)
        assert.deepStrictEqual(yield* served, [
          [1000, "crawler", 700],
          [700, "test_feed", 1000]
        ])
        const [first, ...others] = yield* inFeed
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(first, {
          metric: "nodes_online",
          source: "test_feed",
          value: 1000,
          unit: "count",
          as_of: isoTime(noon),
          disagrees_with: {
            source: "crawler",
            metric: "nodes_seen",
            value: 700,
            as_of: isoTime(noon + 2 * minute),
            tolerance: 0.1
          },
          why: "the same nodes"
        })
        yield* read(noon + 3 * minute, "testnet", 1001)
        assert.strictEqual((yield* inFeed).length, 1, "it lasts")
        yield* read(noon + 4 * minute, "crawler", 1000)
        assert.strictEqual((yield* served).filter(([, source]) => source !== undefined).length, 0)
        yield* read(noon + 5 * minute, "testnet", 1300)
        assert.strictEqual((yield* inFeed).length, 2)
      })
    )
  })
})

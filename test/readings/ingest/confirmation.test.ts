/** The first hours of a feed: its values are served and marked, and nothing is computed from them until something confirms it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"

import { isoTime } from "../../../core/plugin/Value.ts"
import { compare } from "../../../core/products/compare/build.ts"
import { ofValues } from "../../../core/products/shared/coverage.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { confirm, FeedEvidence } from "../../../core/readings/ingest/compare/confirmation.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { asKnownAt } from "../../../core/readings/read/asKnownAt.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { healthData } from "../../../core/readings/read/health.ts"
import { network } from "../../../core/readings/read/network.ts"
import { profile } from "../../../core/readings/read/profile.ts"
import { standings } from "../../../core/readings/read/standings.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"

const noon = Date.UTC(2026, 8, 15, 12)
const minute = 60_000

/** The feed for tests, whose nodes another feed counts as well. */
const feeds = Layer.succeed(
  Feeds,
  Feeds.of({
    manifests: [
      {
        ...Runs.manifest,
        sources: ["own_feed"],
        agreesWith: ["other_feed", "own_feed"].map((source) => ({
          metric: "nodes_online",
          source,
          tolerance: 0.1,
          why: "the same nodes"
        }))
      },
      { ...Runs.manifest, id: "other", source: "other_feed" }
    ],
    states: Effect.succeed(new Map())
  })
)

/** What the tests say of the feeds: which have a case, and which code keeps the shape of the one before. */
const testEvidence = { cases: new Set<string>(), keepers: new Set<string>(), questions: [] as Array<string> }
const evidence = Layer.succeed(FeedEvidence, {
  hasCase: (plugin) => Effect.sync(() => testEvidence.cases.has(plugin)),
  isShapeKept: (plugin, before, now) =>
    Effect.sync(() => {
      testEvidence.questions.push(`${plugin} ${before[0]} ${now[0]}`)
      return testEvidence.keepers.has(now)
    })
})

const code = (letter: string) => letter.repeat(64)

onBothEngines("the confirmation of a feed", (database) => {
  const services = Ingest.layer.pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(feeds),
    Layer.provideMerge(evidence),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    const fresh = <A, E>(name: string, body: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate series_standing, feed_confirmation, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange,
            run, blob`
          yield* (yield* Current).reload
          testEvidence.cases.clear()
          testEvidence.keepers.clear()
          testEvidence.questions.length = 0
          yield* TestClock.setTime(noon)
          // What is decided is kept by each process.
          return yield* Effect.provide(body, Ingest.layer, { local: true })
        })
      )
    const read = Effect.fnUntraced(function* (
      at: number,
      value: number,
      { codeHash = code("a"), plugin = "testnet", source = "test_feed" } = {}
    ) {
      yield* TestClock.setTime(at)
      const { bodies, run } = Runs.delivery(at, [Runs.row(value, isoTime(at), { source })], plugin)
      return yield* (yield* Ingest).write({ bodies, run: { ...run, code_hash: codeHash } })
    })
    const marks = Effect.map(network("FIL"), (rows) =>
      rows.map(({ source, unconfirmed, value }) => [source, value, unconfirmed])
    )
    const standing = Effect.map(standings(), (all) => all.get("testnet"))

    fresh(
      "is missing after its first run: the value is served, marked, and left out of ranks, headlines and counts",
      Effect.gen(function* () {
        yield* read(noon, 1000)
        assert.deepStrictEqual(yield* marks, [["test_feed", 1000, true]])
        assert.deepInclude(yield* standing, { state: "unconfirmed", how: null, code_hash: code("a") })
        const ranked = yield* compare("nodes_online")
        assert.deepStrictEqual(ranked.rows, [])
        assert.deepStrictEqual(ranked.missing_fields, ["nodes_online"])
        assert.deepStrictEqual(ranked.left_out, [
          { symbol: "FIL", metric: "nodes_online", source: "test_feed", reason: "unconfirmed" }
        ])
        const of = yield* profile("FIL")
        assert.strictEqual(of.headline, undefined)
        assert.strictEqual(of.unconfirmedHeadline, "nodes_online")
        const row = (yield* symbols()).symbols.find(({ symbol }) => symbol === "FIL")
        assert.deepInclude(row, { missing_headline: { metric: "nodes_online", reason: "unconfirmed" } })
        assert.isFalse(Object.hasOwn(row ?? {}, "headline"))
        assert.strictEqual((yield* healthData).unconfirmed_series, 1)
        const covered = yield* ofValues(() => true)
        assert.deepInclude(covered, { series: 1, unconfirmed: 1 })
        // A process that starts later reads the same.
        yield* (yield* Current).reload
        assert.deepStrictEqual(yield* marks, [["test_feed", 1000, true]])
      })
    )

    fresh(
      "comes of a captured case before the first value is stored, and leaves no mark anywhere",
      Effect.gen(function* () {
        testEvidence.cases.add("testnet")
        yield* read(noon, 1000)
        assert.deepStrictEqual(yield* marks, [["test_feed", 1000, undefined]])
        assert.deepInclude(yield* standing, { state: "confirmed", how: "case" })
        const ranked = yield* compare("nodes_online")
        assert.lengthOf(ranked.rows, 1)
        assert.isFalse(Object.hasOwn(ranked, "left_out"))
        assert.isFalse(Object.hasOwn(yield* healthData, "unconfirmed_series"))
        assert.isFalse(Object.hasOwn(yield* ofValues(() => true), "unconfirmed"))
        assert.isFalse(Object.hasOwn((yield* network("FIL"))[0] ?? {}, "unconfirmed"))
      })
    )

    fresh(
      "by an operator takes the mark away, also for a process that read it before, and not from the past",
      Effect.gen(function* () {
        yield* read(noon, 1000)
        yield* TestClock.setTime(noon + 5 * minute)
        assert.isTrue(yield* confirm("testnet", "operator"))
        assert.isFalse(yield* confirm("testnet", "operator"))
        assert.isFalse(yield* confirm("never_ran", "operator"))
        assert.deepStrictEqual(yield* marks, [["test_feed", 1000, undefined]])
        assert.lengthOf((yield* compare("nodes_online")).rows, 1)
        yield* read(noon + 6 * minute, 1001)
        assert.deepStrictEqual(yield* marks, [["test_feed", 1001, undefined]])
        const then = yield* asKnownAt(
          isoTime(noon + minute),
          Effect.map(network("FIL"), (rows) => ({ rows }))
        )
        assert.deepInclude(then.rows[0], { value: 1000, unconfirmed: true })
      })
    )

    fresh(
      "comes, for the series alone, of a second source that agrees, and not of one that does not",
      Effect.gen(function* () {
        testEvidence.cases.add("other")
        yield* read(noon, 500, { plugin: "other", source: "other_feed" })
        yield* read(noon + minute, 1000)
        assert.deepStrictEqual(yield* marks, [
          ["other_feed", 500, undefined],
          ["test_feed", 1000, true]
        ])
        yield* read(noon + 2 * minute, 990, { plugin: "other", source: "other_feed" })
        assert.isTrue((yield* marks)[1]?.[2])
        yield* TestClock.setTime(noon + 3 * minute)
        const price = { metric: "price_change_24h_pct", unit: "pct" } as const
        const rows = [
          Runs.row(1010, isoTime(noon + 3 * minute)),
          Runs.row(2, isoTime(noon + 3 * minute), price)
        ]
        const { bodies, run } = Runs.delivery(noon + 3 * minute, rows)
        yield* (yield* Ingest).write({ bodies, run: { ...run, code_hash: code("a") } })
        const after: ReadonlyArray<Array<string | number | true | undefined>> = [
          ["other_feed", 990, undefined],
          ["test_feed", 1010, undefined],
          ["test_feed", 2, true]
        ]
        assert.deepStrictEqual(yield* marks, [...after])
        // The feed is what it was, and a process that starts later reads the same.
        assert.deepInclude(yield* standing, { state: "unconfirmed", how: null })
        yield* (yield* Current).reload
        assert.deepStrictEqual(yield* marks, [...after])
        const sql = yield* SqlClient.SqlClient
        const stated = yield* sql`select how, run, stated from series_standing where state = 'confirmed'`
        assert.deepStrictEqual(stated, [
          {
            how: "second source",
            run: run.id,
            stated: [
              {
                symbol: "FIL",
                metric: "nodes_online",
                source: "test_feed",
                value: 1010,
                as_of: isoTime(noon + 3 * minute),
                second: {
                  plugin: "other",
                  metric: "nodes_online",
                  source: "other_feed",
                  value: 990,
                  as_of: isoTime(noon + 2 * minute)
                },
                tolerance: 0.1
              }
            ]
          }
        ])
        yield* read(noon + 4 * minute, 1011)
        assert.strictEqual((yield* marks)[1]?.[1], 1011)
        assert.deepStrictEqual((yield* marks)[1]?.[2], undefined)
        const then = yield* asKnownAt(
          isoTime(noon + 90_000),
          Effect.map(network("FIL"), (rows) => ({ rows }))
        )
        assert.deepInclude(then.rows[1], { value: 1000, unconfirmed: true })
        // Another code is compared with the second source anew.
        yield* read(noon + 5 * minute, 2000, { codeHash: code("d") })
        assert.deepStrictEqual((yield* marks)[1], ["test_feed", 2000, true])
      })
    )

    fresh(
      "never comes of what the feed wrote itself: a row does not confirm itself, nor its neighbour",
      Effect.gen(function* () {
        // As a node of the chain answered while the console did not: the row of the second source alone, of the same plugin.
        yield* read(noon, 640, { source: "own_feed" })
        yield* read(noon + minute, 640)
        yield* read(noon + 2 * minute, 641)
        assert.deepInclude(yield* standing, { state: "unconfirmed", how: null })
        assert.deepStrictEqual(
          (yield* marks).map(([, , unconfirmed]) => unconfirmed),
          [true, true]
        )
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select 1 from series_standing where state = 'confirmed'`, [])
      })
    )

    fresh(
      "leaves each series that begins with a run young for a week, and says by which run",
      Effect.gen(function* () {
        testEvidence.cases.add("testnet")
        yield* read(noon, 1000)
        yield* read(noon + minute, 1001)
        const sql = yield* SqlClient.SqlClient
        const young = yield* sql`
          select x.plugin, x.code_hash, x.until - x.since = interval '7 days' as week, array_length(x.series, 1) as n,
            x.run = (select min(id) from run) as first from series_standing x where state = 'young'`
        assert.deepStrictEqual(young, [
          { plugin: "testnet", code_hash: code("a"), week: true, n: 1, first: true }
        ])
      })
    )

    fresh(
      "is kept by a code that reads the same shape, and lost by one that does not, before its first value",
      Effect.gen(function* () {
        testEvidence.cases.add("testnet")
        yield* read(noon, 1000)
        testEvidence.cases.clear()
        testEvidence.keepers.add(code("b"))
        yield* read(noon + minute, 1001, { codeHash: code("b") })
        assert.deepInclude(yield* standing, { state: "confirmed", how: "kept", code_hash: code("b") })
        yield* read(noon + 2 * minute, 1002, { codeHash: code("c") })
        assert.deepInclude(yield* standing, { state: "unconfirmed", how: null, code_hash: code("c") })
        assert.deepStrictEqual(yield* marks, [["test_feed", 1002, true]])
        // Back to the code before: it was confirmed, and nobody asks again.
        yield* read(noon + 3 * minute, 1003, { codeHash: code("b") })
        assert.deepInclude(yield* standing, { state: "confirmed", how: "kept", code_hash: code("b") })
        assert.deepStrictEqual(testEvidence.questions, ["testnet a b", "testnet b c"])
      })
    )
  })
})

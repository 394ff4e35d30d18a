/** What the answers of an address hold is remembered, and a run in which they hold something else opens an incident that says so. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { endOver } from "../../../core/log/settled.ts"
import type { Exchange } from "../../../core/plugin/Upstream.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { chunkRows } from "../../../core/readings/ingest/Registry.ts"
import type { Delivery } from "../../../core/readings/ingest/Run.ts"
import { addressOf, shapesOf } from "../../../core/readings/ingest/shapes/addresses.ts"
import { allContracts, isShapeUnchanged } from "../../../core/readings/ingest/shapes/contracts.ts"
import { breaksOf, differencesOf } from "../../../core/readings/ingest/shapes/differences.ts"
import { merged, mostPlaces, shapeOf, valueOf } from "../../../core/readings/ingest/shapes/shape.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { openIncidents } from "../../../core/readings/read/openIncidents.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"

const exchange = (body: unknown, url = "https://stats.example.net/v1/nodes", status = 200): Exchange => ({
  request: { method: "GET", url },
  at: 0,
  status,
  headers: {},
  sha256: "",
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
})

const broken = (before: ReadonlyArray<unknown>, now: unknown) => {
  const { changed, gone } = breaksOf(
    differencesOf(shapeOf([now]), before.map((one) => shapeOf([one])).reduce(merged))
  )
  return [...gone, ...changed].map(({ path }) => path)
}

describe("a shape", () => {
  it("breaks where a member is gone or of another kind, and not where it was never sure to come", () => {
    const list = (...entries: ReadonlyArray<unknown>) => ({ total: 1, nodes: entries })
    const five = Array.from({ length: 5 }, () => ({ id: "a", up: true }))
    assert.deepStrictEqual(broken([{ total: 1, name: "x" }], { name: "x" }), [".total"])
    assert.deepStrictEqual(broken([{ total: 1 }], { total: "1" }), [".total"])
    assert.deepStrictEqual(broken([{ total: 1 }], { total: null, more: 2 }), [])
    assert.deepStrictEqual(broken([{ total: 1 }, { name: "x" }], { more: 2 }), [])
    assert.deepStrictEqual(broken([list(...five)], list({ id: "b" })), [".nodes[].up"])
    assert.deepStrictEqual(broken([list(...five)], list({ id: "b", up: { is: true } })), [".nodes[].up"])
    assert.deepStrictEqual(
      broken([list({ id: "a", up: true })], list({ id: "b" })),
      [],
      "one entry says little"
    )
    assert.deepStrictEqual(broken([list(...five)], list()), [], "an empty list has no members")
    assert.deepStrictEqual(broken([{ a: { b: 1, c: 2 } }], {}), [".a"], "and not what was in it")
  })

  it("takes names that are data as one member, however few there are today", () => {
    const countries = (...names: ReadonlyArray<string>) => ({
      by: Object.fromEntries(names.map((n) => [n, 1]))
    })
    const many = countries(...Array.from({ length: 60 }, (_, n) => `c${n}x`))
    assert.deepStrictEqual(Object.keys(shapeOf([many])), ["", ".by", ".by.*"])
    assert.deepStrictEqual(broken([many], countries("de", "fr")), [])
    assert.deepStrictEqual(broken([countries("de", "fr")], many), [])
    assert.deepStrictEqual(broken([{ by: { "1": { n: 1 } } }], { by: { "2": { n: "x" } } }), [])
  })

  it("is of bounded size, and says how long lists are", () => {
    const wide = {
      list: Array.from({ length: 5000 }, (_, n) => ({ n })),
      deep: JSON.parse("[".repeat(99) + "]".repeat(99))
    }
    const members = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `m${n}`,
        Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`k${k}x`, 1]))
      ])
    )
    assert.deepStrictEqual(shapeOf([wide])[".list"]?.length, [5000, 5000])
    assert.strictEqual(shapeOf([wide])[".list[]"]?.seen, 100)
    assert.strictEqual(Object.keys(shapeOf([members])).length, mostPlaces)
    assert.isAtMost(Object.keys(shapeOf([wide])).length, 20)
  })

  it("is that of JSON, of lines of JSON, or of a table's header, and of no error", () => {
    const of = (body: string) => valueOf(Buffer.from(body))
    assert.deepStrictEqual(of('{"a":1}\n{"a":2}\n'), [{ a: 1 }, { a: 2 }])
    assert.deepStrictEqual(of("id,name\n1,x\n"), { id: null, name: null })
    assert.isUndefined(of("<!doctype html>, <p>"))
    assert.isUndefined(of('{"error":{"code":429,"message":"slow down"}}'))
    assert.deepStrictEqual(shapesOf([exchange({ a: 1 }, undefined, 503)]), [])
  })

  it("belongs to an address without what is data in it", () => {
    const token = "https://api.example.net/v1/tokens/0x58b6A8A3302369DAEc383334672404Ee733aB239?limit=3"
    assert.strictEqual(addressOf(exchange({}, token)), "api.example.net/v1/tokens/*")
    const call = { method: "POST" as const, url: "https://rpc.example.net", body: '{"method":"eth_call"}' }
    assert.strictEqual(addressOf({ ...exchange({}), request: call }), "rpc.example.net/ eth_call")
  })
})

const noon = Date.UTC(2026, 8, 15, 12)
const minute = 60_000

onBothEngines("a shape contract", (database) => {
  const services = (chunk: number) =>
    Layer.mergeAll(Ingest.layer, Incidents.layer).pipe(
      Layer.provideMerge(Current.layer),
      Layer.provideMerge(Blobs.layerTable),
      Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
      Layer.provideMerge(Runs.feeds),
      Layer.provideMerge(Layer.succeed(chunkRows, chunk)),
      Layer.provideMerge(database)
    )

  layer(services(1000))((it) => {
    const sound = { count: 1000, nodes: Array.from({ length: 6 }, (_, n) => ({ id: `n${n}`, up: true })) }
    const empty = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`truncate answer_shape, incident_event, exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob`
      yield* (yield* Current).reload
    })
    const runOf = (
      at: number,
      value: number,
      body: unknown,
      over: Partial<Delivery["run"]> = {}
    ): Delivery => {
      const { bodies, run } = Runs.delivery(at, [Runs.row(value, isoTime(at))])
      return { bodies, run: { ...run, ...over }, shapes: shapesOf([exchange(body)]) }
    }
    const read = Effect.fnUntraced(function* (
      at: number,
      value: number,
      body: unknown,
      over: Partial<Delivery["run"]> = {}
    ) {
      yield* TestClock.setTime(at)
      yield* (yield* Ingest).write(runOf(at, value, body, over))
    })
    const open = Effect.gen(function* () {
      return (yield* (yield* Incidents).list(true, 10)).map(({ metric, reason, source, symbol }) => ({
        symbol,
        metric,
        source,
        reason
      }))
    })
    const served = Effect.map(
      Effect.flatMap(Current, ({ snapshot }) => snapshot),
      ({ rows }) => rows.map(({ row }) => row.value)
    )

    it.effect("that a run breaks is an incident with both sides, which holds no reading", () =>
      Effect.gen(function* () {
        yield* empty
        yield* read(noon, 1000, sound)
        yield* read(noon + minute, 1001, sound)
        assert.deepStrictEqual(yield* open, [])
        yield* read(noon + 2 * minute, 1002, {
          ...sound,
          count: undefined,
          nodes: sound.nodes.map(() => ({ id: 7, up: true }))
        })
        assert.deepStrictEqual(yield* open, [
          {
            symbol: "FIL",
            metric: "nodes_online",
            source: "test_feed",
            reason:
              "answers that testnet reads have changed: stats.example.net/v1/nodes.count is gone (was number); stats.example.net/v1/nodes.nodes[].id is number, was string; this holds no reading"
          }
        ])
        assert.deepStrictEqual(yield* served, [1002])
        yield* read(noon + 3 * minute, 1003, { nodes: 4 })
        assert.strictEqual((yield* open).length, 1, "one for a host, until somebody closes it")
      })
    )

    it.effect(
      "is whole again after three runs that hold what was there before, and then the incident is over",
      () =>
        Effect.gen(function* () {
          yield* empty
          const stillOpen = Effect.gen(function* () {
            yield* endOver
            return (yield* openIncidents).ofKind("automatic")
          })
          const failed = { status: "failed", observations: [] } as const
          yield* read(noon, 1000, sound)
          yield* read(noon + minute, 1000, { nodes: sound.nodes }, failed)
          for (const n of [2, 3]) yield* read(noon + n * minute, 1000, sound)
          assert.strictEqual(yield* stillOpen, 1, "two runs may be by chance")
          // The feed can do without what is gone: its contract has learned that, and still it is gone.
          for (const n of [4, 5, 6, 7]) yield* read(noon + n * minute, 1000, { nodes: sound.nodes })
          assert.strictEqual(yield* stillOpen, 1)
          for (const n of [8, 9]) yield* read(noon + n * minute, 1000, sound)
          yield* read(noon + 10 * minute, 1000, sound, failed)
          assert.strictEqual(yield* stillOpen, 1, "a run that failed says nothing")
          yield* read(noon + 11 * minute, 1000, sound)
          assert.strictEqual(yield* stillOpen, 0)
          // What begins anew is an incident of its own.
          yield* read(noon + 12 * minute, 1000, { count: 1, nodes: sound.nodes.map(() => 1) })
          assert.strictEqual(yield* stillOpen, 1)
        })
    )

    it.effect("is broken by a run that fails, and learns nothing of it, nor of one that the demo made", () =>
      Effect.gen(function* () {
        yield* empty
        yield* read(noon, 1000, sound)
        yield* read(noon + minute, 1000, { count: 2 }, { simulated: true })
        const failed = {
          status: "failed",
          observations: [],
          error: { tag: "UpstreamChanged", message: "count" }
        } as const
        yield* read(noon + 2 * minute, 1000, { nodes: sound.nodes }, failed)
        assert.include((yield* open)[0]?.reason, "v1/nodes.count is gone")
        yield* (yield* Incidents).close((yield* (yield* Incidents).list(true, 1))[0]?.id ?? 0, "asked them")
        yield* read(noon + 3 * minute, 1000, { nodes: sound.nodes }, failed)
        assert.strictEqual((yield* open).length, 1, "still gone")
      })
    )

    it.effect("notes a member that is new only where a figure moved as well", () =>
      Effect.gen(function* () {
        yield* empty
        yield* read(noon, 1000, sound)
        yield* read(noon + minute, 1010, { ...sound, testnet: 3 })
        assert.deepStrictEqual(yield* open, [])
        yield* read(noon + 2 * minute, 2500, { ...sound, testnet: 3, all: 9 })
        const [incident] = yield* open
        assert.include(incident?.reason, "v1/nodes.all is new (number)")
        assert.include(incident?.reason, "FIL nodes_online went from 1010 to 2500")
      })
    )

    it.effect("does not stand in the way of a guard of the same series", () =>
      Effect.gen(function* () {
        yield* empty
        yield* read(noon, 1000, sound)
        yield* read(noon + minute, 1000, { nodes: sound.nodes })
        yield* read(noon + 2 * minute, 5, { nodes: sound.nodes })
        assert.strictEqual((yield* open).length, 2)
        assert.deepStrictEqual(yield* served, [1000])
      })
    )

    it.effect("says whether code that is new reads what the old one did", () =>
      Effect.gen(function* () {
        yield* empty
        const [old, unknown] = ["a".repeat(64), "b".repeat(64)]
        const isUnchanged = (from: string, since?: number) =>
          isShapeUnchanged("testnet", { from, ...(since === undefined ? {} : { since: new Date(since) }) })
        assert.isFalse(yield* isUnchanged(old))
        yield* read(noon, 1000, sound, { code_hash: old })
        yield* read(noon + minute, 1000, { ...sound, more: 1 }, { code_hash: old })
        assert.isTrue(yield* isUnchanged(old))
        assert.isFalse(yield* isUnchanged(unknown))
        yield* read(noon + 2 * minute, 1000, { ...sound, count: "1000" }, { code_hash: old })
        assert.isFalse(yield* isUnchanged(old))
        assert.isTrue(yield* isUnchanged(old, noon + 3 * minute), "confirmed after that")
        assert.deepStrictEqual(
          (yield* allContracts).map(({ address, shape }) => [address, shape[".count"]?.kinds]),
          [["stats.example.net/v1/nodes", ["number", "string"]]]
        )
      })
    )
  })

  layer(services(2))((it) => {
    it.effect("is compared with a run of several transactions, too", () =>
      Effect.gen(function* () {
        const write = (at: number, body: unknown) =>
          Effect.gen(function* () {
            yield* TestClock.setTime(at)
            const rows = Array.from({ length: 5 }, (_, n) => Runs.row(100 + n, isoTime(at - n * 1000)))
            yield* (yield* Ingest).write({ ...Runs.delivery(at, rows), shapes: shapesOf([exchange(body)]) })
          })
        yield* write(noon, { count: 1, list: [1] })
        yield* write(noon + minute, { list: [1] })
        assert.include((yield* (yield* Incidents).list(true, 1))[0]?.reason, "v1/nodes.count is gone")
      })
    )
  })
})

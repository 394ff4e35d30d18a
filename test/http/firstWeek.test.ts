/**
 * The first two weeks of a feed, as its collector, the guards and the API play them: a factor of ten for a day on the second, and the
 * true values after it; and a feed that names its own figure as second source.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { endOver, releaseSettled } from "../../core/log/settled.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { FeedEvidence } from "../../core/readings/ingest/compare/confirmation.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { ValueRow } from "../../core/wire/data/valueRow.ts"
import type { IncidentsResponse } from "../../core/wire/log/incidents.ts"
import sia from "../../plugins/sia/index.ts"
import { derived } from "../../runtime/contributor/rows.ts"
import { postgres } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 8, 1)
const runsOfDay = 4
const metric = "active_storage_providers"

/** The day on which the upstream counts ten times as many. */
const planted = 1

const Case = Schema.fromJsonString(
  Schema.Struct({
    exchanges: Schema.NonEmptyArray(Schema.Struct({ body: Schema.Record(Schema.String, Schema.Json) }))
  })
)
const { exchanges } = Schema.decodeUnknownSync(Case)(
  readFileSync(new URL("../../fixtures/sia/ok.json", import.meta.url), "utf8")
)

/** What the explorer answers at a time. */
const answered = (at: number, hosts: number) => {
  const body = new TextEncoder().encode(JSON.stringify({ ...exchanges[0].body, activeHosts: hosts }))
  return {
    now: at,
    targets: [],
    settings: {},
    exchanges: [
      {
        request: { method: "GET" as const, url: "https://api.siascan.com/metrics/host" },
        at,
        status: 200,
        headers: { "content-type": "application/json", date: new Date(at).toUTCString() },
        sha256: createHash("sha256").update(body).digest("hex"),
        body
      }
    ]
  }
}

/** A feed of two sources, one of which it declares as the second of the other. */
const own: Manifest = {
  ...Runs.manifest,
  id: "selfish",
  sources: ["test_chain"],
  agreesWith: [
    {
      metric: "nodes_online",
      source: "test_chain",
      as: "nodes_online",
      tolerance: 0.1,
      why: "the same nodes"
    }
  ]
}

const evidence = Layer.succeed(FeedEvidence, {
  hasCase: (plugin) => Effect.succeed(plugin === "sia"),
  isShapeKept: () => Effect.succeed(false)
})

const services = Service.layer({ database: postgres, manifests: [sia.manifest, own] }).pipe(
  Layer.provide(evidence)
)

layer(services)("the first two weeks", (it) => {
  const read = Effect.fnUntraced(function* (path: string) {
    return (yield* (yield* Service).call({ path, headers: { accept: "text/html" } })).body.toString("utf8")
  })
  const rowOf = Effect.fnUntraced(function* (symbol: string, name: string) {
    const { body } = yield* (yield* Service).call(`/v1/network/${symbol}`)
    const rows = JSON.parse(body.toString("utf8")) as ReadonlyArray<ValueRow>
    return rows.find((row) => row.metric === name) ?? assert.fail(`${symbol} has no ${name}`)
  })
  const openIncidents = Effect.gen(function* () {
    const { body } = yield* (yield* Service).call("/v1/incidents?open=true")
    return (JSON.parse(body.toString("utf8")) as IncidentsResponse).incidents
  })

  /** A run of both feeds, and what the service does once in a while. */
  const run = Effect.fnUntraced(function* (n: number, hosts: number) {
    const at = start + (n * day) / runsOfDay + hour
    yield* TestClock.setTime(at)
    const ingest = yield* Ingest
    const rows = yield* derived(sia, answered(at, hosts))
    if ("error" in rows) return assert.fail(JSON.stringify(rows.error))
    yield* ingest.write(Runs.delivery(at, rows.observations, "sia"))
    const twice = [Runs.row(640, isoTime(at)), Runs.row(641, isoTime(at), { source: "test_chain" })]
    yield* ingest.write(Runs.delivery(at, twice, "selfish"))
    yield* (yield* DailyClose).run
    yield* releaseSettled
    yield* endOver
  })

  it.effect(
    "hold or mark a planted factor of ten, serve the true value again, marked, and let no feed confirm itself",
    () =>
      Effect.gen(function* () {
        const hostsOf = (n: number) => 421 + Math.floor(n / runsOfDay)
        const served: Array<readonly [number, number, boolean]> = []
        for (let n = 0; n < 14 * runsOfDay; n++) {
          const isPlanted = Math.floor(n / runsOfDay) === planted
          yield* run(n, hostsOf(n) * (isPlanted ? 10 : 1))
          const row = yield* rowOf("SC", metric)
          served.push([n, row.value, row.level_in_doubt !== undefined])
          if (n === planted * runsOfDay) {
            assert.deepStrictEqual([row.value, row.held?.value], [421, 4220])
            assert.strictEqual((yield* openIncidents).length, 1)
            assert.match(yield* read(`/network/SC/${metric}`), /A reading of <strong>.*4,220.*is held/)
            assert.match(
              yield* read("/network/SC"),
              /A reading of 4,220 from .* is held back: 4220 is 10 times 421/
            )
          }
          if (n === (planted + 2) * runsOfDay) {
            assert.match(yield* read(`/network/SC/${metric}`), /Level in doubt since/)
            assert.match(yield* read("/network/SC"), /level in doubt/)
            assert.notMatch(yield* read("/network/SC"), /nothing but its author/)
          }
          for (const of of ["test_feed", "test_chain"])
            assert.include(JSON.stringify(yield* rowOf("FIL", "nodes_online")), '"unconfirmed":true', of)
        }
        // A false value is served with a mark alone, and never longer than three true runs.
        const isTrue = (value: number) => value > 400 && value < 500
        for (const [n, value, inDoubt] of served)
          assert.isTrue(isTrue(value) || inDoubt, `run ${n}: ${value}`)
        const back = (planted + 1) * runsOfDay + 3
        for (const [n, value] of served.slice(back)) assert.isTrue(isTrue(value), `run ${n}: ${value}`)
        assert.isTrue(served[back]?.[2], "the true value comes back with a mark")
        assert.deepStrictEqual(yield* openIncidents, [])
        const { body } = yield* (yield* Service).call(`/v1/attest?symbol=SC&metric=${metric}&date=20260902`)
        assert.match(body.toString("utf8"), /"mark":"(young|level in doubt)"/)
      })
  )
})

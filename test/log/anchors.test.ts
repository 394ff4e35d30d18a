/** Anchoring against real calendars on loopback, through every state of an anchor. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll } from "vitest"
import { Anchors } from "../../core/log/Anchors.ts"
import { Blocks } from "../../core/log/Blocks.ts"
import { Log } from "../../core/log/Log.ts"
import { sha256 } from "../../core/log/leaves.ts"
import { anchorFields, anchorFrom, bestAnchor } from "../../core/log/record/anchor.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { isAbout, parseDetached } from "../../core/proof/ots/codec.ts"
import { attested } from "../../core/proof/ots/timestamp.ts"
import { verifyTimestamp } from "../../core/proof/ots/verify.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import * as CalendarsOutside from "../../runtime/outside/calendars.ts"
import * as Esplora from "../../runtime/outside/esplora.ts"
import { type Calendar, startCalendar } from "../support/calendar.ts"
import { postgres } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"

const network = "bitcoin-regtest-fixture" as const

const anchorRows = rowsOf(anchorFields)

/** What is served of the anchor of a log entry. */
const anchorOf = Effect.fnUntraced(function* (place: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select * from ${bestAnchor(sql, sql`${place}::int`, 1_000_000)} anchored`.pipe(
    anchorRows
  )
  return row === undefined ? yield* Effect.die("one row has no row") : yield* anchorFrom(row)
})
const start = Date.UTC(2026, 8, 5, 8)
const hour = 3_600_000
const seconds = (ms: number) => ms / 1000

let one: Calendar
let two: Calendar
let three: Calendar
beforeAll(async () => {
  // Only the first one's chain is asked for headers; all calendars commit to a chain of their own.
  ;[one, two, three] = await Promise.all([startCalendar(), startCalendar(9000), startCalendar(90_000)])
})
afterAll(() => Promise.all([one.close(), two.close(), three.close()]))

const outside = Layer.suspend(() =>
  Layer.mergeAll(
    CalendarsOutside.layer(() => [one.address, two.address, three.address]),
    Esplora.layer(() => [one.address], network),
    layerWebCrypto
  )
)

const services = (simulated = false) =>
  Log.layer.pipe(Layer.provideMerge(LogKeys.layer(simulated)), Layer.provideMerge(outside))

interface Row {
  readonly id: number
  readonly size: number
  readonly state: string
  readonly network: string
  readonly digest: string
  readonly proof: Uint8Array
  readonly block_height: number | null
  readonly block_header: string | null
}

describe("anchors", () => {
  layer(Layer.provideMerge(services(), postgres))((it) => {
    const rows = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) =>
        sql<Row>`select id, size, state, network, digest, proof, block_height, block_header from anchor order by id`
    )
    const append = (subject: string, now: number, kind = "brief") =>
      Effect.gen(function* () {
        const log = yield* Log
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(
          log.append(
            [
              {
                v: "service-entry-v2",
                kind,
                sha256: "0".repeat(64),
                subject,
                recorded_at: "2026-09-05T08:00:00Z"
              }
            ],
            now
          )
        )
        yield* log.refresh
      })
    /** A round of a process that knows nothing but the tables. */
    const atOnce = Effect.provide(
      Effect.flatMap(Anchors, ({ run }) => run),
      Anchors.layer,
      { local: true }
    )
    /** The round of an hour later: by then every open anchor is asked for again. */
    const round = Effect.andThen(TestClock.adjust("1 hour"), atOnce)
    const anchoring = <A, E>(
      name: string,
      body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof services>> | SqlClient.SqlClient>
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, log_entry`
          for (const calendar of [one, two, three]) {
            for (const fault of Object.keys(calendar.faults)) Reflect.deleteProperty(calendar.faults, fault)
          }
          yield* TestClock.setTime(start)
          // The log's memory is as empty as the tables.
          return yield* Effect.provide(body, Log.layer, { local: true })
        })
      )

    anchoring(
      "are made once, though two processes find the same checkpoint without one",
      Effect.gen(function* () {
        yield* append("first", start)
        const before = one.requests.length
        yield* Effect.all([atOnce, atOnce], { concurrency: 2 })
        assert.strictEqual((yield* rows).length, 1)
        assert.strictEqual(one.requests.length, before + 1)
      })
    )

    anchoring(
      "leave heads over runs alone to the next one, which dates them",
      Effect.gen(function* () {
        yield* append("2026-09-05T08", start, "runs")
        yield* atOnce
        assert.lengthOf(yield* rows, 0)
        yield* append("first", start)
        yield* append("2026-09-05T09", start, "runs")
        yield* atOnce
        assert.deepStrictEqual(
          (yield* rows).map(({ size }) => size),
          [2]
        )
      })
    )

    anchoring(
      "go from pending to a block, and are final at six confirmations",
      Effect.gen(function* () {
        yield* append("first", start)
        assert.strictEqual((yield* anchorOf(0)).state, "none")
        yield* round
        const [pending] = yield* rows
        const note = (yield* (yield* Log).signed).note ?? ""
        assert.strictEqual(pending?.state, "pending")
        assert.strictEqual(pending?.network, network)
        assert.strictEqual(pending?.digest, toHex(sha256(utf8(note))))
        assert.isTrue(isAbout(parseDetached(pending?.proof ?? new Uint8Array()), utf8(note)))
        assert.strictEqual(attested(parseDetached(pending?.proof ?? new Uint8Array()).timestamp).length, 3)
        yield* round
        assert.strictEqual((yield* rows).length, 1)

        const height = one.mineBlock(seconds(start + 2 * hour))
        yield* round
        const anchor = yield* anchorOf(0)
        assert.strictEqual(anchor.state, "confirmed")
        assert.strictEqual(anchor.block_height, height)
        assert.strictEqual(anchor.block_time, "2026-09-05T10:00:00Z")
        const [confirmed] = yield* rows
        const headers = new Map([[height, confirmed?.block_header ?? ""]])
        const timestamp = parseDetached(confirmed?.proof ?? new Uint8Array()).timestamp
        assert.strictEqual(verifyTimestamp(timestamp, headers, network).status, "verified")

        one.grow(4, seconds(start + 3 * hour))
        yield* round
        assert.strictEqual((yield* anchorOf(0)).state, "confirmed")
        one.grow(1, seconds(start + 4 * hour))
        yield* round
        assert.strictEqual((yield* anchorOf(0)).state, "final")
        const requestsBefore = one.requests.length
        yield* round
        assert.strictEqual(one.requests.length, requestsBefore)
      })
    )

    anchoring(
      "are made with one of three calendars down, and not with two",
      Effect.gen(function* () {
        yield* append("first", start)
        one.faults.status = 500
        two.faults.bytes = utf8("<html>")
        yield* round
        assert.deepStrictEqual(yield* rows, [])
        const none = yield* anchorOf(0)
        assert.strictEqual(none.state, "none")
        assert.match(none.reason ?? "", /1 of 3 calendars accepted the stamp \(2 required\): .*answered 500/)
        Reflect.deleteProperty(two.faults, "bytes")
        yield* round
        assert.strictEqual((yield* anchorOf(0)).state, "pending")
      })
    )

    anchoring(
      "are pending again when the chain turns away from their block",
      Effect.gen(function* () {
        yield* append("first", start)
        yield* round
        const height = one.mineBlock(seconds(start + hour))
        yield* round
        assert.strictEqual((yield* anchorOf(0)).state, "confirmed")
        one.reorganize(height, seconds(start + 2 * hour))
        yield* round
        const [row] = yield* rows
        assert.strictEqual(row?.state, "pending")
        assert.isNull(row?.block_height)
        const ends = attested(parseDetached(row?.proof ?? new Uint8Array()).timestamp)
        assert.isTrue(ends.every(({ attestation }) => attestation.kind === "pending"))
        const next = one.mineBlock(seconds(start + 3 * hour))
        yield* round
        assert.strictEqual((yield* anchorOf(0)).block_height, next)
      })
    )

    anchoring(
      "wait while no header is available, and believe no calendar that names another block",
      Effect.gen(function* () {
        yield* append("first", start)
        yield* round
        one.faults.status = 503
        // The second calendar's chain is not the one that is asked: its height is unknown there.
        two.mineBlock(seconds(start + hour))
        yield* round
        const [waiting] = yield* rows
        assert.strictEqual(waiting?.state, "pending")
        assert.isTrue(
          attested(parseDetached(waiting?.proof ?? new Uint8Array()).timestamp).some(
            ({ attestation }) => attestation.kind === network
          )
        )
        const liar = yield* Blocks
        const other = yield* liar.header(one.mineBlock(seconds(start + hour)))
        const lying = Layer.succeed(Blocks, Blocks.of({ ...liar, header: () => Effect.succeed(other) }))
        const [row] = yield* Effect.provide(Effect.andThen(round, rows), lying)
        assert.strictEqual(row?.state, "pending")
        const ends = attested(parseDetached(row?.proof ?? new Uint8Array()).timestamp)
        assert.isTrue(ends.every(({ attestation }) => attestation.kind === "pending"))
      })
    )

    anchoring(
      "are made again when the calendars lost them",
      Effect.gen(function* () {
        yield* append("first", start)
        yield* round
        for (const calendar of [one, two, three]) calendar.faults.forgets = true
        one.mineBlock(seconds(start + hour))
        // An hour after `start` it was stamped: four days to the millisecond are not enough.
        yield* TestClock.setTime(start + 96 * hour)
        yield* round
        assert.deepStrictEqual(
          (yield* rows).map(({ state }) => state),
          ["pending"]
        )
        yield* round
        const [lost, again] = yield* rows
        assert.deepStrictEqual([lost?.state, again?.state], ["lost", "pending"])
        assert.notDeepEqual(lost?.proof, again?.proof)
        assert.strictEqual(again?.digest, lost?.digest)
        for (const calendar of [one, two, three]) calendar.faults.forgets = false
        one.mineBlock(seconds(start + 97 * hour))
        yield* round
        assert.strictEqual((yield* anchorOf(0)).state, "confirmed")
      })
    )

    anchoring(
      "are asked for once an hour, and not at every round",
      Effect.gen(function* () {
        yield* append("first", start)
        yield* atOnce
        yield* atOnce
        const upgradeRequests = () => one.requests.filter((line) => line.startsWith("GET /timestamp/")).length
        const before = upgradeRequests()
        yield* TestClock.adjust("59 minutes")
        yield* atOnce
        assert.strictEqual(upgradeRequests(), before)
        yield* TestClock.adjust("1 minute")
        yield* atOnce
        assert.strictEqual(upgradeRequests(), before + 1)
      })
    )

    anchoring(
      "are made although calendars flood or name strangers, and of those that answer as they should",
      Effect.gen(function* () {
        yield* append("first", start)
        one.faults.bytes = new Uint8Array(20_000)
        yield* round
        const [row] = yield* rows
        const uris = attested(parseDetached(row?.proof ?? new Uint8Array()).timestamp).map(
          ({ attestation }) => (attestation.kind === "pending" ? attestation.uri : "")
        )
        assert.deepStrictEqual(uris.sort(), [two.address, three.address].sort())
        yield* append("second", start)
        Reflect.deleteProperty(one.faults, "bytes")
        one.faults.uri = "https://stranger.example"
        two.faults.uri = three.address
        three.faults.bytes = utf8("nonsense")
        yield* round
        assert.strictEqual((yield* rows).length, 1)
        assert.match((yield* anchorOf(1)).reason ?? "", /1 of 3 calendars accepted the stamp/)
      })
    )

    anchoring(
      "stand on every checkpoint, the oldest first",
      Effect.gen(function* () {
        yield* append("first", start)
        yield* append("second", start + 1)
        yield* round
        assert.deepStrictEqual(
          (yield* rows).map(({ size }) => size),
          [1, 2]
        )
      })
    )
  })

  layer(Layer.provideMerge(services(true), postgres))((it) => {
    it.effect("are not made in the demo, and no calendar is contacted", () =>
      Effect.gen(function* () {
        const before = [one, two, three].map(({ requests }) => requests.length)
        yield* Effect.provide(
          Effect.flatMap(Anchors, ({ run }) => run),
          Anchors.layer
        )
        assert.deepStrictEqual(
          [one, two, three].map(({ requests }) => requests.length),
          before
        )
        assert.match((yield* anchorOf(0)).reason ?? "", /^a demonstration puts nothing into Bitcoin/)
      })
    )
  })
})

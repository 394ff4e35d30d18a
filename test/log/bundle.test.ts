/** Bundles and log files as the service gives them, checked by the verifier alone. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll } from "vitest"
import { Anchors } from "../../core/log/Anchors.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { absence } from "../../core/log/record/absence.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import { checkpoint, tile } from "../../core/log/record/files.ts"
import { type Bundle, parseBundle } from "../../core/proof/bundle.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import type { Check } from "../../core/proof/check.ts"
import { parseEvidence } from "../../core/proof/evidence.ts"
import { type Get, keysPath, logPath } from "../../core/proof/fetched.ts"
import { keyDocument } from "../../core/proof/keys.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verifyGrowth } from "../../core/proof/verifyGrowth.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Calendars from "../../runtime/outside/calendars.ts"
import * as Esplora from "../../runtime/outside/esplora.ts"
import { type Calendar, startCalendar } from "../support/calendar.ts"
import { postgres } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const network = "bitcoin-regtest-fixture" as const
const noon = Date.UTC(2026, 8, 5, 12)
const eight = (day: number) => Date.UTC(2026, 8, day, 8)
const keys = keyDocument({ origin: LogKeys.origin, keys: LogKeys.keys, now: noon })
const pins = [keys.keys[0]?.kid ?? ""]

let calendar: Calendar
beforeAll(async () => {
  calendar = await startCalendar()
})
afterAll(() => calendar.close())

const outside = Layer.suspend(() =>
  Layer.mergeAll(
    Calendars.layer(() => [calendar.address]),
    Esplora.layer(() => [calendar.address], network),
    layerWebCrypto
  )
)
const services = Layer.mergeAll(DailyClose.layer, Anchors.layer).pipe(
  Layer.provideMerge(Log.layer),
  Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
  Layer.provideMerge(Runs.feeds),
  Layer.provideMerge(LogKeys.layer()),
  Layer.provideMerge(outside),
  Layer.provideMerge(postgres)
)

const without = (checks: ReadonlyArray<Check>, ok: Check["ok"]) =>
  checks.filter((one) => one.ok === ok).map(({ detail, name }) => `${name}: ${detail}`)
const params = { symbol: "FIL", metric: "nodes_online", date: "20260904" }

describe("what the log publishes", () => {
  layer(services)((it) => {
    it.effect("is proved by the verifier alone, from the close to the block", () =>
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const close = yield* DailyClose
        const anchors = yield* Anchors
        // The log has the key that signs it from its first entry on.
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into signing_key ${sql.insert({
          kid: pins[0],
          purpose: "log",
          public_key: LogKeys.publicKey,
          announced_at: new Date("2026-08-01T00:00:00Z"),
          not_before: new Date("2026-08-01T00:00:00Z")
        })}`
        const seven = eight(4) - 3_600_000
        yield* TestClock.setTime(seven)
        yield* ingest.write(
          Runs.delivery(seven, [
            Runs.row(5, "2026-09-03T01:00:00Z", { symbol: "STORJ" }),
            ...[3, 4].flatMap((day) =>
              [1, 2, 3].map((hour) => Runs.row(hour * 10 + 0.5, `2026-09-0${day}T0${hour}:00:00Z`))
            )
          ])
        )
        yield* TestClock.setTime(eight(4))
        yield* close.run
        const earlierHead = yield* checkpoint
        yield* TestClock.setTime(eight(5))
        yield* close.run

        const before = parseBundle(JSON.stringify(yield* bundle(params)))
        const options = { network, pins, about: { ...params, day: "2026-09-04" } }
        const beside = (of: Bundle) =>
          Effect.map(evidence({ ...params, size: of.log.size }), (read) =>
            parseEvidence(JSON.stringify(read))
          )
        const unstamped = verifyBundle(before, { ...options, evidence: yield* beside(before) })
        assert.deepStrictEqual(without(unstamped.checks, false), [])
        assert.match(without(unstamped.checks, "not checked").join(), /timestamp: not anchored/)
        assert.deepStrictEqual(before.readings?.length, 3)

        yield* anchors.run
        const waiting = parseBundle(JSON.stringify(yield* bundle(params)))
        const pending = verifyBundle(waiting, { ...options, evidence: yield* beside(waiting) })
        assert.match(without(pending.checks, "not checked").join(), /timestamp: still pending/)
        assert.strictEqual((yield* anchors.stamped).size, 0)

        calendar.mineBlock(eight(5) / 1000 + 3600)
        yield* anchors.run
        assert.deepStrictEqual([...(yield* anchors.stamped)].sort(), ["FIL", "STORJ"])
        // The log goes on; the bundle stays under the checkpoint that was stamped.
        yield* TestClock.setTime(eight(6))
        yield* close.run
        const whole = parseBundle(JSON.stringify(yield* bundle(params)))
        // What is beside it is under that checkpoint, too.
        const { checks, timestamp } = verifyBundle(whole, { ...options, evidence: yield* beside(whole) })
        // A day before the log had runs holds by the rules of its own version; what nobody checked is said.
        assert.deepStrictEqual(
          checks.filter(({ ok }) => ok !== true).map(({ detail, name, ok }) => `${name}: ${ok}: ${detail}`),
          [
            "witnesses: not checked: no witness cosigned this head",
            "run: not checked: made before runs were logged",
            "notaries: not checked: no notary states what the host answered"
          ]
        )
        assert.strictEqual(whole.v, "service-bundle-v2")
        assert.strictEqual(timestamp?.status, "verified")
        assert.strictEqual(whole.anchor.status, "confirmed")

        const none = yield* absence({ ...params, symbol: "STORJ" })
        const ofNone = yield* evidence({ ...params, symbol: "STORJ", size: none.log.size })
        assert.deepStrictEqual(Object.keys(ofNone), ["v", "logged_keys"])
        const proved = verifyBundle(parseBundle(JSON.stringify(none)), { network, pins, evidence: ofNone })
        assert.deepStrictEqual(
          proved.checks.filter(({ ok }) => ok !== true).map(({ name, ok }) => `${name}: ${ok}`),
          ["witnesses: not checked", "no run read it: not checked"]
        )
        assert.match(
          without(proved.checks, true).join("\n"),
          /STORJ nodes_online of test_feed had no reading on 2026-09-04/
        )

        const get: Get = async (url) => {
          const path = url.replace("https://log.example", "")
          if (path === keysPath) return { status: 200, headers: {}, body: utf8(JSON.stringify(keys)) }
          return {
            status: 200,
            headers: {},
            body: files.get(path.slice(logPath.length + 1)) ?? new Uint8Array()
          }
        }
        const files = new Map<string, Uint8Array>()
        files.set("checkpoint", utf8(yield* checkpoint))
        files.set("tile/0/000.p/4", yield* tile("0/000.p/4"))
        const growth = yield* Effect.promise(() =>
          verifyGrowth(get, "https://log.example", earlierHead, { pins })
        )
        assert.deepStrictEqual(
          growth.checks.filter(({ ok }) => ok !== true),
          []
        )
      })
    )

    it.effect("proves nothing that was not published", () =>
      Effect.gen(function* () {
        const tag = (date: string, metric = "nodes_online") =>
          Effect.map(Effect.flip(bundle({ ...params, metric, date })), ({ _tag }) => _tag)
        assert.strictEqual(yield* tag("20260902"), "NotAttested")
        assert.strictEqual(yield* tag("20260931"), "BadParameter")
        assert.strictEqual((yield* Effect.flip(absence(params)))._tag, "NotAttested")
      })
    )
  })
})

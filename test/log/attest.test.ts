/** `/v1/attest`: which of several sources it proves, and what it says where there is no proof. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { absence } from "../../core/log/record/absence.ts"
import { attest } from "../../core/log/record/attest.ts"
import { attestations } from "../../core/log/record/attestations.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { footprint } from "../../core/log/record/footprint.ts"
import type { AttestParams } from "../../core/log/record/publishedDay.ts"
import { verification } from "../../core/log/record/verification.ts"
import { parseBundle } from "../../core/proof/bundle.ts"
import { allHold } from "../../core/proof/check.ts"
import { parseEntry } from "../../core/proof/entry.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { NotAttested } from "../../core/wire/problems/request.ts"
import { postgres } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"
import { statementsOf } from "../support/statements.ts"

const at = (day: number, hour: number) => Date.UTC(2026, 8, day, hour)
const asOf = (day: number, hour: number) => `2026-09-0${day}T0${hour}:00:00Z`

const feeds = Layer.succeed(
  Feeds,
  Feeds.of({
    manifests: [{ ...Runs.manifest, sources: ["second_feed"] }],
    states: Effect.succeed(new Map())
  })
)

const services = DailyClose.layer.pipe(Layer.provideMerge(logged(postgres, at(5, 12), feeds)))

const paramsOf = (date: string, over: Partial<AttestParams> = {}): AttestParams => ({
  symbol: "FIL",
  metric: "nodes_online",
  date,
  ...over
})

/** Why there is no proof. */
const whyNot = <R>(proof: Effect.Effect<unknown, unknown, R>) =>
  Effect.map(Effect.flip(proof), (error) => {
    if (error instanceof NotAttested) return error
    throw error
  })

/**
 * 3 September is closed with both sources of FIL; 4 September is closed with the first of them, and STORJ is absent; 5
 * September is open.
 */
const threeDays = Effect.gen(function* () {
  const ingest = yield* Ingest
  const close = yield* DailyClose
  const write = (...rows: Parameters<typeof Runs.delivery>[1]) =>
    Effect.flatMap(DataClock.now, (now) => ingest.write(Runs.delivery(now, rows)))
  yield* TestClock.setTime(at(3, 9))
  yield* write(
    Runs.row(10, asOf(3, 7)),
    Runs.row(20, asOf(3, 8), { source: "second_feed" }),
    Runs.row(5, asOf(3, 7), { symbol: "STORJ" })
  )
  yield* TestClock.setTime(at(4, 8))
  yield* close.run
  yield* TestClock.setTime(at(4, 9))
  yield* write(Runs.row(11, asOf(4, 8)))
  yield* TestClock.setTime(at(5, 8))
  yield* close.run
  yield* TestClock.setTime(at(5, 9))
  yield* write(Runs.row(12, asOf(5, 8)))
})

layer(services)("/v1/attest", (it) => {
  it.effect("proves the source that is asked for, or the one that the service picks, and names it", () =>
    Effect.gen(function* () {
      yield* threeDays
      const values = Effect.fnUntraced(function* (source?: string) {
        const { how_to_check, value, versions } = yield* attest(paramsOf("20260903", { source }))
        assert.include(how_to_check, `--source ${value.source} `)
        assert.lengthOf(versions, 1)
        return [value.source, value.value]
      })
      assert.deepStrictEqual(yield* values(), ["second_feed", 20])
      assert.deepStrictEqual(yield* values("second_feed"), ["second_feed", 20])
      assert.deepStrictEqual(yield* values("test_feed"), ["test_feed", 10])
      const file = yield* bundle(paramsOf("20260903", { source: "test_feed" }))
      assert.deepInclude(file.row, { source: "test_feed", value: 10 })
      const verified = yield* verification(paramsOf("20260903", { source: "test_feed" }))
      assert.isTrue(verified.verified)
      assert.strictEqual(
        verified.bundle_url,
        "/v1/attest?symbol=FIL&metric=nodes_online&date=20260903&source=test_feed&format=bundle4"
      )
      const unknown = yield* Effect.flip(attest(paramsOf("20260903", { source: "third_feed" })))
      assert.deepInclude(unknown, {
        _tag: "BadParameter",
        field: "source",
        valid_values: ["second_feed", "test_feed"]
      })
      const reading = { symbol: "FIL", metric: "nodes_online", value: 10, as_of: asOf(3, 7) }
      const results = yield* footprint({ values: [{ ...reading, source: "test_feed" }, reading] })
      assert.deepStrictEqual(
        results.values.map(({ result }) => result),
        ["proved", "differs"]
      )
    })
  )

  it.effect("reads a page of batches with their anchors in one statement, however many there are", () =>
    Effect.gen(function* () {
      const [{ attestations: page }, statements] = yield* statementsOf(attestations({}))
      assert.deepStrictEqual(
        page.map(({ day }) => day),
        ["2026-09-04", "2026-09-03"]
      )
      for (const { anchor } of page) assert.include(anchor.reason, "not stamped yet")
      assert.strictEqual(statements, 1)
    })
  )

  it.effect("reads a proof once, and again when the record has moved", () =>
    Effect.gen(function* () {
      const incidents = yield* Incidents
      const name = paramsOf("20260903", { symbol: "STORJ" })
      const [first, statements] = yield* statementsOf(attest(name))
      assert.isAtMost(statements, 5)
      assert.deepStrictEqual(yield* statementsOf(attest(name)), [first, 0])
      // The head of its day and the rotations of the key are those of every other value.
      yield* bundle(paramsOf("20260903", { source: "test_feed" }))
      const [file, read] = yield* statementsOf(bundle(name))
      assert.strictEqual(read, 1)
      assert.deepStrictEqual(yield* statementsOf(bundle(name)), [file, 0])
      const missing = paramsOf("20260904", { symbol: "STORJ" })
      const [proof, asks] = yield* statementsOf(absence(missing))
      assert.isAtMost(asks, 2)
      assert.deepStrictEqual(yield* statementsOf(absence(missing)), [proof, 0])

      const { metric, symbol } = name
      const id = yield* incidents.open({ symbol, metric, from: at(3, 0), to: at(3, 23) }, "a bad deploy")
      assert.strictEqual((yield* attest(name)).excluded?.incident, id)
      assert.strictEqual((yield* bundle(name)).excluded?.incident, id)
      yield* incidents.close(id, "it was right")
      assert.deepStrictEqual((yield* attest(name)).excluded, undefined)
    })
  )

  it.effect("says of a day that is not closed when it will be, and of one that is late", () =>
    Effect.gen(function* () {
      const open = yield* whyNot(attest(paramsOf("20260905")))
      assert.deepInclude(open, { status: 404, reason: "not_closed", closes_at: "2026-09-06T08:00:00Z" })
      assert.match(open.message, /has a value for 2026-09-05.* is due at 2026-09-06T08:00:00Z/)
      const unread = yield* whyNot(attest(paramsOf("20260905", { symbol: "STORJ" })))
      assert.strictEqual(unread.reason, "not_closed")
      assert.match(unread.message, /has no value yet for 2026-09-05/)
      assert.strictEqual((yield* whyNot(absence(paramsOf("20260905")))).reason, "not_closed")
      yield* TestClock.setTime(at(6, 9))
      assert.match((yield* whyNot(attest(paramsOf("20260905")))).message, /was due at .*The close is late/)
      yield* TestClock.setTime(at(5, 9))
    })
  )

  it.effect("says of a day that was closed without the series how to prove the absence", () =>
    Effect.gen(function* () {
      const storj = paramsOf("20260904", { symbol: "STORJ" })
      const missing = yield* whyNot(attest(storj))
      assert.strictEqual(missing.reason, "absent")
      assert.deepInclude(missing.absence, {
        source: "test_feed",
        log_index: 1,
        proof_url: "/v1/attest?symbol=STORJ&metric=nodes_online&date=20260904&source=test_feed&format=absence"
      })
      assert.deepInclude(parseEntry(missing.absence?.entry ?? ""), { days: ["2026-09-04"] })
      const proof = yield* absence(storj)
      assert.deepInclude(proof.absent, { symbol: "STORJ", source: "test_feed" })
      const measured = paramsOf("20260904", { source: "test_feed" })
      assert.strictEqual((yield* whyNot(absence(measured))).reason, "measured")
      // The other source of the same metric fell silent that day.
      assert.strictEqual((yield* absence(paramsOf("20260904"))).absent?.source, "second_feed")
    })
  )

  it.effect("says of a late reading that the next close publishes it", () =>
    Effect.gen(function* () {
      const ingest = yield* Ingest
      yield* ingest.write(Runs.delivery(at(5, 9), [Runs.row(6, asOf(4, 7), { symbol: "STORJ" })]))
      const late = yield* whyNot(attest(paramsOf("20260904", { symbol: "STORJ" })))
      assert.deepInclude(late, { reason: "not_closed", closes_at: "2026-09-06T08:00:00Z" })
      assert.match(late.message, /arrived after the day was closed/)
      assert.strictEqual(late.absence?.log_index, 1)
    })
  )

  it.effect("tells a series that nobody ever read from a day without a reading", () =>
    Effect.gen(function* () {
      const never = yield* whyNot(attest(paramsOf("20260904", { metric: "price_change_24h_pct" })))
      assert.strictEqual(never.reason, "unknown_series")
      const other = yield* whyNot(attest(paramsOf("20260904", { symbol: "STORJ", source: "second_feed" })))
      assert.deepInclude(other, { reason: "unknown_series", sources: ["test_feed"] })
      const before = yield* whyNot(attest(paramsOf("20260901")))
      assert.strictEqual(before.reason, "not_measured")
      assert.match(before.message, /the first published day is 2026-09-03/)
      assert.strictEqual(
        (yield* Effect.flip(attest(paramsOf("20260904", { metric: "nodes" }))))._tag,
        "BadParameter"
      )
      assert.strictEqual(
        (yield* Effect.flip(attest(paramsOf("20260904", { symbol: "FILX" }))))._tag,
        "UnknownSymbol"
      )
    })
  )

  it.effect("flags a value that an incident excludes now, and one that was published as excluded", () =>
    Effect.gen(function* () {
      const incidents = yield* Incidents
      const range = {
        symbol: "FIL",
        metric: "nodes_online",
        source: "test_feed",
        from: at(4, 0),
        to: at(4, 23)
      }
      assert.notProperty(yield* attest(paramsOf("20260904")), "excluded")
      const incident = yield* incidents.open(range, "a bad deploy")
      assert.deepStrictEqual((yield* attest(paramsOf("20260904"))).excluded, {
        incident,
        reason: "a bad deploy",
        opened_at: "2026-09-05T09:00:00Z"
      })
      const flagged = parseBundle(JSON.stringify(yield* bundle(paramsOf("20260904"))))
      assert.strictEqual(flagged.excluded?.incident, incident)
      assert.isTrue(allHold(verifyBundle(flagged).checks))
      yield* incidents.close(incident, "checked")
      assert.notProperty(yield* bundle(paramsOf("20260904")), "excluded")
      assert.notProperty(yield* attest(paramsOf("20260904")), "excluded")
      // Readings of 5 September are excluded before they are ever published.
      const withheld = yield* incidents.open({ ...range, from: at(5, 0), to: at(5, 23) }, "a wrong unit")
      yield* TestClock.setTime(at(6, 8))
      yield* (yield* DailyClose).run
      const published = yield* attest(paramsOf("20260905"))
      assert.deepStrictEqual([published.value.value, published.excluded?.incident], [12, withheld])
      assert.strictEqual((yield* verification(paramsOf("20260905"))).verified, true)
    })
  )

  it.effect("proves both a late reading and the absence that was recorded before it arrived", () =>
    Effect.gen(function* () {
      const storj = paramsOf("20260904", { symbol: "STORJ" })
      const late = yield* attest(storj)
      assert.deepStrictEqual([late.value.value, late.batch.day], [6, "2026-09-05"])
      const stands = parseBundle(JSON.stringify(yield* absence(storj)))
      assert.deepInclude(parseEntry(stands.batch.entry), { days: ["2026-09-04"] })
      assert.deepInclude(stands.absent, { symbol: "STORJ", source: "test_feed" })
      assert.isTrue(allHold(verifyBundle(stands).checks))
    })
  )
})

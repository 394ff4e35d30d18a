/** The calendars' protocol and block explorers over loopback, honest and not. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { Blocks } from "../../core/log/Blocks.ts"
import { Calendars } from "../../core/log/Calendars.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { parseDetached, serializeDetached, serializeTimestamp } from "../../core/proof/ots/codec.ts"
import { attested, merge, type Timestamp, upgraded } from "../../core/proof/ots/timestamp.ts"
import { verifyTimestamp } from "../../core/proof/ots/verify.ts"
import { layer as calendarsLayer } from "../../runtime/outside/calendars.ts"
import { layer as blocksLayer } from "../../runtime/outside/esplora.ts"
import { type Calendar, startCalendar } from "../support/calendar.ts"

const network = "bitcoin-regtest-fixture" as const
const digest = new Uint8Array(32).fill(7)
let one: Calendar
let two: Calendar

beforeAll(async () => {
  one = await startCalendar()
  two = await startCalendar(500)
})
beforeEach(() => {
  for (const calendar of [one, two]) {
    for (const fault of Object.keys(calendar.faults)) Reflect.deleteProperty(calendar.faults, fault)
  }
})
afterAll(() => Promise.all([one.close(), two.close()]))

const calendars = () => calendarsLayer(() => [one.address, `${two.address}/`])
const blocks = (addresses: ReadonlyArray<string> = [one.address]) => blocksLayer(() => addresses, network)
const promises = (timestamp: Timestamp) =>
  attested(timestamp).flatMap(({ attestation, message }) =>
    attestation.kind === "pending" ? [{ uri: attestation.uri, message }] : []
  )

describe("a calendar", () => {
  it.effect("takes a digest, promises, and shows the block when there is one", () =>
    Effect.gen(function* () {
      const client = yield* Calendars
      const explorer = yield* Blocks
      const stamps = yield* Effect.forEach(client.addresses, (address) => client.submit(address, digest))
      const whole = stamps.reduce(merge)
      const [first, second] = promises(whole)
      assert.deepStrictEqual([first?.uri, second?.uri].sort(), [one.address, two.address].sort())
      const promise = promises(whole).find(({ uri }) => uri === one.address)
      assert.isDefined(promise)
      assert.isTrue(Option.isNone(yield* client.upgrade(promise.uri, promise.message)))

      // Other commitments in the same block, so that the path is more than the transaction.
      for (const other of [1, 2, 3, 4]) yield* client.submit(one.address, new Uint8Array(32).fill(other))
      const height = one.mineBlock(1_788_700_000)
      const answer = yield* client.upgrade(promise.uri, promise.message)
      const complete = upgraded(whole, Option.getOrThrow(answer))
      assert.isDefined(complete)
      const header = yield* explorer.header(height)
      const detached = parseDetached(serializeDetached({ fileHash: 0x08, timestamp: complete }))
      const outcome = verifyTimestamp(detached.timestamp, new Map([[height, header]]), network)
      assert.strictEqual(outcome.status, "verified", outcome.detail)
      assert.strictEqual(verifyTimestamp(detached.timestamp, new Map([[height, header]])).status, "pending")

      one.grow(5, 1_788_700_600)
      assert.strictEqual(yield* explorer.tip, height + 5)
      one.reorganize(height, 1_788_700_001)
      const other = yield* explorer.header(height)
      assert.strictEqual(
        verifyTimestamp(detached.timestamp, new Map([[height, other]]), network).status,
        "failed"
      )
    }).pipe(Effect.provide([calendars(), blocks()]))
  )

  it.effect("that errs, floods, lies or names strangers gives no timestamp", () =>
    Effect.gen(function* () {
      const client = yield* Calendars
      const kind = Effect.fnUntraced(function* (faults: Calendar["faults"]) {
        Object.assign(one.faults, faults)
        const { kind: failureKind, message } = yield* Effect.flip(client.submit(one.address, digest))
        for (const fault of Object.keys(faults)) Reflect.deleteProperty(one.faults, fault)
        assert.include(message, one.address)
        return failureKind
      })
      assert.strictEqual(yield* kind({ status: 503 }), "unreachable")
      assert.strictEqual(yield* kind({ status: 302 }), "unreachable")
      assert.strictEqual(yield* kind({ bytes: new Uint8Array(10_001) }), "unreachable")
      assert.strictEqual(yield* kind({ bytes: new Uint8Array() }), "malformed")
      assert.strictEqual(yield* kind({ bytes: utf8("<html>") }), "malformed")
      assert.strictEqual(yield* kind({ bytes: new Uint8Array(300).fill(8) }), "malformed")
      assert.strictEqual(yield* kind({ uri: "https://stranger.example" }), "malformed")
      const unknown: Timestamp = {
        message: digest,
        items: [
          { attestation: { kind: "unknown", tag: new Uint8Array(8).fill(1), payload: new Uint8Array() } }
        ]
      }
      assert.strictEqual(yield* kind({ bytes: serializeTimestamp(unknown) }), "malformed")
    }).pipe(Effect.provide(calendars()))
  )

  it.effect("that never answers is given up", () =>
    Effect.gen(function* () {
      one.faults.silent = true
      const client = yield* Calendars
      const fiber = yield* Effect.forkChild(Effect.flip(client.submit(one.address, digest)))
      yield* TestClock.adjust(Duration.seconds(21))
      assert.match((yield* Fiber.join(fiber)).message, /no answer in time/)
    }).pipe(Effect.provide(calendars()))
  )

  it.effect("that is not on the list is never contacted", () =>
    Effect.gen(function* () {
      const client = yield* Calendars
      const before = two.requests.length
      for (const uri of [
        two.address,
        "https://stranger.example",
        one.address.replace("http:", "https:"),
        one.address.replace("127.0.0.1", "localhost"),
        one.address.replace("//", "//user@"),
        "http://alice.btc.calendar.opentimestamps.org",
        "file:///etc/passwd",
        "calendar"
      ]) {
        assert.strictEqual((yield* Effect.flip(client.upgrade(uri, digest))).kind, "refused", uri)
      }
      assert.strictEqual(two.requests.length, before)
    }).pipe(Effect.provide(calendarsLayer(() => [one.address])))
  )

  it.effect("that forgot what it promised says so as one that waits", () =>
    Effect.gen(function* () {
      const client = yield* Calendars
      const [promise] = promises(yield* client.submit(two.address, digest))
      two.mineBlock(1_788_700_000)
      assert.isDefined(promise)
      two.faults.forgets = true
      assert.isTrue(Option.isNone(yield* client.upgrade(promise.uri, promise.message)))
      two.faults.forgets = false
      assert.isTrue(Option.isSome(yield* client.upgrade(promise.uri, promise.message)))
      two.faults.status = 500
      assert.strictEqual(
        (yield* Effect.flip(client.upgrade(promise.uri, promise.message))).kind,
        "unreachable"
      )
    }).pipe(Effect.provide(calendars()))
  )
})

describe("block explorers", () => {
  it.effect("that contradict each other, or show another header, are not believed", () =>
    Effect.gen(function* () {
      const height = one.mineBlock(1_788_800_000)
      const alone = yield* Effect.provide(
        Effect.flatMap(Blocks, ({ header }) => header(height)),
        blocks()
      )
      one.faults.header = alone.replace(/^../, "ff")
      const lie = yield* Effect.provide(
        Effect.flip(Effect.flatMap(Blocks, ({ header }) => header(height))),
        blocks()
      )
      assert.include(lie.message, "a header that does not hash to")
      Reflect.deleteProperty(one.faults, "header")
      const rival = yield* Effect.acquireRelease(
        Effect.promise(() => startCalendar()),
        (calendar) => Effect.promise(calendar.close)
      )
      rival.grow(height, 1_788_800_001)
      const both = blocks([one.address, rival.address])
      const differ = yield* Effect.provide(
        Effect.flip(Effect.flatMap(Blocks, ({ header }) => header(height))),
        both
      )
      assert.include(differ.message, "block explorers disagree")
    })
  )

  it.effect("that do not answer are passed over; when none does, that is said", () =>
    Effect.gen(function* () {
      const height = one.mineBlock(1_788_900_000)
      const header = Effect.flatMap(Blocks, (chain) => chain.header(height))
      const tip = Effect.flatMap(Blocks, (chain) => chain.tip)
      const dead = "http://127.0.0.1:1"
      assert.lengthOf(yield* Effect.provide(header, blocks([dead, one.address])), 160)
      assert.strictEqual(yield* Effect.provide(tip, blocks([dead, one.address])), height)
      assert.include(
        (yield* Effect.provide(Effect.flip(header), blocks([dead]))).message,
        "no block explorer"
      )
      assert.include(
        (yield* Effect.provide(Effect.flip(tip), blocks([dead]))).message,
        "did not return a height"
      )
      const main = yield* Effect.provide(
        Effect.flip(header),
        blocksLayer(() => [one.address])
      )
      assert.include(main.message, "not a valid bitcoin block")
    })
  )
})

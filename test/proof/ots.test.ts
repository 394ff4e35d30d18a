/** The OpenTimestamps codec and verifier: a corpus made by other code, and properties over random proofs. */
import { readdirSync, readFileSync } from "node:fs"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { equalBytes, fromBase64, Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { difficultyFloor, expectedTime, notMined, parseHeader } from "../../core/proof/ots/bitcoin.ts"
import {
  detachedOf,
  isAbout,
  parseDetached,
  parseTimestamp,
  serializeDetached,
  serializeTimestamp
} from "../../core/proof/ots/codec.ts"
import { apply, type Op, opAppend, opPrepend, opSha256 } from "../../core/proof/ots/op.ts"
import {
  type Attestation,
  along,
  attested,
  type Item,
  inOrder,
  merge,
  type Timestamp,
  tags,
  upgraded
} from "../../core/proof/ots/timestamp.ts"
import { heightsOf, verifyTimestamp } from "../../core/proof/ots/verify.ts"
import { stamped } from "../support/publication.ts"

interface Case {
  readonly expect: "verified" | "unchecked" | "pending" | "unknown" | "failed" | "malformed"
  readonly why: string
  readonly detail?: string
}

const folder = new URL("../../fixtures/ots/", import.meta.url)
const index: {
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, Case>>
} = JSON.parse(readFileSync(new URL("index.json", folder), "utf8"))
const headers = new Map(Object.entries(index.headers).map(([height, hex]) => [Number(height), hex]))
const read = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const network = "bitcoin-regtest-fixture"

describe("the corpus of proofs", () => {
  it("carries nowhere the tag of Bitcoin itself, for none of it is in Bitcoin's chain", () => {
    const tag = toHex(tags.bitcoin)
    for (const name of readdirSync(folder)) assert.notInclude(toHex(read(name)), tag, name)
    assert.notInclude(toHex(fromBase64(stamped(utf8("x"), "2026-09-05T09:00:00Z").ots)), tag)
    const vectors = new URL("../vectors/checkpoint.ots", folder)
    assert.notInclude(toHex(new Uint8Array(readFileSync(vectors))), tag)
  })

  it("lists every file of its folder", () => {
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => name.endsWith(".ots")),
      Object.keys(index.files).sort()
    )
  })

  it.each(Object.entries(index.files))("%s: $expect, $why", (name, entry) => {
    const bytes = read(name)
    if (entry.expect === "malformed") {
      assert.throws(() => parseDetached(bytes), Malformed, entry.detail)
      return
    }
    const detached = parseDetached(bytes)
    assert.deepStrictEqual(serializeDetached(detached), bytes)
    const outcome = verifyTimestamp(detached.timestamp, headers, network)
    assert.strictEqual(outcome.status, entry.expect, outcome.detail)
    if (entry.detail !== undefined) assert.include(outcome.detail, entry.detail)
    assert.strictEqual(isAbout(detached, utf8(index.file)), name !== "wrong-file.ots")
  })

  it("is verified by nothing on the main network, and by no header that was not given", () => {
    const { timestamp } = parseDetached(read("valid.ots"))
    assert.strictEqual(verifyTimestamp(timestamp, headers).status, "unknown")
    assert.strictEqual(verifyTimestamp(timestamp, new Map(), network).status, "unchecked")
    assert.deepStrictEqual(heightsOf(timestamp, network), [144])
  })

  it("fails with a header that is cut, padded, or has one bit changed", () => {
    const { timestamp } = parseDetached(read("valid.ots"))
    const header = index.headers["144"] ?? ""
    const status = (hex: string) => verifyTimestamp(timestamp, new Map([[144, hex]]), network).status
    assert.strictEqual(status(header), "verified")
    assert.strictEqual(status(`${header.toUpperCase()}\n`), "verified")
    for (const hex of ["", header.slice(2), `${header}00`, header.replace(/^../, "zz")]) {
      assert.strictEqual(status(hex), "failed")
    }
    for (let at = 36; at < 68; at++) {
      const byte = Number.parseInt(header.slice(at * 2, at * 2 + 2), 16) ^ 1
      assert.strictEqual(
        status(header.slice(0, at * 2) + byte.toString(16).padStart(2, "0") + header.slice(at * 2 + 2)),
        "failed"
      )
    }
  })
})

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 })
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.constantFrom(0x02, 0x03, 0x08, 0x67, 0xf2, 0xf3).map((code) => ({ code })),
  fc
    .tuple(fc.constantFrom(0xf0, 0xf1), fc.uint8Array({ minLength: 1, maxLength: 40 }))
    .map(([code, argument]) => ({ code, argument }))
)
const attestation: fc.Arbitrary<Attestation> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("bitcoin" as const, "bitcoin-regtest-fixture" as const, "litecoin" as const),
    height: fc.nat(0xffffffff)
  }),
  fc.record({ kind: fc.constant("pending" as const), uri: fc.stringMatching(/^[A-Za-z0-9\-._/:]{0,60}$/) }),
  fc.record({
    kind: fc.constant("unknown" as const),
    tag: fc.uint8Array({ minLength: 8, maxLength: 8 }),
    payload: fc.uint8Array({ maxLength: 40 })
  })
)
type Shape = ReadonlyArray<Attestation | { readonly op: Op; readonly next: Shape }>
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.array(
    fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      attestation,
      fc.record({ op, next: tie("shape") })
    ),
    { minLength: 1, maxLength: 4 }
  )
}))
const grow = (message: Uint8Array, items: Shape): Timestamp => ({
  message,
  items: items.map(
    (item): Item =>
      "kind" in item ? { attestation: item } : { op: item.op, next: grow(apply(item.op, message), item.next) }
  )
})
const timestamp = fc.tuple(digest, shape).map(([message, items]) => grow(message, items))

describe("a timestamp", () => {
  it("is the same after it is written and read", () => {
    fc.assert(
      fc.property(timestamp, (original) => {
        const bytes = serializeTimestamp(original)
        assert.deepStrictEqual(parseTimestamp(bytes, original.message), original)
        const file = serializeDetached(detachedOf(original))
        assert.deepStrictEqual(parseDetached(file), detachedOf(original))
        assert.throws(() => parseTimestamp(bytes.slice(0, -1), original.message), Malformed)
      })
    )
  })

  it("never breaks the parser, whatever bytes it is given", () => {
    fc.assert(
      fc.property(
        timestamp,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
        (original, changes) => {
          const file = serializeDetached(detachedOf(original))
          for (const [at, byte] of changes) file[at % file.length] = byte
          try {
            assert.deepStrictEqual(serializeDetached(parseDetached(file)), file)
          } catch (error) {
            assert.instanceOf(error, Malformed)
          }
        }
      ),
      { numRuns: 500 }
    )
  })

  it("has one order, and merging keeps every attestation once", () => {
    const says = (stamp: Timestamp) =>
      attested(stamp)
        .map(({ attestation: one, message }) => JSON.stringify([one, [...message]]))
        .sort()
    fc.assert(
      fc.property(digest, shape, shape, (message, a, b) => {
        const one = grow(message, a)
        const other = grow(message, b)
        const merged = merge(one, other)
        assert.deepStrictEqual(serializeTimestamp(merged), serializeTimestamp(merge(other, one)))
        assert.deepStrictEqual(merge(merged, one), merged)
        assert.deepStrictEqual(inOrder(merged), merged)
        assert.deepStrictEqual(new Set(says(merged)), new Set([...says(one), ...says(other)]))
      })
    )
    assert.throws(
      () => merge({ message: new Uint8Array(1), items: [] }, { message: new Uint8Array(2), items: [] }),
      RangeError
    )
  })

  it("takes a calendar's later answer where its message stands", () => {
    const pending = parseDetached(read("pending.ots"))
    const [promise] = attested(pending.timestamp)
    assert.isDefined(promise)
    const whole = parseDetached(read("valid-forked.ots"))
    const answer = along(
      promise.message,
      [opPrepend(Uint8Array.of(1, 0, 0, 0)), opAppend(new Uint8Array(4)), opSha256, opSha256],
      () => [{ attestation: { kind: "bitcoin", height: 7 } }]
    )
    const joined = upgraded(pending.timestamp, answer)
    assert.isDefined(joined)
    assert.deepStrictEqual(
      attested(joined).map(({ attestation: one }) => one.kind),
      ["pending", "bitcoin"]
    )
    assert.isUndefined(upgraded(pending.timestamp, { ...answer, message: new Uint8Array(32) }))
    const genuine = upgraded(pending.timestamp, nodeOf(whole.timestamp, promise.message))
    assert.deepStrictEqual(
      serializeDetached(detachedOf(genuine ?? pending.timestamp)),
      read("valid-forked.ots")
    )
  })

  it("without items is not written", () => {
    assert.throws(() => serializeTimestamp({ message: new Uint8Array(32), items: [] }), RangeError)
  })
})

const nodeOf = (within: Timestamp, message: Uint8Array): Timestamp => {
  if (equalBytes(within.message, message)) {
    return { message, items: within.items.filter((item) => "op" in item) }
  }
  const [item] = within.items
  if (item === undefined || !("op" in item)) throw new Error("the message is not on the way")
  return nodeOf(item.next, message)
}

describe("a block header", () => {
  // The header of Bitcoin's first block: public since 2009.
  const genesis =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617f" +
    "c81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"

  it("is read and its work is checked", () => {
    const header = parseHeader(genesis)
    assert.strictEqual(header.hash, "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f")
    assert.strictEqual(header.time, 1231006505)
    assert.strictEqual(header.difficulty, 1)
    assert.isUndefined(notMined(header, 0, "bitcoin"))
    assert.include(notMined(header, 800_000, "bitcoin") ?? "", "below the minimum 52000000000000")
    const fixture = parseHeader(index.headers["144"] ?? "")
    assert.isUndefined(notMined(fixture, 144, network))
    assert.include(notMined(fixture, 144, "bitcoin") ?? "", "easier than that of any bitcoin block")
  })

  it("with difficulty bits of no block is refused", () => {
    for (const bits of ["00000000", "ffff7f21", "ffffff1d", "0100001d".replace("1d", "02"), "000000ff"]) {
      assert.throws(() => parseHeader(genesis.replace("ffff001d", bits)), /difficulty bits/)
    }
    assert.include(
      notMined(parseHeader(genesis.replace("1dac2b7c", "1eac2b7c")), 0, "bitcoin") ?? "",
      "own target"
    )
  })

  it("must be of the time of its height, and have the work of its time", () => {
    const header = parseHeader(genesis)
    assert.include(notMined(header, 299_999, "bitcoin") ?? "", "below the minimum")
    assert.include(notMined(header, 49_999, "bitcoin") ?? "", "of 2009-01-03, but Bitcoin had height 49999")
    // Blocks that nobody chose to make the table with: halvings, and the first retarget.
    for (const [height, time] of [
      [32_256, 1262153464],
      [210_000, 1354116278],
      [420_000, 1468082773],
      [630_000, 1589225023]
    ] as const) {
      const { time: expected, within } = expectedTime(height)
      assert.isBelow(Math.abs(expected - time), within)
      assert.isAbove(Math.abs(expected - time - 2 * 365 * 86_400), within)
    }
    const late = expectedTime(1_000_000)
    assert.strictEqual(new Date(late.time * 1000).getUTCFullYear(), 2027)
    assert.isBelow(late.within, 366 * 86_400)
  })

  it("must be dearer the later it is", () => {
    const heights = [0, 299_999, 300_000, 400_000, 500_000, 600_000, 750_000, 2_000_000]
    const floors = heights.map(difficultyFloor)
    assert.deepStrictEqual(
      floors,
      [...floors].sort((a, b) => a - b)
    )
    assert.deepStrictEqual([floors[1], floors.at(-1)], [3.7e7, 5.8e13])
  })
})

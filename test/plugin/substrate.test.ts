import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Substrate from "../../core/plugin/shapes/substrate.ts"
import { post } from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const url = "https://node.example"
const block = "0x01"
const call = (method: string, params: unknown, id = 1) => post(url, { jsonrpc: "2.0", id, method, params })
const result = (value: unknown) => ({ jsonrpc: "2.0", id: 1, result: value })

describe("SCALE", () => {
  it("reads the values that the documentation of the chain gives", () => {
    assert.strictEqual(Substrate.u16(bytes("0001")), 256n)
    assert.strictEqual(Substrate.u64(bytes("00e1f50500000000")), 100000000n)
    assert.strictEqual(Substrate.bool(bytes("01")), true)
    assert.strictEqual(Substrate.littleEndian(128, 2), "8000")
  })

  it("reads every unsigned integer back, and only in its width", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (value) => {
        const hex = Array.from({ length: 16 }, (_, index) => (value >> BigInt(8 * index)) & 255n)
        const encoded = Uint8Array.from(hex, Number)
        assert.strictEqual(Substrate.u128(encoded), value)
        assert.strictEqual(Substrate.unsigned(16, 8)(encoded), value)
        assert.isUndefined(Substrate.u64(encoded))
      })
    )
  })

  it.each([
    ["00", 0n],
    ["0c010001", 2n],
    [`0101${"01".repeat(64)}`, 64n],
    [`02000100${"01".repeat(16384)}`, 16384n]
  ])("counts what is true in a Vec<bool> of each compact form", (hex, count) => {
    assert.strictEqual(Substrate.countTrue(bytes(hex)), count)
  })

  it.each([[""], ["04"], ["0401ff"], ["0402"], ["03ffffffff"], ["01"], ["0200"]])(
    "%s is no Vec<bool>",
    (hex) => {
      assert.isUndefined(Substrate.countTrue(bytes(hex)))
    }
  )

  it.each([[""], ["02"], ["0100"]])("%s is no bool", (hex) => {
    assert.isUndefined(Substrate.bool(bytes(hex)))
  })
})

describe("storage", () => {
  const page = Array.from({ length: 1000 }, (_, index) => `0xaa${Substrate.littleEndian(index, 2)}`)

  it.effect("follows the pages of keys until one is short", () =>
    Effect.gen(function* () {
      const keys = yield* Substrate.keysUnder(url, "0xaa", block)
      assert.deepStrictEqual(keys, [...page, "0xaaffff"])
    }).pipe(
      Effect.provide(
        answers([
          { request: call("state_getKeysPaged", ["0xaa", 1000, null, block]), body: result(page) },
          {
            request: call("state_getKeysPaged", ["0xaa", 1000, page[999], block]),
            body: result(["0xaaffff"])
          }
        ])
      )
    )
  )

  const [first = "", ...rest] = page
  it.effect(
    "asks for 500 keys at a time; null is no value, a key passed over is not known, wrong bytes name the item",
    () =>
      Effect.gen(function* () {
        const { isEmpty, read } = yield* Substrate.storageAt(url, [first, ...rest], block)
        assert.strictEqual(yield* read(first, "First", Substrate.u16), 256n)
        assert.strictEqual(yield* read(page[999] ?? "", "Last", Substrate.bool), true)
        assert.isUndefined(yield* read(page[1] ?? "", "Second", Substrate.u16))
        assert.isTrue(isEmpty(page[1] ?? ""))
        assert.isUndefined(yield* read(page[2] ?? "", "Third", Substrate.u16))
        assert.isFalse(isEmpty(page[2] ?? ""))
        assert.isFalse(isEmpty(first))
        const error = yield* Effect.flip(read(first, "First", Substrate.u64))
        assert.include(error.message, "at First: 2 bytes")
      }).pipe(
        Effect.provide(
          answers([
            {
              request: call("state_queryStorageAt", [page.slice(0, 500), block]),
              body: result([
                {
                  block,
                  changes: [
                    [first, "0x0001"],
                    [page[1], null]
                  ]
                }
              ])
            },
            {
              request: call("state_queryStorageAt", [page.slice(500), block]),
              body: result([{ block, changes: [[page[999], "0x01"]] }])
            }
          ])
        )
      )
  )
})

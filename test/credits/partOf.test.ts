/** Parts of payloads: the records of some networks and metrics. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Parts } from "../../core/credits/part/Parts.ts"
import { partOf } from "../../core/credits/part/partOf.ts"

const payload = {
  generated_utc: "2026-09-05T09:00:00Z",
  n_networks: 3,
  networks: [
    {
      symbol: "FIL",
      values: [
        { metric: "price_usd", value: 5 },
        { metric: "fees_30d_usd", value: 0 }
      ]
    },
    { symbol: "AR", values: [{ metric: "price_usd", value: 7 }] },
    { symbol: "HNT", values: [] }
  ],
  categories: [
    {
      category: "storage",
      shares: [
        { symbol: "FIL", share: 0.6 },
        { symbol: "AR", share: 0.4 }
      ]
    },
    { category: "wireless", shares: [{ symbol: "HNT", share: 1 }] }
  ],
  not_covered: { STORJ: "no key", SC: "no telemetry" },
  methodology: { rules: ["a value counts"] }
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const read = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

const part = (symbols?: ReadonlyArray<string>, metrics?: ReadonlyArray<string>) => {
  const result = partOf({ bytes: bytesOf(payload), symbols, metrics })
  return "bytes" in result ? read(result.bytes) : result
}

describe("a part of a payload", () => {
  it("has the records of the networks and metrics, and what is in no list", () => {
    assert.deepStrictEqual(part(["FIL"], ["price_usd"]), {
      ...payload,
      networks: [{ symbol: "FIL", values: [{ metric: "price_usd", value: 5 }] }],
      // A category that has lost its last record goes with it.
      categories: [{ category: "storage", shares: [{ symbol: "FIL", share: 0.6 }] }],
      not_covered: {}
    })
    assert.deepStrictEqual(part(undefined, ["fees_30d_usd"]), {
      ...payload,
      networks: [
        { symbol: "FIL", values: [{ metric: "fees_30d_usd", value: 0 }] },
        { symbol: "AR", values: [] },
        { symbol: "HNT", values: [] }
      ]
    })
    assert.deepStrictEqual(part(), payload)
  })

  it("has the rights of the sources that are in it, and of no other", () => {
    const rightsOf = (attribution: string) => ({ licence: "unknown", attribution })
    const rights = { lists: rightsOf("Lists"), prices: rightsOf("Prices"), totals: rightsOf("Totals") }
    const credited = {
      rights,
      networks: [
        { symbol: "FIL", values: [{ metric: "price_usd", value: 5, source: "prices" }] },
        { symbol: "AR", coverage_source: "lists", values: [] }
      ],
      total: { value: 5, source: "totals" }
    }
    const of = (...symbols: ReadonlyArray<string>) =>
      partOf({ bytes: bytesOf(credited), symbols, metrics: undefined })
    const sourcesOf = (result: ReturnType<typeof partOf>) =>
      "bytes" in result ? (read(result.bytes) as { readonly rights?: object }).rights : undefined
    assert.deepStrictEqual(sourcesOf(of("FIL")), { prices: rights.prices, totals: rights.totals })
    assert.deepStrictEqual(sourcesOf(of("AR")), { lists: rights.lists, totals: rights.totals })
    assert.deepStrictEqual(sourcesOf(of("FIL", "AR")), rights)
  })

  it("is refused for a name that no record has", () => {
    assert.deepStrictEqual(part(["FIL", "STORJ"]), {
      notIn: { field: "symbols", name: "STORJ", valid: ["AR", "FIL", "HNT"] }
    })
    assert.deepStrictEqual(part(["FIL"], ["nodes_online"]), {
      notIn: { field: "metrics", name: "nodes_online", valid: ["fees_30d_usd", "price_usd"] }
    })
  })

  it.effect("is the same from a thread, and symbols are read in any case", () =>
    Effect.gen(function* () {
      const long = { ...payload, text: "x".repeat(300_000) }
      const parts = yield* Parts
      const names = { symbols: "fil", metrics: "price_usd" }
      const short = yield* parts.of(bytesOf(payload), names)
      const { bytes, part } = yield* parts.of(bytesOf(long), names)
      assert.deepStrictEqual(part, { symbols: ["FIL"], metrics: ["price_usd"] })
      assert.deepStrictEqual(read(bytes), { ...(read(short.bytes) as object), text: long.text })
      const refusal = yield* Effect.flip(parts.of(bytesOf(payload), { symbols: "BTC" }))
      assert.strictEqual(refusal.field, "symbols")
      assert.include(refusal.message, "its records have AR, FIL, HNT")
    }).pipe(Effect.provide(Parts.layer))
  )
})

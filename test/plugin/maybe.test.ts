import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { maybe } from "../../core/plugin/Upstream.ts"

it("takes a field that is left out, null or undefined as not there, and no other", () => {
  const decode = Schema.decodeUnknownSync(Schema.Struct({ nodes: maybe(Schema.Finite) }))
  expect(
    [{}, { nodes: null }, { nodes: undefined }, { nodes: 0 }].map((input) => decode(input).nodes)
  ).toEqual([undefined, null, undefined, 0])
  for (const nodes of ["0", Number.NaN, false]) expect(() => decode({ nodes })).toThrow(/nodes/)
})

it("is one schema for each that it is given, however many plugins ask", () => {
  const own = Schema.Finite.check(Schema.isGreaterThan(1))
  expect(maybe(own)).toBe(maybe(own))
  expect(maybe(own)).not.toBe(maybe(Schema.Finite))
})

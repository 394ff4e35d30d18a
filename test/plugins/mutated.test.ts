/**
 * Payloads that are almost right: single values of every `ok` case are replaced, moved out of range or taken away. A
 * run may fail or leave rows out; it never throws, and what it says stays within what the plugin declares.
 */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Exchange } from "../../core/plugin/Upstream.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { soundCases } from "../support/plugins.ts"

const cases = await soundCases()

const odd: ReadonlyArray<unknown> = [
  undefined,
  null,
  "",
  "NaN",
  "0x",
  "-5",
  "9".repeat(300),
  "2026-02-31",
  "9999-12-31T23:59:59Z",
  -1,
  0,
  0.5,
  9e15,
  1e300,
  true,
  [],
  [[]],
  {},
  { a: 1 }
]

type Holder = { [key: string]: unknown }

/** Every place of a JSON value that has something in it, the first 60 of each list. */
const placesOf = (value: unknown): ReadonlyArray<readonly [holder: Holder, key: string]> =>
  typeof value !== "object" || value === null
    ? []
    : Object.keys(value)
        .slice(0, 60)
        .flatMap((key) => {
          const holder = value as Holder
          return [[holder, key] as const, ...placesOf(holder[key])]
        })

interface Change {
  readonly exchange: number
  readonly place: number
  readonly value: unknown
}

const mutated = (exchanges: ReadonlyArray<Exchange>, { exchange, place, value }: Change) =>
  exchanges.map((original, index) => {
    if (index !== Math.floor(exchange * exchanges.length)) return original
    const source = new TextDecoder().decode(original.body)
    if (!/^\s*[[{]/.test(source)) return original
    const parsed: unknown = JSON.parse(source)
    const places = placesOf(parsed)
    const [holder, key] = places[Math.floor(place * places.length)] ?? []
    if (holder !== undefined && key !== undefined) holder[key] = value
    const body = new TextEncoder().encode(JSON.stringify(parsed))
    return { ...original, body, sha256: createHash("sha256").update(body).digest("hex") }
  })

const change: fc.Arbitrary<Change> = fc.record({
  exchange: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  place: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  value: fc.constantFrom(...odd)
})

const within = (plugin: Plugin, at: number, rows: Awaited<ReturnType<typeof run>>) => {
  if ("error" in rows) return
  for (const { as_of, metric, unit, value } of rows.observations) {
    assert.isTrue(Number.isFinite(value))
    assert.strictEqual(metricNamed(plugin.manifest.metrics, metric)?.unit, unit)
    assert.match(as_of, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/)
    assert.isAtMost(Date.parse(as_of), at + 300_000)
  }
}

const run = (plugin: Plugin, tape: Parameters<typeof Fixtures.replay>[1]) =>
  Effect.runPromise(Fixtures.replay(plugin, tape))

describe.each(cases)("$id", ({ plugin, tape }) => {
  it("makes rows within its manifest, or none, of an answer with one odd value", async () => {
    await fc.assert(
      fc.asyncProperty(change, async (one) => {
        const exchanges = mutated(tape.exchanges, one)
        within(plugin, tape.now, await run(plugin, { ...tape, exchanges }))
      }),
      { numRuns: 10 }
    )
  })
})

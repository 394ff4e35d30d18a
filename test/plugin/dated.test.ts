/** How old an answer is that states no time in its body: what its headers tell. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { count } from "../../core/plugin/shapes/fields.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/n"

const dated = (headers: Readonly<Record<string, string>>, as_of?: number) =>
  Plugin.define({
    id: "example",
    title: "Example",
    covers: { networks: ["EXN"] },
    tier: "supply_telemetry",
    source: "example",
    hosts: ["stats.example"],
    every: "1 hour",
    grade: "A",
    metrics: { n: { unit: "count", meaning: "A count." } },
    collect: (observe) =>
      Plugin.one(
        observe,
        url,
        Schema.Struct({ n: count }),
        as_of === undefined ? {} : { as_of },
        ({ n }) => ({
          n
        })
      )
  }).collect.pipe(
    Effect.provide(answers([{ request: url, headers, body: { n: 7 } }])),
    Effect.map(({ observations }) => observations[0]?.as_of)
  )

const date = "Sat, 05 Sep 2026 10:59:58 GMT"
const earlier = "Fri, 04 Sep 2026 03:00:00 GMT"

describe("an answer without a time of its own", () => {
  it.effect.each([
    // The exchange was at 11:00:00.
    [{}, "2026-09-05T11:00:00Z"],
    [{ date }, "2026-09-05T10:59:58Z"],
    [{ date, "last-modified": earlier }, "2026-09-04T03:00:00Z"],
    [{ "last-modified": earlier }, "2026-09-04T03:00:00Z"],
    [{ date, "last-modified": "Sat, 05 Sep 2026 12:00:00 GMT" }, "2026-09-05T10:59:58Z"],
    [{ date, "last-modified": "Thu, 01 Jan 1970 00:00:00 GMT" }, "2026-09-05T10:59:58Z"],
    [{ date, "last-modified": "Tue, 01 Jan 1980 00:00:00 GMT" }, "2026-09-05T10:59:58Z"],
    [{ date, "last-modified": "yesterday" }, "2026-09-05T10:59:58Z"],
    [{ date, age: "3600" }, "2026-09-05T09:59:58Z"],
    [{ age: "3600" }, "2026-09-05T10:00:00Z"],
    [{ date, age: "60, 7" }, "2026-09-05T10:58:58Z"],
    [{ date, age: "old" }, "2026-09-05T10:59:58Z"],
    [{ date, age: "3600", "last-modified": earlier }, "2026-09-04T03:00:00Z"],
    // A cache that passes on the date of the answer that it stored: its age is in the date.
    [{ date: "Sat, 05 Sep 2026 10:00:00 GMT", age: "3600" }, "2026-09-05T10:00:00Z"]
  ] as const)("with %j is of %s", ([headers, as_of]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* dated(headers), as_of)
    })
  )

  it.effect("is dated by its body before any header", () =>
    Effect.gen(function* () {
      const stated = Date.parse("2026-09-05T08:00:00Z")
      assert.strictEqual(
        yield* dated({ date, age: "60", "last-modified": earlier }, stated),
        "2026-09-05T08:00:00Z"
      )
    })
  )
})

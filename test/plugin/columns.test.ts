/** Rows of tables without separators. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fixed, spaced } from "../../core/plugin/shapes/columns.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://buoys.example/latest.txt"
const upstream = (body: string) => answers([{ request: url, body }])
const waves = (body: string) =>
  Effect.provide(spaced(url, ["STN", "WVHT"], { absent: "MM", optional: ["TIDE"] }), upstream(body))
const index = (body: string) =>
  Effect.provide(fixed(url, { day: [1, 10], kp: [13, 16], ap: [18, 20] }, { skip: 1 }), upstream(body))

describe("a table of blanks", () => {
  it.effect("has its cells by the header, and none where the upstream knows nothing", () =>
    Effect.gen(function* () {
      const { body } = yield* waves(
        "#STN    LAT   WVHT\n#text   deg   m\n41001  34.7    2.1\n\n41002  31.8    MM\n"
      )
      assert.deepStrictEqual(body, [
        { STN: "41001", WVHT: "2.1", TIDE: "" },
        { STN: "41002", WVHT: "", TIDE: "" }
      ])
    })
  )

  it.effect.each([
    ["#STN LAT\n41001 3\n", "line 1", "no header with the columns STN, WVHT"],
    ["#STN WVHT\n#text m\n41001 1\n41002\n", "line 4", "not 2 cells"],
    ["#STN WVHT\n", "", "a list without a row"],
    ["", "line 1", "no header"]
  ] as const)("is a changed answer otherwise: %#", ([body, path, detail]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(waves(body))
      assert.deepInclude(error, { _tag: "UpstreamChanged", path })
      assert.include(error.message, detail)
    })
  )
})

describe("a table of fixed places", () => {
  it.effect("has its cells by their places, counted from 1", () =>
    Effect.gen(function* () {
      const { body } = yield* index("day         Kp    ap\r\n2026-09-05  3.67  22\r\n2026-09-06        7\r\n")
      assert.deepStrictEqual(body, [
        { day: "2026-09-05", kp: "3.67", ap: "22" },
        { day: "2026-09-06", kp: "", ap: "7" }
      ])
    })
  )

  it.effect.each([
    ["day\n2026-09-05  3.67  22\n2026-09-06  3.3", "line 3", "ends within"],
    ["day\n", "", "without a row"],
    ["", "line 1", "ends within"]
  ] as const)("is a changed answer where it ends too early: %#", ([body, path, detail]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(index(body))
      assert.deepInclude(error, { _tag: "UpstreamChanged", path })
      assert.include(error.message, detail)
    })
  )
})

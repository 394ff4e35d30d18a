/** Rows of CSV answers, of which some may be broken. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { countIn, csv } from "../../core/plugin/shapes/csv.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example/nodes.csv"
const read = (body: string) =>
  Effect.provide(csv(url, ["country", "nodes"]), answers([{ request: url, body }]))
const good = (count: number) => Array.from({ length: count }, (_, n) => `"c,${n}", ${n}`)
const list = (...lines: ReadonlyArray<string>) => `country,nodes\r\n${lines.join("\r\n")}\r\n`

describe("a CSV answer", () => {
  it.effect.each(["DE", "DE,1,2", `"DE,1`, `DE,5" pipe`, `D"E",1`])(
    "may have one broken row in a hundred: %s",
    (line) =>
      Effect.gen(function* () {
        const rows = good(99)
        const { body } = yield* read(list(...rows.slice(0, 50), line, ...rows.slice(50)))
        assert.deepStrictEqual(
          body,
          rows.map((_, n) => ({ country: `c,${n}`, nodes: String(n) }))
        )
      })
  )

  it.effect.each([
    [list(...good(199), "DE").trimEnd(), "line 201", "not 2 cells"],
    [list(...good(50), "DE", "DE", ...good(97)), "line 52", "not 2 cells"],
    [list("DE"), "line 2", "not 2 cells"],
    [list(...good(10), `"DE,1`), "line 12", ""],
    ["country\nDE\n", "line 1", "no header with the columns country, nodes"],
    ["", "line 1", "no header"],
    ["country,nodes\n", "", "a list without a row"]
  ] as const)("is a changed answer beyond that, and names the first line: %#", ([body, path, detail]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body))
      assert.strictEqual(error._tag, "UpstreamChanged")
      if (error._tag !== "UpstreamChanged") return
      assert.strictEqual(error.path, path)
      assert.include(error.detail, detail)
    })
  )

  it.effect("may have cells of several lines", () =>
    Effect.gen(function* () {
      const { body } = yield* read(list(`"D\nE",1`, "FR,2"))
      assert.deepStrictEqual(body, [
        { country: "D\nE", nodes: "1" },
        { country: "FR", nodes: "2" }
      ])
    })
  )

  it("has counts in cells", () => {
    assert.deepStrictEqual([countIn("7"), countIn("")], [7, undefined])
  })
})

/** XML answers as members. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { readingsOf } from "../../core/plugin/shapes/declare.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import { type Form, xml } from "../../core/plugin/shapes/xml.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://buoys.example/stations.xml"
const read = (body: string, form: Form = {}) =>
  Effect.provide(xml(url, form), answers([{ request: url, body }]))

describe("an XML answer", () => {
  it.effect("is attributes, elements and lists by name, and the text between them", () =>
    Effect.gen(function* () {
      const { body } = yield* read(
        `<?xml version="1.0" encoding="UTF-8"?><!-- made hourly -->
        <stations count="2" created="2026-09-05T12:00:01Z">
          <station id="41001" met="y"><dc:name> Cape &amp; Sound </dc:name></station>
          <station id="41002"><![CDATA[ 5 < 6 ]]></station>
          <note/>
        </stations>`,
        { lists: ["station", "station.sensor"] }
      )
      assert.deepStrictEqual(body, {
        count: "2",
        created: "2026-09-05T12:00:01Z",
        station: [
          { id: "41001", met: "y", "dc:name": "Cape & Sound", sensor: [] },
          { id: "41002", text: "5 < 6", sensor: [] }
        ],
        note: ""
      })
    })
  )

  it.effect("has a list where one entry stands, and where none does", () =>
    Effect.gen(function* () {
      const form = { lists: ["entry"] }
      assert.deepStrictEqual((yield* read("<feed><entry>1</entry></feed>", form)).body, { entry: ["1"] })
      assert.deepStrictEqual((yield* read("<feed/>", form)).body, { entry: [] })
    })
  )

  it.effect.each([
    ["", "", "line 1", "no XML"],
    ["<a><b></a>", "", "line 1", "no XML"],
    ["<a>\n<b>1</b>\n", "", "line 2", "no XML"],
    ["<a><b>1</b><b>2</b></a>", "", "b", "stands there twice"],
    ['<a><c b="1"><b>2</b></c></a>', "c", "c.b", "stands there twice"],
    ['<!DOCTYPE a [<!ENTITY b "1">]><a>&b;</a>', "", "line 1", "no XML"],
    [`${"<a>".repeat(100_000)}${"</a>".repeat(100_000)}`, "", "", "nested too deeply"]
  ] as const)("is a changed answer where it is anything else: %#", ([body, list, path, detail]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(read(body, { lists: [list] }))
      assert.strictEqual(error._tag, "UpstreamChanged")
      if (error._tag !== "UpstreamChanged") return
      assert.include(error.path, path)
      assert.include(error.detail, detail)
    })
  )

  it("never gives a name that is not in the text, and fails with nothing but a changed answer", () => {
    const word = fc.constantFrom("__proto__", "constructor", "toString", "a", "b")
    const element = fc
      .array(fc.tuple(word, word), { maxLength: 4 })
      .map((pairs) => pairs.map(([name, value]) => `<${name}>${value}</${name}>`).join(""))
    fc.assert(
      fc.property(element, (inner) => {
        const outcome = Effect.runSync(Effect.result(read(`<top>${inner}</top>`)))
        if (outcome._tag === "Failure") return assert.strictEqual(outcome.failure._tag, "UpstreamChanged")
        if (typeof outcome.success.body === "string") return assert.strictEqual(inner, "")
        for (const name of Object.keys(outcome.success.body)) assert.include(inner, `<${name}>`)
      })
    )
  })

  it.effect("is declared like any other answer", () =>
    Effect.gen(function* () {
      const query = {
        ask: xml(url, { lists: ["station"] }),
        as_of: "created",
        figures: {
          stations_total: { entries: "station", by: "id" },
          reporting: { entries: "station", by: "id", where: { at: "met", is: ["y"], others: ["n"] } },
          depth: { sum: "station", of: "depth" }
        }
      } as const
      const [stations_total, reporting, depth] = [
        metric("count", "Stations."),
        metric("count", "Of them."),
        metric("count", "Metres.")
      ]
      const body = `<stations created="2026-09-05T12:00:01Z">
        <station id="1" met="y" depth="70"/><station id="2" met="n" depth="5"/><station id="2" met="n" depth="5"/></stations>`
      const readings = yield* Effect.provide(
        readingsOf({ stations_total, reporting, depth }, query, "BUOYS"),
        answers([{ request: url, body }])
      )
      const [part] = readings
      assert.deepStrictEqual(part && "values" in part && [part.values, part.facts?.as_of], [
        { stations_total: 2, reporting: 1, depth: 80 },
        Date.parse("2026-09-05T12:00:01Z")
      ])
    })
  )
})

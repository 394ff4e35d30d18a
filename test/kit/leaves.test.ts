import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pointer, replaced } from "../../runtime/contributor/Leaf.ts"
import { items, leaves } from "../../runtime/contributor/leaves.ts"

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, name) => (inner as Record<string, unknown>)[name], value)

describe("leaves", () => {
  it("are every scalar of a JSON text, at its place", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const positions = leaves(text)
        for (const { end, path, start } of positions) {
          assert.deepStrictEqual(JSON.parse(text.slice(start, end)), at(JSON.parse(text), path))
        }
        const scalars = (inner: unknown): number =>
          typeof inner === "object" && inner !== null
            ? Object.values(inner).reduce((sum: number, member) => sum + scalars(member), 0)
            : 1
        assert.strictEqual(positions.length, scalars(JSON.parse(text)))
      })
    )
  })

  it("can be replaced one by one", () => {
    const text = '{ "a": [1, {"b/c": "x"}], "d": null }'
    const [one, x] = leaves(text)
    assert.strictEqual(pointer(x?.path ?? []), "/a/1/b~1c")
    assert.strictEqual(one && replaced(text, one, "22"), '{ "a": [22, {"b/c": "x"}], "d": null }')
  })

  it("of lines of JSON and of cells have the line or row first", () => {
    const texts = (text: string) =>
      leaves(text).map(({ end, path, start }) => [path.join("/"), text.slice(start, end)])
    assert.deepStrictEqual(texts('{"a":1}\n\n{"a":"b"}\n'), [
      ["0/a", "1"],
      ["2/a", '"b"']
    ])
    assert.deepStrictEqual(texts("h,n\r\nx,1\r\n"), [
      ["0/0", "h"],
      ["0/1", "n"],
      ["1/0", "x"],
      ["1/1", "1"]
    ])
  })

  it("of XML are its attributes and texts, each with what goes without it", () => {
    const text = `<?xml version="1.0"?><a n='1'><!-- <b>9</b> --><b m="2">3</b><b>4</b><c/></a>`
    assert.deepStrictEqual(
      leaves(text).map(({ end, path, start, whole = { start: 0, end: 0 } }) => [
        pointer(path),
        text.slice(start, end),
        text.slice(whole.start, whole.end)
      ]),
      [
        ["/n", "1", " n='1'"],
        ["/b/m", "2", ' m="2"'],
        ["/b", "3", '<b m="2">3</b>'],
        ["/b/1", "4", "<b>4</b>"]
      ]
    )
  })

  it("stand in items that can be cut out", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 2, maxLength: 6 }), fc.nat(), (list, pick) => {
        const text = JSON.stringify({ list }, null, 1)
        const places = items(text).filter(({ path }) => pointer(path) === "/list")
        assert.strictEqual(places.length, list.length - 1)
        const index = pick % places.length
        const { end, start } = places[index] ?? { end: 0, start: 0 }
        const cut = JSON.parse(text.slice(0, start) + text.slice(end)) as { list: ReadonlyArray<unknown> }
        const whole = JSON.parse(text) as { list: ReadonlyArray<unknown> }
        assert.deepStrictEqual(cut.list, whole.list.toSpliced(index + 1, 1))
      })
    )
  })
})

/** The form of a case: where a body stands, what a variant keeps, and that each body is the one that was recorded. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, JsonPatch, type Schema } from "effect"
import fc from "fast-check"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { edits } from "../../runtime/contributor/kit/edits.ts"
import { layout } from "../../runtime/contributor/kit/layout.ts"
import { contributor } from "../support/contributor.ts"

const url = "https://stats.example.net/v1/acme"
const about = { plugin: "acme", origin: "written", note: "by the test" } as const

const tapeOf = (...bodies: ReadonlyArray<string | Uint8Array>) => ({
  now: 1e12,
  targets: [],
  settings: {},
  exchanges: bodies.map((content) => {
    const body = typeof content === "string" ? new TextEncoder().encode(content) : content
    const sha256 = createHash("sha256").update(body).digest("hex")
    return { request: { method: "GET", url } as const, at: 1e12, status: 200, headers: {}, sha256, body }
  })
})

const bytesOf = (tape: ReturnType<typeof tapeOf>) => tape.exchanges.map(({ body }) => [...body])

const folder = Effect.map(contributor, ({ fixtures }) => join(fixtures, "acme"))

const contentOf = (place: string) => JSON.parse(readFileSync(`${place}.json`, "utf8"))

const node = '{"id":"a","nodes":7,"list":["x","y","z"]}'
const other = '{"id":"a","nodes":0,"list":["x","z"]}'

describe("a body", () => {
  it.effect.each([
    ["what JSON.stringify makes of a value stands as the value", node, "body"],
    ["null stands as a value", "null", "body"],
    ["a number with a zero at its end stands as text", '{"price":1.50}', "text"],
    ["a number that a double does not hold stands as text", '{"id":12345678901234567890}', "text"],
    ["a name given twice stands as text", '{"a":1,"a":2}', "text"],
    ["a line break at the end stands as text", "{}\n", "text"],
    ["a byte order mark stands as text", "\ufeff{}", "text"],
    ["nothing stands as text", "", "text"],
    ["a long text is a file beside the case", "1.0\n".repeat(2000), "file"],
    ["what is not UTF-8 is a file beside the case", new Uint8Array([0xff, 0xfe, 0x00]), "file"]
  ] as const)("of which %s comes back byte for byte", ([, body, stands]) =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(ok, about, tapeOf(body))
      const storedAs = ["body", "text", "file"].filter((name) => name in contentOf(ok).exchanges[0])
      assert.deepStrictEqual(storedAs, [stands])
      assert.deepStrictEqual(
        bytesOf(tapeOf(body)),
        (yield* Fixtures.load(ok)).tape.exchanges.map(({ body }) => [...body])
      )
    })
  )

  it.effect("that was edited is refused, in the case, beside it and in a variant", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      const long = "1.0\n".repeat(2000)
      yield* Fixtures.save(ok, about, tapeOf(node, long))
      yield* Fixtures.save(join(ok, "../zero"), about, tapeOf(other, long))
      const refusal = (place: string) =>
        Effect.map(Effect.flip(Fixtures.load(place)), ({ message }) => message)
      const edit = (file: string, from: string, to: string) =>
        writeFileSync(file, readFileSync(file, "utf8").replace(from, to))
      edit(`${ok}.2.txt`, "1.0", "2.0")
      assert.strictEqual(yield* refusal(ok), "2.txt does not match the hash of the recorded body")
      assert.strictEqual(
        yield* refusal(join(ok, "../zero")),
        "2.txt does not match the hash of the recorded body"
      )
      edit(`${ok}.2.txt`, "2.0", "1.0")
      edit(
        join(ok, "../zero.json"),
        '"path":"/exchanges/0/body/nodes","value":0',
        '"path":"/exchanges/0/body/nodes","value":1'
      )
      assert.strictEqual(
        yield* refusal(join(ok, "../zero")),
        "1.json does not match the hash of the recorded body"
      )
      edit(`${ok}.json`, '"nodes":7', '"nodes":8')
      assert.strictEqual(yield* refusal(ok), "1.json does not match the hash of the recorded body")
    })
  )
})

describe("a variant", () => {
  it.effect("keeps what is other than in the case ok, and no second copy of a file", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      const long = "1.0\n".repeat(2000)
      yield* Fixtures.save(ok, about, tapeOf(node, long))
      const place = join(ok, "../zero")
      const tape = tapeOf(other, long)
      yield* Fixtures.save(place, { ...about, note: "no node" }, tape)
      assert.deepStrictEqual(contentOf(place), {
        like: "ok",
        origin: "written",
        note: "no node",
        edits: [
          { op: "replace", path: "/exchanges/0/sha256", value: tape.exchanges[0]?.sha256 },
          { op: "replace", path: "/exchanges/0/body/nodes", value: 0 },
          { op: "remove", path: "/exchanges/0/body/list/1" }
        ]
      })
      assert.sameMembers(readdirSync(join(ok, "..")), ["ok.json", "ok.2.txt", "zero.json"])
      const loaded = yield* Fixtures.load(place)
      assert.strictEqual(loaded.recording.note, "no node")
      assert.deepStrictEqual(
        bytesOf(tape),
        loaded.tape.exchanges.map(({ body }) => [...body])
      )
    })
  )

  it.effect("stays what it is when the case ok is recorded again", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      const place = join(ok, "../zero")
      const long = "1.0\n".repeat(2000)
      yield* Fixtures.save(ok, about, tapeOf(node, long))
      yield* Fixtures.save(place, about, tapeOf(other, long))
      yield* Fixtures.writeExpected(place, { observations: [], refused: [] })
      yield* Fixtures.save(ok, about, tapeOf('{"version":2}'))
      const { tape } = yield* Fixtures.load(place)
      assert.deepStrictEqual(
        bytesOf(tapeOf(other, long)),
        tape.exchanges.map(({ body }) => [...body])
      )
      assert.deepStrictEqual(yield* Fixtures.expected(place), { observations: [], refused: [] })
    })
  )

  it.effect("of a variant is refused, and so are edits that do not fit", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(ok, about, tapeOf(node))
      const refusal = (content: object) => {
        const place = join(ok, "../odd")
        writeFileSync(
          `${place}.json`,
          JSON.stringify({ origin: "written", note: "odd", edits: [], ...content })
        )
        return Effect.map(Effect.flip(Fixtures.load(place)), ({ message }) => message)
      }
      assert.strictEqual(
        yield* refusal({ like: "odd" }),
        "like: odd is itself a variant; name a case with a whole recording"
      )
      assert.strictEqual(yield* refusal({ like: "none" }), "none.json does not exist")
      const missing = { op: "remove", path: "/exchanges/4" }
      assert.include(
        yield* refusal({ like: "ok", edits: [missing] }),
        "its edits do not apply to the case ok: "
      )
    })
  )

  it.effect("is made of the case ok with edits as they are typed", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(ok, about, tapeOf(node))
      const tape = yield* Fixtures.edited(ok, [
        "/exchanges/0/status=429",
        "/exchanges/0/body/id",
        '/exchanges/0/body/note="a=b"',
        "/exchanges/0/body/list/-=1"
      ])
      assert.strictEqual(tape.exchanges[0]?.status, 429)
      const text = new TextDecoder().decode(tape.exchanges[0]?.body)
      assert.strictEqual(text, '{"nodes":7,"list":["x","y","z",1],"note":"a=b"}')
      assert.strictEqual(tape.exchanges[0]?.sha256, createHash("sha256").update(text).digest("hex"))
      const { message } = yield* Effect.flip(Fixtures.edited(ok, ["/exchanges/0/body/none"]))
      assert.include(message, "none")
    })
  )
})

describe("a body that is kept as text", () => {
  it.effect("is edited there, and no other character of it changes", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      const text =
        '{\n  "stake": 12345678901234567890,\n  "nodes": [{"id": 1}, {"id": 2}],\n  "up": 1.50\n}\n'
      yield* Fixtures.save(ok, about, tapeOf(text))
      const tape = yield* Fixtures.edited(ok, [
        "/exchanges/0/body/nodes/1/id=7",
        "/exchanges/0/body/up",
        "/exchanges/0/status=201"
      ])
      assert.strictEqual(tape.exchanges[0]?.status, 201)
      assert.strictEqual(
        new TextDecoder().decode(tape.exchanges[0]?.body),
        '{\n  "stake": 12345678901234567890,\n  "nodes": [{"id": 1}, {"id": 7}]\n}\n'
      )
      const none = yield* Effect.flip(Fixtures.edited(ok, ["/exchanges/0/body/none"]))
      assert.strictEqual(none.message, "the body has no /none")
    })
  )

  it.effect.each([
    [
      "an element of XML",
      '/entry/1/title="R & D"',
      '<f a="1"><entry><title>x</title></entry><entry><title>R &amp; D</title></entry></f>'
    ],
    [
      "an attribute of XML",
      "/a=7",
      '<f a="7"><entry><title>x</title></entry><entry><title>y</title></entry></f>'
    ],
    ["an element that goes", "/entry/title", '<f a="1"><entry></entry><entry><title>y</title></entry></f>']
  ])("is edited there in XML: %s", ([, edit, expected]) =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(
        ok,
        about,
        tapeOf('<f a="1"><entry><title>x</title></entry><entry><title>y</title></entry></f>')
      )
      const tape = yield* Fixtures.edited(ok, [`/exchanges/0/body${edit}`])
      assert.strictEqual(new TextDecoder().decode(tape.exchanges[0]?.body), expected)
    })
  )

  it.effect("is edited there by row and column, and the message names places that it has", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(ok, about, tapeOf("id,nodes\na,7\nb,9\n"))
      const tape = yield* Fixtures.edited(ok, ["/exchanges/0/body/2/1=0", "/exchanges/0/body/1/1"])
      assert.strictEqual(new TextDecoder().decode(tape.exchanges[0]?.body), "id,nodes\na,\nb,0\n")
      const { message } = yield* Effect.flip(Fixtures.edited(ok, ["/exchanges/0/body/nodes=2"]))
      assert.strictEqual(message, "the body has no /nodes; it has /0/0, /0/1, /1/0, /1/1, …")
    })
  )

  it.effect("and has no places has to be replaced as a whole, and the message says how", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(ok, about, tapeOf('{"b":1}\n{"b":2}\n'))
      const { message } = yield* Effect.flip(Fixtures.edited(ok, ["/exchanges/0/body/b=2"]))
      assert.include(message, "/exchanges/<number>/text=<JSON text> replaces the whole of it")
      const tape = yield* Fixtures.edited(ok, ['/exchanges/0/text="<a/>"'])
      assert.strictEqual(new TextDecoder().decode(tape.exchanges[0]?.body), "<a/>")
    })
  )
})

describe("the files of a plugin", () => {
  it.effect("beside its cases are no cases", () =>
    Effect.gen(function* () {
      const ok = join(yield* folder, "ok")
      yield* Fixtures.save(ok, about, tapeOf(new Uint8Array([0xff])))
      writeFileSync(`${ok}.tape.json`, "{}")
      const names = yield* Fixtures.casesOf(basename(join(ok, "..")), join(ok, "../.."))
      assert.deepStrictEqual(names, ["ok"])
    })
  )
})

describe("any two JSON values", () => {
  const json = fc.jsonValue().map((value): Schema.Json => JSON.parse(JSON.stringify(value)))
  const near = json
    .chain((from) => fc.tuple(fc.constant(from), json, json))
    .map(([a, b, c]): [Schema.Json, Schema.Json] => [
      { a, list: [a, b, c], b },
      { a: c, list: [a, c], b, c }
    ])

  it("have edits that turn one into the other, in the order of its members", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(json, json), near), ([from, to]) => {
        assert.strictEqual(JSON.stringify(JsonPatch.apply(edits(from, to), from)), JSON.stringify(to))
      })
    )
  })

  it("are read from their layout as they were", () => {
    fc.assert(
      fc.property(near, ([value]) => {
        assert.strictEqual(JSON.stringify(JSON.parse(layout(value))), JSON.stringify(value))
      })
    )
  })
})

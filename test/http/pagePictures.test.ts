/** Pictures for previews of the pages that people share: each has one, as large as previews want, and none has what may not be handed on. */
import { Worker } from "node:worker_threads"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { everyUse, notHandedOn, termsOn } from "../../core/plugin/shapes/provenance.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { leaksIn, plantedFeed, played } from "../support/planted.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

/** Pages that are shared, over the days of `explorerDays.ts`, and where each has its picture. */
const pages = [
  ["/", "/picture.png"],
  ["/networks", "/networks/picture.png"],
  ["/category/storage", "/category/storage/picture.png"],
  ["/world", "/world/picture.png"],
  ["/changes", "/changes/2026-09-03/picture.png"],
  ["/changes/2026-09-03", "/changes/2026-09-03/picture.png"],
  ["/measure/storage-providers", "/measure/storage-providers/picture.png"],
  ["/measure/earned", "/measure/earned/picture.png"]
] as const

/** Width and height of a PNG, which stand in its first chunk. */
const sizeOf = (png: Buffer): readonly [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)]

const pictureOf = Effect.fnUntraced(function* (page: string) {
  const { body, status } = yield* ask({ path: page, headers: { accept: "text/html" } })
  assert.strictEqual(status, 200, page)
  const [, address] =
    /og:image" content="https:[/]{2}plumbline[.]test([^"]*)"/.exec(body.toString("utf8")) ?? []
  return address?.replaceAll("&amp;", "&")
})

layer(Service.layer())("a page that people share", (it) => {
  it.effect.each(pages)("has a picture: %s", ([page, picture]) =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.strictEqual(yield* pictureOf(page), picture)
      const { body, headers, status } = yield* ask(picture)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "image/png")
      assert.deepStrictEqual(sizeOf(body), [1200, 630])
    })
  )

  it.effect("has none of a search, and none of what there is not", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.isUndefined(yield* pictureOf("/networks?q=filecoin"))
      for (const path of [
        "/category/none/picture.png",
        "/changes/2026-09-04/picture.png",
        "/changes/then/picture.png",
        "/brief/2026-08-31/picture.png",
        "/brief/then/picture.png"
      ])
        assert.strictEqual((yield* ask(path)).status, 404, path)
    })
  )

  it.effect("is kept until the day is over", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const spy = vi.spyOn(Worker.prototype, "postMessage")
      const [first, again] = [yield* ask("/networks/picture.png"), yield* ask("/networks/picture.png")]
      assert.deepStrictEqual(first.body, again.body)
      assert.isAtMost(spy.mock.calls.length, 1)
      spy.mockRestore()
    })
  )
})

const barred = plantedFeed(termsOn("2026-09-01", "Data: Barred", notHandedOn))
const free = plantedFeed(termsOn("2026-09-01", "Data: Free", everyUse))

const paths = [
  "/picture.png",
  "/networks/picture.png",
  "/category/positioning/picture.png",
  "/category/storage/picture.png",
  "/world/picture.png",
  "/changes/2026-09-02/picture.png",
  "/measure/nodes-online/picture.png",
  "/measure/earned/picture.png"
]

/** What the pictures draw of planted figures, by their path. */
const drawnFigures = Effect.gen(function* () {
  yield* played
  const leaked = new Map<string, number>()
  const spy = vi.spyOn(Worker.prototype, "postMessage")
  for (const path of paths) {
    spy.mockClear()
    assert.strictEqual((yield* ask(path)).status, 200, path)
    const text = spy.mock.calls.map(([task]) => JSON.stringify(task)).join("")
    assert.include(text, "<svg", path)
    if (leaksIn(text).length > 0) leaked.set(path, leaksIn(text).length)
  }
  spy.mockRestore()
  return leaked
})

layer(Service.layer({ manifests: [manifest, barred] }))(
  "of a source that lets nothing be handed on",
  (it) => {
    it.effect("no picture has a figure", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual([...(yield* drawnFigures)], [])
      })
    )
  }
)

layer(Service.layer({ manifests: [manifest, free] }))(
  "of a source that lets its values be handed on",
  (it) => {
    it.effect("pictures have figures, so that the rule above would see one", () =>
      Effect.gen(function* () {
        assert.include([...(yield* drawnFigures).keys()], "/measure/nodes-online/picture.png")
      })
    )
  }
)

/** The icon for old clients, and what it takes to draw it. */
import { createRequire } from "node:module"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Service } from "../support/service.ts"

const drawing = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("@resvg"))

layer(Service.layer())("the icon in the old format", (it) => {
  it.effect("is drawn for the first who asks, and the service does without what draws until then", () =>
    Effect.gen(function* () {
      const service = yield* Service
      yield* service.call("/")
      assert.isFalse(drawing())
      const { body, headers, status } = yield* service.call("/favicon.ico")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "image/x-icon")
      // One picture, which begins after the directory: a PNG.
      assert.strictEqual(body.readUInt16LE(4), 1)
      assert.strictEqual(body.subarray(23, 26).toString("latin1"), "PNG")
      assert.isTrue(drawing())
    })
  )
})

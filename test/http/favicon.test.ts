/** The icon for old clients. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Service } from "../support/service.ts"

layer(Service.layer())("the icon in the old format", (it) => {
  it.effect("is a picture", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const { body, headers, status } = yield* service.call("/favicon.ico")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "image/x-icon")
      // One picture, which begins after the directory: a PNG.
      assert.strictEqual(body.readUInt16LE(4), 1)
      assert.strictEqual(body.subarray(23, 26).toString("latin1"), "PNG")
    })
  )
})

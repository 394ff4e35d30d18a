/** The description of the API and its documentation are written beside the event loop, once. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Service } from "../support/service.ts"
import { header } from "../support/signed.ts"

layer(Service.layer())("the documents of the API", (it) => {
  it.effect("are written while the event loop turns, for all who wait for them", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const paths = ["/openapi.json", "/docs", "/x402/openapi.json", "/docs", "/openapi.json"]
      const replies = yield* Effect.forEach(paths, (path) => call({ path }), { concurrency: "unbounded" })
      for (const { path, status } of replies) assert.strictEqual(status, 200, path)
      assert.strictEqual(header(replies[0] ?? assert.fail(), "content-type"), "application/json")
      assert.deepStrictEqual(replies[0]?.body, replies[4]?.body)
      assert.strictEqual(header(replies[1] ?? assert.fail(), "content-type"), "text/html; charset=utf-8")
      assert.strictEqual((yield* call("/docs/none")).status, 404)
    })
  )
})

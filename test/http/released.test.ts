import { assert, describe, it } from "vitest"
import { described, released } from "./released.ts"

describe("the API", () => {
  it("has lost nothing of what was released: paths, parameters, fields, values", () => {
    const now = new Set(described())
    assert.deepStrictEqual(
      released().filter((line) => !now.has(line)),
      [],
      "clients rely on these; give them back (http/api/released.json only ever grows)"
    )
  })

  it("adds nothing that is not recorded", () => {
    const before = new Set(released())
    assert.deepStrictEqual(
      described().filter((line) => !before.has(line)),
      [],
      "run: npx node test/http/released.ts"
    )
  })

  it("is described with words for every path, parameter and released version", async () => {
    const { OpenApi } = await import("effect/http-api")
    const { Api } = await import("../../http/api/Api.ts")
    const document = OpenApi.fromApi(Api)
    assert.strictEqual(document.info.version, "1.0.0")
    for (const [path, item] of Object.entries(document.paths)) {
      for (const operation of [item.get, item.post].filter((found) => found !== undefined)) {
        assert.isAbove(operation.summary?.length ?? 0, 0, path)
        for (const parameter of operation.parameters) {
          assert.property(parameter.schema, "description", `${path} ${parameter.name}`)
        }
      }
    }
  })
})

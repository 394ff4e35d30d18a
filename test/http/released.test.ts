import { assert, describe, it } from "vitest"
import { viewRest } from "../../core/products/definition.ts"
import { productKeys, productOf, soldPerRequest, viewDefinitions } from "../../core/products/index.ts"
import { undescribed } from "../support/undescribed.ts"
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
      for (const operation of [item.get, item.post].filter((each) => each !== undefined)) {
        assert.isAbove(operation.summary?.length ?? 0, 0, path)
        for (const parameter of operation.parameters) {
          assert.property(parameter.schema, "description", `${path} ${parameter.name}`)
        }
      }
    }
  })

  it("has a described answer for every path: each field has words", async () => {
    const { OpenApi } = await import("effect/http-api")
    const { Api } = await import("../../http/api/Api.ts")
    const document = OpenApi.fromApi(Api)
    const reached = new Map<string, unknown>()
    const reach = (schema: unknown): void => {
      if (typeof schema !== "object" || schema === null) return
      for (const [key, value] of Object.entries(schema)) {
        const name = key === "$ref" ? String(value).split("/").at(-1) : undefined
        if (name === undefined) reach(value)
        else if (!reached.has(name)) {
          reached.set(name, document.components.schemas[name])
          reach(reached.get(name))
        }
      }
    }
    for (const [path, item] of Object.entries(document.paths)) {
      for (const operation of [item.get, item.post].filter((each) => each !== undefined)) {
        const media = Object.values(operation.responses[200]?.content ?? {})
        assert.isAbove(media.length, 0, path)
        for (const { schema } of media) {
          assert.isAbove(Object.keys(schema ?? {}).length, 0, path)
          assert.deepStrictEqual(undescribed(schema, path), [])
          reach(schema)
        }
      }
    }
    // Parts of a bundle are texts to be hashed, in the form that `core/proof/formats/bundle.md` describes.
    reached.delete("Bundle")
    reached.delete("Bundle4")
    reached.delete("SaleProof")
    reached.delete("Evidence")
    assert.isAbove(reached.size, 100)
    for (const [name, schema] of reached) assert.deepStrictEqual(undescribed(schema, name), [])
  })

  it("says what each product delivers, and what each view answers", async () => {
    const { OpenApi } = await import("effect/http-api")
    const { Api } = await import("../../http/api/Api.ts")
    const { paths } = OpenApi.fromApi(Api)
    const lines = new Set(described())
    for (const key of productKeys.filter((key) => productOf(key).withdrawn === undefined)) {
      assert.isTrue(lines.has(`POST /v1/credits/purchase 200.data is that of ${key}`), key)
      assert.isTrue(lines.has(`GET /v1/credits/purchases/{purchase_id} 200.data is that of ${key}`), key)
      assert.isAbove([...lines].filter((line) => line.startsWith(`product ${key}.`)).length, 3, key)
      if (soldPerRequest.includes(key)) {
        assert.isTrue(lines.has(`GET /x402/v1/data/{product} 200.data is that of ${key}`), key)
      }
    }
    for (const { view } of viewDefinitions) {
      const rest = viewRest(view)
      const operation = paths[rest as keyof typeof paths]?.get
      assert.isDefined(operation, rest)
      assert.match(JSON.stringify(operation?.responses[200]), /#\/components\/schemas\//, rest)
    }
  })
})

/** The description that clients are generated from, and the pages that are made of it. */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { Effect, Layer } from "effect"
import { description } from "../../http/description/description.ts"
import {
  isObject,
  type JsonSchema,
  type Media,
  operationsOf,
  responseOf
} from "../../http/description/document.ts"
import { reachableSchemas } from "../../http/description/schemas.ts"
import { sections } from "../../http/description/sections.ts"
import { slug } from "../../http/pages/docs/html.ts"
import { Chromium } from "../support/browser.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { isWithinLimit } from "../support/limits.ts"
import { Service } from "../support/service.ts"

const operations = operationsOf(description)
const { components } = description

/** Every body of every response, with its name. */
const bodies = operations.flatMap(({ operation: { operationId, responses } }) =>
  Object.entries(responses).flatMap(([status, response]) =>
    Object.entries(responseOf(description, response).content ?? {}).map(([type, media]) => ({
      name: `${operationId} ${status} ${type}`,
      status,
      type,
      media
    }))
  )
)

/** The examples of a body. */
const examplesOf = ({ example, examples = {} }: Media): ReadonlyArray<unknown> => [
  ...(example === undefined ? [] : [example]),
  ...Object.keys(examples).map((id) => components.examples[id]?.value)
]

const resolved = (schema: JsonSchema): JsonSchema => {
  const { $ref: reference } = schema
  return typeof reference === "string"
    ? (components.schemas[reference.split("/").at(-1) ?? ""] ?? {})
    : schema
}

const isTyped = (schema: JsonSchema): boolean =>
  Array.isArray(schema["anyOf"])
    ? schema["anyOf"].every((each) => isObject(each) && isTyped(each))
    : "type" in schema || "$ref" in schema || "enum" in schema

describe("the description", () => {
  it("has an example of every response but files and pages", () => {
    const without = bodies.filter(
      ({ media, type }) => examplesOf(media).length === 0 && !/octet-stream|parquet|html/.test(type)
    )
    assert.deepStrictEqual(
      without.map(({ name }) => name),
      []
    )
  })

  it("names the type of every member of a body that clients send", () => {
    const untyped = operations.flatMap(({ operation: { operationId, requestBody } }) => {
      const schema = requestBody?.content["application/json"]?.schema
      const { properties = {} } = (isObject(schema) ? resolved(schema) : {}) as { properties?: object }
      return Object.entries(properties)
        .filter(([, member]) => !isObject(member) || !isTyped(member))
        .map(([name]) => `${operationId}: ${name}`)
    })
    assert.deepStrictEqual(untyped, [])
  })

  it("has examples that its schemas let through", () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema({ $id: "description", components })
    const local = (schema: unknown): unknown =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"description#/components/'))
    // Refusals are those of many operations.
    const different = new Map(bodies.map((body) => [JSON.stringify(body.media), body]))
    const failures = [...different.values()].flatMap(({ media, name }) => {
      const examples = examplesOf(media)
      if (examples.length === 0) return []
      const validate = ajv.compile(Object(local(media.schema)))
      return examples.flatMap((example) =>
        validate(example) ? [] : [`${name}: ${ajv.errorsText(validate.errors).slice(0, 300)}`]
      )
    })
    assert.deepStrictEqual(failures, [])
    assert.isFalse(ajv.validate(Object(local({ $ref: "#/components/schemas/ValueRow" })), { symbol: 1 }))
  })

  it("has an example of every JSON body that is sent, that its schema lets through", () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema({ $id: "description", components })
    const bodiesToSend = operations.flatMap(({ operation: { operationId, requestBody } }) => {
      const media = requestBody?.content["application/json"]
      return media === undefined ? [] : [{ operationId, media }]
    })
    assert.isAbove(bodiesToSend.length, 10)
    for (const { media, operationId } of bodiesToSend) {
      const schema = JSON.parse(
        JSON.stringify(media.schema).replaceAll('"#/components/', '"description#/components/')
      )
      assert.isTrue(ajv.validate(schema, media.example), `${operationId}: ${ajv.errorsText()}`)
    }
  })

  it("has no form that generators of clients stumble over", () => {
    const faults: Array<string> = []
    JSON.stringify(description, (key, value: unknown) => {
      if (isObject(value) && Array.isArray(value["anyOf"]) && value["anyOf"].length === 1) faults.push(key)
      if (isObject(value) && "prefixItems" in value) faults.push(key)
      return value
    })
    assert.deepStrictEqual(faults, [])
    assert.strictEqual(description.info.license?.identifier, "Apache-2.0")
    assert.deepInclude(components.schemas["SupportedStatement"]?.["properties"], {
      cites: {
        type: "array",
        minItems: 1,
        items: { $ref: "#/components/schemas/Citation" },
        description: "The values that support it; never empty"
      }
    })
  })

  it("names schemas plainly, each once", () => {
    assert.deepStrictEqual(
      Object.keys(components.schemas).filter((name) => /Encoded|_\d+$/.test(name)),
      []
    )
    assert.isAbove(Object.keys(components.schemas).length, 150)
  })

  it("leaves answers open, and closes bodies that are sent", () => {
    const answered = reachableSchemas(
      components.schemas,
      operations.map(({ operation }) => operation.responses)
    )
    const all = [...answered].map((name) => components.schemas[name])
    for (const closed of [all, components.responses, bodies]) {
      assert.notInclude(JSON.stringify(closed), '"additionalProperties":false')
    }
    assert.include(JSON.stringify(description.paths["/v1/credits/topup"]), '"additionalProperties":false')
  })

  it("refers only to what it has", () => {
    const text = JSON.stringify(description)
    for (const [, part = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const of: unknown = Object.entries(components).find(([one]) => one === part)?.[1]
      assert.isTrue(isObject(of) && name in of, `${part}/${name}`)
    }
  })

  it("has the headers of every response, and a Link where there are pages", () => {
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { headers = {} } = responseOf(description, response)
        const name = `${operation.operationId} ${status}`
        assert.property(headers, status === "429" ? "Retry-After" : "X-Service-Signature", name)
        const isPaged = operation.parameters.some((parameter) => parameter.name === "cursor")
        if (status === "200") assert.strictEqual("Link" in headers, isPaged, name)
      }
    }
  })

  it("puts its operations into sections, in reading order", () => {
    const listed = sections.flatMap(({ operations: ids }) => ids)
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.deepStrictEqual(listed.toSorted(), ids.toSorted())
    assert.deepStrictEqual(
      description.tags.slice(0, 3).map(({ name }) => name),
      ["Networks", "Values", "History"]
    )
    assert.strictEqual(operations[0]?.path, "/try")
  })
})

const pages = [
  "/docs",
  "/docs/recipes",
  "/docs/test-mode",
  ...description.tags.map(({ name }) => `/docs/${slug(name)}`)
]

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 60_000 })(
  "the pages",
  (it) => {
    it.effect("are within their limit, and not wider than a phone", () =>
      Effect.gen(function* () {
        const service = yield* Service
        const { open } = yield* Chromium
        let largest = 0
        for (const path of pages) {
          const reply = yield* service.call(path)
          assert.strictEqual(reply.status, 200, path)
          largest = Math.max(largest, reply.body.length)
        }
        isWithinLimit("bytes of the largest page of docs", largest)
        for (const path of ["/docs", "/docs/recipes", "/docs/history", "/docs/purchases"]) {
          yield* open(path, async ({ page }) => {
            await page.setViewportSize({ width: 360, height: 740 })
            const wider = await page.evaluate(
              "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert.strictEqual(wider, 0, path)
          })
        }
      })
    )
  }
)

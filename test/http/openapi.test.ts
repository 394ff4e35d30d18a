/** `/openapi.json` as it is sent: what is said once there says the same as the whole description, in each of its forms. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compact, type Part } from "../../http/description/compact.ts"
import { description } from "../../http/description/description.ts"
import { isObject, operationsOf } from "../../http/description/document.ts"
import { examplesOf, short } from "../../http/description/forms.ts"
import { slug } from "../../http/pages/docs/html.ts"
import { isWithinLimit } from "../support/limits.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const bytesOf = (part: unknown): number => Buffer.byteLength(JSON.stringify(part))

/** Members that every choice of a union has, among those that a choice has alone. Which comes first says nothing. */
const joined = (part: Part): Part => {
  const { allOf, ...own } = part
  const all = [...(Array.isArray(allOf) ? allOf : []), own] as ReadonlyArray<Part>
  const required = all.flatMap((each) => (Array.isArray(each["required"]) ? each["required"] : []))
  return {
    ...Object.assign({}, ...all),
    ...(all.some((each) => "properties" in each)
      ? { properties: Object.assign({}, ...all.map((each) => each["properties"])) }
      : {}),
    ...(required.length === 0 ? {} : { required: required.toSorted() })
  }
}

/** With every reference to a component that `also` names followed, down to those of the whole description. */
const resolved = (
  part: unknown,
  components: Readonly<Record<string, Part>>,
  isWhole: (place: string) => boolean
): unknown => {
  if (Array.isArray(part)) return part.map((each) => resolved(each, components, isWhole))
  if (!isObject(part)) return part
  const { $ref } = part
  const [, section = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(String($ref)) ?? []
  if (section !== "" && !isWhole(`${section}/${name}`)) {
    const target = components[section]?.[name]
    assert.isDefined(target, String($ref))
    return resolved(target, components, isWhole)
  }
  return joined(
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => [key, resolved(value, components, isWhole)])
    )
  )
}

/** Without examples, which bodies have and schemas never, and without saying that a parameter is not required. */
const withoutExamples = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(withoutExamples)
  if (!isObject(part)) return part
  const isMedia = "schema" in part && !("in" in part)
  return Object.fromEntries(
    Object.entries(part).flatMap(([key, value]) =>
      (isMedia && (key === "example" || key === "examples")) ||
      ("in" in part && key === "required" && value === false)
        ? []
        : [[key, withoutExamples(value)]]
    )
  )
}

const componentsOf = (part: Part) => part["components"] as Readonly<Record<string, Part>>

describe("the description as it is sent", () => {
  it("says of every operation and schema what the whole one says", () => {
    const served = compact(description)
    const isOfWhole = (place: string) => {
      const [section = "", name = ""] = place.split("/")
      return section === "schemas" && name in description.components.schemas
    }
    const all = componentsOf(served)
    const inWhole = (part: unknown) =>
      resolved(withoutExamples(part), withoutExamples(description.components) as never, isOfWhole)
    assert.deepStrictEqual(resolved(served["paths"], all, isOfWhole), inWhole(description.paths))
    for (const [name, schema] of Object.entries(description.components.schemas)) {
      assert.deepStrictEqual(resolved(all["schemas"]?.[name], all, isOfWhole), inWhole(schema), name)
    }
  })

  it("has no component that only one place needs", () => {
    const text = JSON.stringify(compact(description))
    const added = Object.keys(componentsOf(compact(description))["schemas"] ?? {}).filter(
      (name) => !(name in description.components.schemas)
    )
    assert.isAbove(added.length, 50)
    for (const name of added) {
      assert.match(name, /^[A-Z]\w*$/)
      assert.isAbove(text.split(`"#/components/schemas/${name}"`).length, 2, name)
    }
  })

  it("says once what every choice of a union has, and of each what it alone has", () => {
    const { schemas = {} } = componentsOf(compact(description))
    const choice = schemas["PurchaseResult_depin_networks"] as {
      readonly allOf: readonly [Part, { readonly properties: Part; readonly required: ReadonlyArray<string> }]
    }
    assert.deepStrictEqual(choice.allOf[0], { $ref: "#/components/schemas/EveryPurchaseResult" })
    assert.deepStrictEqual(Object.keys(choice.allOf[1].properties), ["product_key", "data"])
    assert.sameMembers([...choice.allOf[1].required], ["product_key", "data"])
    const every = schemas["EveryPurchaseResult"] as { readonly properties: Part }
    assert.includeMembers(Object.keys(every.properties), ["price_paid", "purchase_id", "checkpoint"])
    assert.notProperty(every.properties, "data")
    assert.property(schemas, "EveryReceipt")
    // Problems are choices of many unions, and stay as they are.
    assert.notProperty(schemas["OverBudget"], "allOf")
  })

  it("has every example in a document of its own", () => {
    const examples = examplesOf(description) as {
      readonly operations: Readonly<Record<string, { readonly responses: object }>>
      readonly problems: object
    }
    assert.deepStrictEqual(Object.keys(examples.problems), Object.keys(description.components.examples))
    assert.deepStrictEqual(
      Object.keys(examples.operations),
      operationsOf(description).map(({ operation }) => operation.operationId)
    )
    assert.notMatch(JSON.stringify(compact(description)), /"example":|components\/examples/)
  })

  it("is within its limits", () => {
    isWithinLimit("bytes of /openapi.json", bytesOf(compact(description)))
    isWithinLimit("bytes of /openapi.json in short", bytesOf(short(description)))
  })
})

layer(Service.layer())("/openapi.json", (it) => {
  it.effect("gives a section alone, with all that it needs, in both forms", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const ids = new Set<string>()
      let largest = 0
      for (const { name } of description.tags) {
        for (const form of ["", "&form=short"]) {
          const reply = yield* call(`/openapi.json?section=${slug(name)}${form}`)
          assert.strictEqual(reply.status, 200, name)
          const part = json(reply) as unknown as Part & {
            readonly paths: Parameters<typeof operationsOf>[0]["paths"]
          }
          if (form === "") largest = Math.max(largest, reply.body.length)
          const components = componentsOf(part)
          const references = [...JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)]
          for (const [, section = "", component = ""] of references) {
            assert.property(components[section] ?? {}, component, `${name}: ${section}`)
          }
          for (const { operation } of operationsOf(part)) ids.add(operation.operationId)
        }
      }
      assert.strictEqual(ids.size, operationsOf(description).length)
      isWithinLimit("bytes of the largest section of /openapi.json", largest)
    })
  )

  it.effect("names the sections where there is no such one, and where its examples are", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const wrong = yield* call("/openapi.json?section=nothing")
      assert.strictEqual(wrong.status, 400)
      assert.deepInclude(json(wrong), {
        field: "section",
        valid_values: description.tags.map(({ name }) => slug(name))
      })
      const both = yield* call("/openapi.json?form=examples&section=history")
      assert.deepInclude(json(both), { status: 400, field: "section" })
      assert.strictEqual((yield* call("/openapi.json?form=long")).status, 400)
      const whole = json(yield* call("/openapi.json")) as { externalDocs?: { url?: string } }
      const address = new URL(whole.externalDocs?.url ?? "")
      const examples = yield* call(`${address.pathname}${address.search}`)
      assert.strictEqual(examples.status, 200)
      assert.property(json(examples), "operations")
    })
  )
})

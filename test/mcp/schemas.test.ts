/**
 * Arguments as the strictest clients take them. One schema that a model's interface does not take ends every call of the
 * session, also those that use no tool, so the rules are held over all tools of both editions:
 *
 * - OpenAI refuses an object without `properties` (openai-agents-python#449, codex#1150, kubernetes-mcp-server#717), a
 *   combination at the top, and a list without `items`; a description has at most 1,024 characters.
 * - Gemini takes a part of OpenAPI's schemas: one type for each member (gemini-cli#5694, ai-provider-for-google#33), no
 *   object without members (mcp-obsidian#21), `items` for every list (opencode#48073), `enum` for texts alone
 *   (mcp-jetbrains#71), and no other keywords, such as `additionalProperties` (promptfoo#6902).
 */
import { assert, describe, it } from "@effect/vitest"
import { inputsOf } from "../../core/credits/pricing.ts"
import { productKeys } from "../../core/products/index.ts"
import { coerceArguments } from "../../mcp/arguments.ts"
import { listOf } from "../../mcp/server.ts"

interface JsonSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly enum?: ReadonlyArray<unknown>
}

const keywords = ["type", "description", "properties", "required", "items", "enum"]
const types = ["object", "array", "string", "number", "integer", "boolean"]

/** What a strict client would refuse in a schema, each with where it is. */
const faultsOf = (schema: JsonSchema, path: string): ReadonlyArray<string> => {
  const { enum: values, items, properties, required = [], type } = schema
  const names = Object.keys(properties ?? {})
  const isTop = !path.includes(".")
  return [
    ...Object.keys(schema)
      .filter((keyword) => !keywords.includes(keyword))
      .map((keyword) => `${path}: keyword ${keyword}`),
    ...(typeof type === "string" && types.includes(type) ? [] : [`${path}: type ${JSON.stringify(type)}`]),
    ...((type === "object") === (properties !== undefined) ? [] : [`${path}: properties`]),
    ...(type === "object" && !isTop && names.length === 0 ? [`${path}: no members`] : []),
    ...((type === "array") === (items !== undefined) ? [] : [`${path}: items`]),
    ...(values === undefined || (type === "string" && values.every((value) => typeof value === "string"))
      ? []
      : [`${path}: enum`]),
    ...required.filter((name) => !names.includes(name)).map((name) => `${path}: requires ${name}`),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => faultsOf(member, `${path}.${name}`)),
    ...(items === undefined ? [] : faultsOf(items, `${path}.items`))
  ]
}

describe.each(["full", "public"] as const)("the tools of the %s edition", (edition) => {
  const { tools } = listOf(edition)

  it("show arguments that every client takes", () => {
    for (const { inputSchema, name } of tools) {
      assert.deepStrictEqual(faultsOf(inputSchema as JsonSchema, name), [], JSON.stringify(inputSchema))
      assert.strictEqual(inputSchema.type, "object")
    }
  })

  it("have names and descriptions that every client takes", () => {
    for (const { description = "", name } of tools) {
      assert.match(name, /^[a-z][a-z_]{0,62}$/)
      assert.isAbove(description.length, 20)
      assert.isAtMost(description.length, 1024)
    }
  })
})

it("the rules find what they are for", () => {
  const top = (member: unknown) => faultsOf({ type: "object", properties: { m: member as JsonSchema } }, "t")
  assert.deepStrictEqual(faultsOf({ type: "object" }, "t"), ["t: properties"])
  assert.deepStrictEqual(top({}), ["t.m: type undefined"])
  assert.deepStrictEqual(top({ type: ["string", "null"] }), ['t.m: type ["string","null"]'])
  assert.deepStrictEqual(top({ type: "object", properties: {} }), ["t.m: no members"])
  assert.deepStrictEqual(top({ type: "array" }), ["t.m: items"])
  assert.deepStrictEqual(top({ type: "integer", enum: [20, 99] }), ["t.m: enum"])
  assert.deepStrictEqual(top({ type: "string", format: "date" }), ["t.m: keyword format"])
})

it("purchase_data shows every input that a product takes, and no other", () => {
  const tool = listOf("full").tools.find(({ name }) => name === "purchase_data")
  const inputProperties =
    (tool?.inputSchema as JsonSchema | undefined)?.properties?.["inputs"]?.properties ?? {}
  const productInputs = productKeys.flatMap((key) => Object.keys(inputsOf(key)))
  assert.sameMembers(Object.keys(inputProperties), [...new Set(productInputs)])
})

it("query shows the limit that core takes", () => {
  const tool = listOf("full").tools.find(({ name }) => name === "query")
  const schema = tool?.inputSchema as JsonSchema | undefined
  assert.include(JSON.stringify(schema?.properties?.["limit"] ?? {}), "1 to 500,")
})

describe("arguments that a client sends otherwise", () => {
  const schema = {
    type: "object",
    properties: {
      limit: { type: "integer" },
      date: { type: "string" },
      inputs: { type: "object", properties: { days: { type: "integer" } } },
      values: { type: "array", items: { type: "object", properties: { value: { type: "number" } } } }
    }
  }

  it("are taken as what the schema says", () => {
    const plain = { limit: 5, date: "20260903", inputs: { days: 7 }, values: [{ value: 1.5 }] }
    assert.deepStrictEqual(coerceArguments(plain, schema), plain)
    assert.deepStrictEqual(
      coerceArguments({ ...plain, cursor: null, limit: "5", date: 20260903 }, schema),
      plain
    )
    assert.deepStrictEqual(
      coerceArguments(
        { ...plain, inputs: { days: "7", run: null }, values: [{ value: "1.5", as_of: null }] },
        schema
      ),
      plain
    )
    assert.deepStrictEqual(
      coerceArguments({ ...plain, inputs: '{"days":"7"}', values: '[{"value":1.5}]' }, schema),
      plain
    )
  })

  it("stay as they are where they say something else", () => {
    const other = { limit: "five", date: "", inputs: "none", values: "[", x: "5", __proto__: 1 }
    assert.deepStrictEqual(coerceArguments(other, schema), other)
    for (const limit of ["", " 5", "0x10", "1e3", "NaN", "9".repeat(40), true, [], {}]) {
      assert.deepStrictEqual(coerceArguments({ limit }, schema), { limit })
    }
  })
})

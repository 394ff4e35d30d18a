/** A plugin that is a file: all that `declare` reads as data, and nothing else. */
import { assert, describe, it } from "vitest"
import { type Answer, type Declaration, readDeclaration } from "../../core/plugin/declaration.ts"
import type { Declared } from "../../core/plugin/Manifest.ts"
import type { Query } from "../../core/plugin/shapes/declare.ts"
import type { Countries, Place } from "../../core/plugin/shapes/places.ts"
import { dataOf } from "../support/elsewhere.ts"

/** Compiles as long as a file can say what a query in code can, but for shapes. */
const asData = ({
  ask: _,
  ...query
}: Query<Readonly<Record<string, Place | Countries>>>): Omit<typeof Answer.Type, "ask"> => query

/** What code can say and a file cannot. Nothing compiles here where that becomes more. */
const onlyCode: {
  readonly answer: Exclude<keyof Query, keyof typeof Answer.Type>
  readonly manifest: Exclude<keyof Declared, keyof typeof Declaration.Type>
} extends { readonly answer: never; readonly manifest: "agreesWith" }
  ? "agreesWith"
  : never = "agreesWith"

const reasonOf = (more: object): string => {
  const read = readDeclaration(JSON.stringify(dataOf("acme", more)))
  return typeof read === "string" ? read : "it is read"
}

describe("plugin.json", () => {
  it("declares what code declares", () => {
    const read = readDeclaration(
      JSON.stringify(
        dataOf("acme", {
          metrics: {
            acme_nodes: { unit: "count", min: 0, meaning: "Nodes.", role: "headline" },
            "nodes_country_*": { unit: "count", min: 0, meaning: "Nodes, by country.", of: "countries" }
          },
          relations: [{ kind: "neverFalls", metric: "acme_nodes" }]
        })
      )
    )
    if (typeof read === "string") assert.fail(read)
    assert.isTrue(read.declared.metrics["nodes_country_*"]?.of?.includes("DE"))
    assert.strictEqual(read.answers?.length, 1)
    assert.deepStrictEqual(asData({ ask: "https://api.sample.test", figures: {} }), { figures: {} })
  })

  it("is refused for what is not data, not its own, or not there", () => {
    assert.match(reasonOf({ [onlyCode]: [] }), /agreesWith/)
    assert.match(reasonOf({ collect: "code" }), /collect/)
    assert.match(reasonOf({ every: "1 second" }), /a duration from 1 minute to 31 days/)
    assert.match(reasonOf({ hosts: ["127.0.0.1"] }), /hosts/)
    assert.match(reasonOf({ hosts: ["localhost"] }), /hosts/)
    assert.match(reasonOf({ source: "defillama" }), /source/)
    assert.match(reasonOf({ answers: [{ ask: "http://api.sample.test/", figures: {} }] }), /ask/)
    assert.match(
      reasonOf({ answers: [{ ask: "https://other.sample.test/", figures: {} }] }),
      /other\.sample\.test\/ is not of one of the hosts/
    )
    assert.match(
      reasonOf({ answers: [{ ask: "https://api.sample.test/", figures: { others: "n" } }] }),
      /others is not one of the metrics/
    )
    assert.match(reasonOf({ metrics: { "acme_nodes*": { unit: "count", meaning: "Nodes." } } }), /metrics/)
    assert.match(String(readDeclaration("{")), /is no JSON/)
    assert.strictEqual(reasonOf({}), "it is read")
  })

  it("names no variable of the service's own, and shows no key as a setting", () => {
    const key = (setting: string) => ({
      auth: { "api.sample.test": { setting, as: { header: "x-key" }, optional: true } }
    })
    assert.match(reasonOf(key("STRIPE_SECRET_KEY")), /PLUGIN_/)
    assert.match(reasonOf(key("PLUGIN_OTHER_KEY")), /does not begin with PLUGIN_ACME_/)
    assert.strictEqual(reasonOf(key("PLUGIN_ACME_KEY")), "it is read")
    assert.match(reasonOf({ ...key("PLUGIN_ACME_KEY"), settings: { key: "" } }), /settings/)
    assert.match(
      reasonOf({ ...key("PLUGIN_ACME_KEY"), settings: { key: "x" } }),
      /PLUGIN_ACME_KEY is a key, which no setting may show/
    )
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DataDictionaryResponse } from "../../../core/data/views/dataDictionary.ts"
import { HealthData } from "../../../core/data/views/health.ts"
import { HistoryResponse } from "../../../core/data/views/history.ts"
import { MarketResponse } from "../../../core/data/views/market.ts"
import { NetworkResponse } from "../../../core/data/views/network.ts"
import { NetworksResponse, TryResponse } from "../../../core/data/views/networks.ts"
import { ProvenanceResponse } from "../../../core/data/views/provenance.ts"
import { RevenueResponse } from "../../../core/data/views/revenue.ts"
import { RevisionsResponse } from "../../../core/data/views/revisions.ts"
import { SupplyResponse } from "../../../core/data/views/supply.ts"
import { WorldResponse } from "../../../core/data/views/world.ts"

const responses = {
  DataDictionaryResponse,
  HealthData,
  HistoryResponse,
  MarketResponse,
  NetworkResponse,
  NetworksResponse,
  ProvenanceResponse,
  RevenueResponse,
  RevisionsResponse,
  SupplyResponse,
  TryResponse,
  WorldResponse
}

/** Paths of the properties in a JSON Schema that neither describe themselves nor refer to what does (`$ref`, or `allOf` with one). */
const silent = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap((item, n) => silent(item, `${path}[${n}]`))
  if (typeof schema !== "object" || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "properties"
      ? Object.entries(value as object).flatMap(([name, property]) => [
          ...("description" in property || "$ref" in property || "allOf" in property
            ? []
            : [`${path}.${name}`]),
          ...silent(property, `${path}.${name}`)
        ])
      : silent(value, path)
  )
}

describe("the wire schemas", () => {
  it.each(Object.entries(responses))("%s describes every field", (name, response) => {
    const { definitions, schema } = Schema.toJsonSchemaDocument(response)
    const found = [
      ...silent(schema, name),
      ...Object.entries(definitions).flatMap(([id, definition]) => silent(definition, id))
    ]
    assert.deepStrictEqual(found, [])
  })

  it("notices a field that says nothing", () => {
    const { schema } = Schema.toJsonSchemaDocument(
      Schema.Struct({ said: Schema.Struct({ mute: Schema.String }) })
    )
    assert.deepStrictEqual(silent(schema, "X"), ["X.said", "X.said.mute"])
  })
})

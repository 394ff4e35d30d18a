import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DataDictionaryResponse } from "../../../core/data/read/dataDictionary.ts"
import { HealthData } from "../../../core/data/read/health.ts"
import { HistoryResponse } from "../../../core/data/read/history.ts"
import { MarketResponse } from "../../../core/data/read/market.ts"
import { NetworkResponse } from "../../../core/data/read/network.ts"
import { NetworksResponse, TryResponse } from "../../../core/data/read/networks.ts"
import { ProvenanceResponse } from "../../../core/data/read/provenance.ts"
import { RevenueResponse } from "../../../core/data/read/revenue.ts"
import { RevisionsResponse } from "../../../core/data/read/revisions.ts"
import { SupplyResponse } from "../../../core/data/read/supply.ts"
import { WorldResponse } from "../../../core/data/read/world.ts"
import { silent } from "../../support/silent.ts"

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

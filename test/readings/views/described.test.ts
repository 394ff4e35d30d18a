import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { DataDictionaryResponse } from "../../../core/wire/data/dataDictionary.ts"
import { HealthData } from "../../../core/wire/data/health.ts"
import { HistoryResponse } from "../../../core/wire/data/history.ts"
import { MarketResponse } from "../../../core/wire/data/market.ts"
import { NetworkResponse } from "../../../core/wire/data/network.ts"
import { NetworksResponse, TryResponse } from "../../../core/wire/data/networks.ts"
import { ProvenanceResponse } from "../../../core/wire/data/provenance.ts"
import { RevenueResponse } from "../../../core/wire/data/revenue.ts"
import { RevisionsResponse } from "../../../core/wire/data/revisions.ts"
import { SupplyResponse } from "../../../core/wire/data/supply.ts"
import { WorldResponse } from "../../../core/wire/data/world.ts"
import { undescribed } from "../../support/undescribed.ts"

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
    const missing = [
      ...undescribed(schema, name),
      ...Object.entries(definitions).flatMap(([id, definition]) => undescribed(definition, id))
    ]
    assert.deepStrictEqual(missing, [])
  })

  it("notices a field that says nothing", () => {
    const { schema } = Schema.toJsonSchemaDocument(
      Schema.Struct({ said: Schema.Struct({ mute: Schema.String }) })
    )
    assert.deepStrictEqual(undescribed(schema, "X"), ["X.said", "X.said.mute"])
  })
})

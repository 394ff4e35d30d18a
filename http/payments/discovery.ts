/**
 * The x402 extension `bazaar`: what a resource takes and returns, for catalogs of paid resources. It travels in headers, so the
 * schema of the data names its members and their types only; the OpenAPI document has the whole.
 */
import { OpenApi } from "effect/http-api"
import { isRecord } from "../../core/proof/canonical.ts"
import { takesKnownAt } from "../../core/wire/products/pointInTime.ts"
import { Api } from "../api/Api.ts"
import { lazily } from "../routing/lazy.ts"

type Schemas = Readonly<Record<string, unknown>>

/** Follows references within the document. */
const resolved = (schema: unknown, schemas: Schemas): unknown => {
  const reference = isRecord(schema) ? schema["$ref"] : undefined
  return typeof reference === "string"
    ? resolved(schemas[reference.split("/").at(-1) ?? ""], schemas)
    : schema
}

const typeOf = (schema: unknown, schemas: Schemas) => {
  const whole = resolved(schema, schemas)
  const type = isRecord(whole) ? whole["type"] : undefined
  return typeof type === "string" ? { type } : {}
}

/** An object schema with the types of its members. */
const outline = (schema: unknown, schemas: Schemas) => {
  const whole = resolved(schema, schemas)
  const { properties } = isRecord(whole) ? whole : {}
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(isRecord(properties) ? properties : {}).map(([name, member]) => [
        name,
        typeOf(member, schemas)
      ])
    )
  }
}

/** What each product's resource takes and returns. */
export const makeDiscovery = (baseUrl: string) => {
  const allSchemas = lazily((): Schemas => OpenApi.fromApi(Api).components.schemas)
  const cache = new Map<string, ReturnType<typeof discoveryOf>>()
  const discoveryOf = (product: string) => {
    const schemas = allSchemas()
    const sale = outline({ $ref: `X402Sale_${product}` }, schemas)
    const whole = resolved({ $ref: `X402Sale_${product}` }, schemas)
    const properties = isRecord(whole) && isRecord(whole["properties"]) ? whole["properties"] : {}
    const data = outline(properties["data"], schemas)
    return {
      bazaar: {
        info: {
          input: { type: "http", method: "GET", queryParams: {} },
          output: { type: "json", schema: `${baseUrl}/x402/openapi.json` }
        },
        schema: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            input: {
              type: "object",
              properties: {
                type: { type: "string", const: "http" },
                method: { type: "string", enum: ["GET"] },
                queryParams: {
                  type: "object",
                  properties: {
                    as_known_at: { type: "string", description: takesKnownAt },
                    min_as_of: {
                      type: "string",
                      description: "ISO 8601 time in UTC: charge nothing if any value of the data is older"
                    }
                  },
                  additionalProperties: false
                }
              },
              required: ["type", "method"],
              additionalProperties: false
            },
            output: {
              type: "object",
              properties: {
                type: { type: "string" },
                schema: { type: "string" },
                example: { ...sale, properties: { ...sale.properties, data } }
              },
              required: ["type"]
            }
          },
          required: ["input"]
        }
      }
    }
  }
  return (product: string) => {
    const discovery = cache.get(product) ?? discoveryOf(product)
    cache.set(product, discovery)
    return discovery
  }
}

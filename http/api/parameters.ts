/** Parameters that several endpoints take, with the words that a refusal says of them. */
import { Schema, SchemaTransformation } from "effect"
import type { OpenApi } from "effect/http-api"

const bounds = new Map<string, { readonly minimum: number; readonly maximum: number }>()

/** Text of digits on the wire, a number beside it: core holds the bounds, the description names them. */
export const wholeNumber = (minimum: number, maximum: number, what: string) => {
  const description = `a whole number from ${minimum} to ${maximum}: ${what}`
  bounds.set(description, { minimum, maximum })
  return Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^\d{1,15}$/))
      .annotate({ description })
      .pipe(Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString))
  )
}

export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const cursor = text(
  "where the page begins: `next_cursor` of the page before; its header `Link` has the whole address"
)

export const symbol = Schema.String.annotate({
  description: "a symbol of /v1/networks; subnets are SN0 to SN128",
  examples: ["FIL"]
})

export const optionalSymbol = Schema.optionalKey(symbol)

/** Shows whole numbers as such: on the wire they are text, as every parameter is. */
export const showWholeNumbers = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          typeof operation === "object" && "parameters" in operation
            ? { ...operation, parameters: operation.parameters.map(whole) }
            : operation
        ])
      )
    ])
  )
})

const whole = (parameter: OpenApi.OpenAPISpecParameter): OpenApi.OpenAPISpecParameter => {
  const schema: { readonly description?: string } = parameter.schema
  const found = bounds.get(schema.description ?? "")
  return found === undefined
    ? parameter
    : { ...parameter, schema: { type: "integer", ...found, description: schema.description } }
}

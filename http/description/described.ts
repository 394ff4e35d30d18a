/** What the documentation's samples and forms take from the description of an operation. */
import { isObject, type Operation, type Parameter, type Place } from "./document.ts"
import type { AnswerKind, DescribedRequest, RequestParameter } from "./requests.ts"

const textsOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])

const parameterOf = ({ in: place, name, required, schema }: Parameter): ReadonlyArray<RequestParameter> => {
  if (place !== "path" && place !== "query") return []
  const { enum: listed, examples, type } = isObject(schema) ? schema : {}
  const values = textsOf(listed)
  const [example] = textsOf(examples)
  return [
    {
      name,
      in: place,
      required,
      isNumber: type === "number" || type === "integer",
      ...(values.length === 0 ? {} : { values }),
      ...(example === undefined ? {} : { example })
    }
  ]
}

const answerOf = ({ responses }: Operation): AnswerKind => {
  const success = responses["200"]
  const types = success !== undefined && "content" in success ? Object.keys(success.content ?? {}) : []
  const [type = "application/json"] = types
  if (types.some((one) => one.startsWith("application/json"))) return "json"
  if (type === "text/event-stream") return "stream"
  return type.startsWith("text/") || type === "application/x-ndjson" ? "text" : "bytes"
}

const header = (operation: Operation, name: string): boolean =>
  operation.parameters.some((one) => one.in === "header" && one.name === name)

const keyOf = (operation: Operation): DescribedRequest["key"] => {
  const { security } = operation
  if (security.length === 0) return header(operation, "x-api-key") ? "optional" : "none"
  return security.every((way) => "apiKey" in way) ? "required" : "optional"
}

export const describedRequest = ({ method, operation, path }: Place): DescribedRequest => {
  const media = operation.requestBody?.content["application/json"]
  return {
    method,
    path,
    takesIdempotencyKey: header(operation, "idempotency-key"),
    key: keyOf(operation),
    parameters: operation.parameters.flatMap(parameterOf),
    ...(media === undefined ? {} : { body: media.example ?? {} }),
    answer: answerOf(operation)
  }
}

/** Its answer is given once: whoever looks at it here takes it from the one whom it is for. */
const readOnce: ReadonlySet<string> = new Set(["buy.bySession", "buy.keyBySession"])

/** They read or compute, and neither cost nor change anything. */
export const harmlessPosts: ReadonlySet<string> = new Set([
  "keyless.query",
  "credits.purchaseDryRun",
  "manifold.distance"
])

/**
 * Whether the page has a form that sends the request. It never pays, and never changes an account: every other POST is left
 * to programs, and so is what a wallet pays per request.
 */
export const canBeTried = ({ method, operation }: Place): boolean =>
  !header(operation, "payment-signature") &&
  (method === "GET" ? !readOnce.has(operation.operationId) : harmlessPosts.has(operation.operationId))

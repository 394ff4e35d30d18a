/** The description as a collection of Postman (format 2.1), which Postman, Bruno, Hoppscotch and Insomnia import. */
import {
  type Document,
  isObject,
  type Operation,
  operationsOf,
  type Parameter
} from "../../description/document.ts"

const format = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

/** Replaces `{name}` by the form of a path variable. */
const segments = (path: string): ReadonlyArray<string> =>
  path
    .slice(1)
    .split("/")
    .map((segment) => segment.replace(/^\{(.+)\}$/, ":$1"))

const exampleOf = ({ schema }: Parameter): string => {
  if (!isObject(schema)) return ""
  const { default: byDefault, enum: values, examples } = schema
  const [first] = [examples, values].flatMap((list) => (Array.isArray(list) ? list : []))
  return String(first ?? byDefault ?? "")
}

const meaningOf = ({ schema }: Parameter): string =>
  isObject(schema) && typeof schema["description"] === "string" ? schema["description"] : ""

const variable = (parameter: Parameter) => ({
  key: parameter.name,
  value: exampleOf(parameter),
  description: meaningOf(parameter)
})

/** What is not needed is there, and off. */
const query = (parameter: Parameter) => ({ ...variable(parameter), disabled: !parameter.required })

const placed = (operation: Operation, place: string): ReadonlyArray<Parameter> =>
  operation.parameters.filter((one) => one.in === place)

const bodyOf = ({ requestBody }: Operation) => {
  const media = requestBody?.content["application/json"]
  return media === undefined
    ? {}
    : {
        body: {
          mode: "raw",
          raw: JSON.stringify(media.example ?? {}, null, 2),
          options: { raw: { language: "json" } }
        }
      }
}

const needsKey = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((one) => Object.hasOwn(one, "apiKey"))

const item = (method: string, path: string, operation: Operation) => ({
  name: operation.summary ?? operation.operationId,
  request: {
    method,
    description: operation.description ?? "",
    header: operation.requestBody === undefined ? [] : [{ key: "Content-Type", value: "application/json" }],
    ...(needsKey(operation) ? {} : { auth: { type: "noauth" } }),
    url: {
      raw: `{{baseUrl}}${path}`,
      host: ["{{baseUrl}}"],
      path: segments(path),
      variable: placed(operation, "path").map(variable),
      query: placed(operation, "query").map(query)
    },
    ...bodyOf(operation)
  }
})

/** Each section is a folder; requests that take a key take the collection's variable `apiKey`. */
export const postman = (description: Document, baseUrl: string) => {
  const places = operationsOf(description)
  return {
    info: { name: description.info.title, description: description.info.description ?? "", schema: format },
    auth: {
      type: "apikey",
      apikey: [
        { key: "key", value: "X-API-Key" },
        { key: "value", value: "{{apiKey}}" },
        { key: "in", value: "header" }
      ]
    },
    variable: [
      { key: "baseUrl", value: baseUrl },
      { key: "apiKey", value: "" }
    ],
    item: description.tags.map((tag) => ({
      name: tag.name,
      description: tag.description ?? "",
      item: places
        .filter(({ operation }) => operation.tags.includes(tag.name))
        .map(({ method, operation, path }) => item(method, path, operation))
    }))
  }
}

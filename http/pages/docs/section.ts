/** One section of the documentation: its operations, each with a call and an example, and the schemas that they use. */
import {
  type Document,
  isObject,
  type Media,
  nameOf,
  type Operation,
  operationsOf,
  type Parameter,
  type Place,
  type Response,
  responseOf
} from "../../description/document.ts"
import { reachableSchemas } from "../../description/schemas.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { prose } from "../../explorer/html/prose.ts"
import { anchor, block, code, namedSchema, trail, typeOf } from "./html.ts"

/** Operations of a section, in order. */
export const placesOf = (document: Document, section: string): ReadonlyArray<Place> =>
  operationsOf(document).filter(({ operation }) => operation.tags[0] === section)

/** HTML of the page's body. */
export const section = (document: Document, baseUrl: string, name: string): string => {
  const places = placesOf(document, name)
  const used = reachableSchemas(
    document.components.schemas,
    places.map(({ operation }) => [
      operation.requestBody,
      // Refusals are explained on pages of their own.
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) < 400)
        .map(([, response]) => response)
    ])
  )
  return `
${trail(name)}
<h1>${escapeXml(name)}</h1>
<p>${prose(document.tags.find((tag) => tag.name === name)?.description ?? "")}</p>
<nav aria-label="Endpoints"><ul>
${places
  .map(
    ({ method, operation, path }) =>
      `<li><a href="#${anchor(operation.operationId)}">${code(`${method} ${path}`)}</a></li>`
  )
  .join("\n")}
</ul></nav>
${places.map((place) => described(document, baseUrl, place)).join("\n")}
<h2>Schemas</h2>
${[...used]
  .toSorted()
  .map((schema) => namedSchema(schema, document.components.schemas[schema] ?? {}))
  .join("\n")}`
}

const described = (document: Document, baseUrl: string, { method, operation, path }: Place) => `
<section id="${anchor(operation.operationId)}">
<h2>${code(`${method} ${path}`)} ${escapeXml(operation.summary ?? "")}</h2>
${operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`}
${method === "GET" ? block(sampleOf(baseUrl, path, operation)) : ""}
${operation.parameters.length === 0 ? "" : parameters(operation.parameters)}
${body(operation)}
<table><tr><th>Status</th><th>Response</th></tr>
${Object.entries(operation.responses)
  .map(
    ([status, response]) =>
      `<tr><td>${escapeXml(status)}</td><td>${answers(document, responseOf(document, response))}</td></tr>`
  )
  .join("\n")}
</table>
${example(operation)}
</section>`

/** A curl command with what is required and what has an example. Required parameters without one remain as placeholders. */
const sampleOf = (baseUrl: string, path: string, operation: Operation): string => {
  const exampleOf = ({ schema }: Parameter): string | undefined => {
    const { enum: values, examples } = isObject(schema) ? schema : {}
    const first: unknown = [examples, values].find(Array.isArray)?.[0]
    return first === undefined ? undefined : String(first)
  }
  const hasExample = ({ schema }: Parameter): boolean => isObject(schema) && "examples" in schema
  const filled = path.replace(/\{(\w+)\}/g, (place, name: string) => {
    const parameter = operation.parameters.find((one) => one.name === name)
    return (parameter === undefined ? undefined : exampleOf(parameter)) ?? place
  })
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && (parameter.required || hasExample(parameter)))
    .map((parameter) => `${parameter.name}=${exampleOf(parameter) ?? `{${parameter.name}}`}`)
  const keyed = operation.security.length > 0 && operation.security.every((way) => "apiKey" in way)
  return `curl${keyed ? " -H 'X-API-Key: <your key>'" : ""} '${baseUrl}${filled}${query.length === 0 ? "" : `?${query.join("&")}`}'`
}

const parameters = (list: ReadonlyArray<Parameter>): string => `
<table><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr>
${list
  .map(({ in: place, name, required, schema }) => {
    const meaning = isObject(schema) && typeof schema["description"] === "string" ? schema["description"] : ""
    return `<tr><td>${code(name)}${required ? " (required)" : ""}</td><td>${escapeXml(place)}</td><td>${prose(meaning)}</td></tr>`
  })
  .join("\n")}
</table>`

const body = ({ requestBody }: Operation): string =>
  requestBody === undefined
    ? ""
    : `<p>Body:</p>${Object.entries(requestBody.content)
        .map(([type, media]) => `<p>${code(type)} ${typeOf(media.schema)}</p>${membersOf(media.schema)}`)
        .join("")}`

/** Members of a body whose schema has no name. */
const membersOf = (schema: unknown): string => {
  const properties = isObject(schema) && schema["$ref"] === undefined ? schema["properties"] : undefined
  const required = isObject(schema) && Array.isArray(schema["required"]) ? schema["required"] : []
  return isObject(properties)
    ? parameters(
        Object.entries(properties).map(([name, member]) => ({
          name,
          in: "body",
          required: required.includes(name),
          schema: member
        }))
      )
    : ""
}

const answers = (document: Document, { content, description }: Response): string =>
  content === undefined
    ? prose(description)
    : Object.entries(content)
        .map(([type, media]) =>
          type === "application/problem+json"
            ? problemLinks(document, media)
            : `${code(type)} ${typeOf(media.schema)}`
        )
        .join("<br>")

/** Links to the pages of the problems of a refusal. */
const problemLinks = (document: Document, { schema }: Media): string => {
  const of = isObject(schema) ? (schema["anyOf"] ?? [schema]) : []
  const text = JSON.stringify(
    Array.isArray(of)
      ? of.map((each) =>
          isObject(each) ? (document.components.schemas[nameOf(String(each["$ref"]))] ?? each) : each
        )
      : of
  )
  const types = [...new Set([...text.matchAll(/"(\/problems\/[a-z0-9-]+)"/g)].map(([, type = ""]) => type))]
  return types
    .map((type) => `<a href="${escapeXml(type)}">${escapeXml(type.slice("/problems/".length))}</a>`)
    .join(", ")
}

const example = ({ responses }: Operation): string => {
  const response = responses["200"]
  if (response === undefined || "$ref" in response) return ""
  return Object.entries(response.content ?? {})
    .flatMap(([type, { example }]) =>
      example === undefined
        ? []
        : `<details><summary>Example (${escapeXml(type.split(";")[0] ?? "")}), shortened</summary>${block(
            typeof example === "string" ? example : JSON.stringify(example, null, 2)
          )}</details>`
    )
    .join("")
}

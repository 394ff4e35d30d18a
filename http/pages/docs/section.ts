/** One section of the documentation: its operations, each with a call and an example, and the schemas that they use. */

import { canBeTried, describedRequest } from "../../description/described.ts"
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
import { exampleValues, type Tried } from "../../description/requests.ts"
import { samplesOf } from "../../description/samples.ts"
import { reachableSchemas } from "../../description/schemas.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { prose } from "../../explorer/html/prose.ts"
import { scriptJson } from "../../explorer/html/scriptJson.ts"
import { type Heading, row, sampleTabs } from "./columns.ts"
import { anchor, block, code, namedSchema, typeOf } from "./html.ts"

/** Operations of a section, in order. */
export const placesOf = (document: Document, section: string): ReadonlyArray<Place> =>
  operationsOf(document).filter(({ operation }) => operation.tags[0] === section)

/** A section with the headings of its operations, for the navigation. */
export const headingsOf = (document: Document, name: string): ReadonlyArray<Heading> =>
  placesOf(document, name).map(({ method, operation, path }) => ({
    id: anchor(operation.operationId),
    text: code(`${method} ${path}`)
  }))

/** HTML of the page's body. */
export const section = (document: Document, baseUrl: string, name: string): string => {
  const places = placesOf(document, name)
  const used = reachableSchemas(
    document.components.schemas,
    places.map(({ operation }) => [
      operation.requestBody,
      // Refusals are explained on pages of their own.
      Object.entries(operation.responses)
        .filter(([status]) => !isRefusal(status))
        .map(([, response]) => response)
    ])
  )
  const schemas = [...used]
    .toSorted()
    .map((schema) => namedSchema(schema, document.components.schemas[schema] ?? {}))
  return `
${row(`<h1>${escapeXml(name)}</h1>
<p>${prose(document.tags.find((tag) => tag.name === name)?.description ?? "")}</p>`)}
${places.map((place) => described(document, baseUrl, place)).join("\n")}
${schemas.length === 0 ? "" : row(`<h2>Schemas</h2>${schemas.join("\n")}`, "", "schemas")}
${triedRequests(baseUrl, places)}`
}

const isRefusal = (status: string): boolean => Number(status) >= 400

/** What the forms of the page send, for the script that makes them. */
const triedRequests = (baseUrl: string, places: ReadonlyArray<Place>): string => {
  const requests: Tried = {
    baseUrl,
    requests: Object.fromEntries(
      places.filter(canBeTried).map((place) => [anchor(place.operation.operationId), describedRequest(place)])
    )
  }
  return `<script type="application/json" id="requests">${scriptJson(requests)}</script>`
}

const described = (document: Document, baseUrl: string, place: Place): string => {
  const { method, operation, path } = place
  const id = anchor(operation.operationId)
  const request = describedRequest(place)
  const [refusals, answered] = [true, false].map((refused) =>
    Object.entries(operation.responses).filter(([status]) => isRefusal(status) === refused)
  )
  return row(
    `<h2>${code(`${method} ${path}`)} ${escapeXml(operation.summary ?? "")}</h2>
${operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`}
${operation.parameters.length === 0 ? "" : parameters(operation.parameters)}
${body(operation)}
<table><tr><th>Status</th><th>Response</th></tr>
${(answered ?? [])
  .map(
    ([status, response]) =>
      `<tr><td>${escapeXml(status)}</td><td>${answers(document, responseOf(document, response))}</td></tr>`
  )
  .join("\n")}
<tr><td>Refusals</td><td>${(refusals ?? [])
      .map(
        ([status, response]) => `${escapeXml(status)} ${answers(document, responseOf(document, response))}`
      )
      .join("; ")}</td></tr>
</table>`,
    `${sampleTabs(id, samplesOf(baseUrl, request, exampleValues(request)))}
${canBeTried(place) ? `<details class="try needs-script" data-of="${id}"><summary>Try it</summary></details>` : ""}
${example(operation)}`,
    id
  )
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
        : `<details open><summary>Example (${escapeXml(type.split(";")[0] ?? "")}), shortened</summary>${block(
            typeof example === "string" ? example : JSON.stringify(example, null, 2)
          ).replace("<pre>", '<pre tabindex="0">')}</details>`
    )
    .join("")
}

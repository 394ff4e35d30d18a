/** The documentation page, generated from the OpenAPI description, the limits and the extra routes. */
import type { OpenApi } from "effect/http-api"
import type { ExtraRoute } from "../ExtraRoutes.ts"
import { escape } from "./page.ts"

type JsonSchema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null

const code = (text: string): string => `<code>${escape(text)}</code>`

/** Escapes prose and turns `backticks` into code. */
const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

const anchor = (id: string): string => id.replace(/[^A-Za-z0-9]+/g, "-")

/** What the page shows besides the API description. */
interface Context {
  readonly baseUrl: string
  readonly mode: string
  readonly limits: ReadonlyArray<string>
  readonly extraRoutes: ReadonlyArray<Pick<ExtraRoute, "method" | "path" | "summary">>
}

/** HTML of the page's body. */
export const docs = (
  document: OpenApi.OpenAPISpec,
  { baseUrl, extraRoutes, limits, mode }: Context
): string => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path, method: method.toUpperCase(), operation }]
    })
  )
  return `
<h1>${escape(document.info.title)} ${escape(document.info.version)}</h1>
${mode === "live" ? "" : `<p class="banner">This service runs in ${escape(mode)} mode: nothing it serves is live data.</p>`}
<p>${prose(document.info.description ?? "")}</p>
<p>Base URL ${code(baseUrl)} · <a href="/openapi.json">OpenAPI description</a> ·
<a href="/.well-known/service-signing-key.json">public keys</a> · <a href="/terms">terms</a></p>
${verifying(baseUrl)}
<h2 id="errors">Errors</h2>
<p>Every error is an RFC 9457 problem (${code("application/problem+json")}): its ${code("type")} is the path of a page on
this service that explains it. ${code("error")} and ${code("message")} are always present; ${code("field")},
${code("valid_values")} and other members are included where they help.</p>
<h2 id="limits">Limits</h2>
${limits.map((text) => `<p>${prose(text)}</p>`).join("\n")}
<nav><h2 id="endpoints">Endpoints</h2>
${[...Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? "")]
  .map(([tag, of]) => group(document, tag, of))
  .join("\n")}
${extraRoutes.length === 0 ? "" : others(extraRoutes)}
</nav>
${operations.map((entry) => section(document, baseUrl, entry)).join("\n")}
<h2>Schemas</h2>
${Object.entries(document.components.schemas)
  .map(([name, schema]) => namedSchema(name, schema))
  .join("\n")}`
}

const verifying = (baseUrl: string): string => `
<h2 id="verify">Verifying a response</h2>
<p>Every response carries ${code("X-Service-Timestamp")}, ${code("X-Service-Signature")} and
${code("X-Service-Signing-Key")}. The signature is Ed25519 over the text</p>
<pre><code>service-v1|&lt;sha256 of the body, lower-case hex&gt;|&lt;X-Service-Timestamp&gt;|&lt;path without the query&gt;</code></pre>
<p>where the body is the bytes after content decoding and the path is exactly as you sent it. In addition,
${code("Signature-Input")} and ${code("Signature")} (RFC 9421) cover the query, the method and the status, and the
digest of the body in ${code("Unencoded-Digest")}. A 304 carries only the first three headers, for the body that it
confirms, and no RFC 9421 signature.</p>
<pre><code>curl -si '${escape(baseUrl)}/v1/world'</code></pre>`

const group = (document: OpenApi.OpenAPISpec, tag: string, entries: ReadonlyArray<Entry>): string => `
<h3>${escape(tag)}</h3>
<p>${prose(document.tags.find(({ name }) => name === tag)?.description ?? "")}</p>
<ul>
${entries
  .map(
    ({ method, operation, path }) =>
      `<li><a href="#${anchor(operation.operationId)}">${code(`${method} ${path}`)}</a></li>`
  )
  .join("\n")}
</ul>`

const others = (extraRoutes: Context["extraRoutes"]): string => `
<h3>Other endpoints</h3>
<ul>
${extraRoutes
  .map(({ method, path, summary }) => {
    const name = code(`${method} ${path}`)
    return `<li>${method === "GET" ? `<a href="${escape(path)}">${name}</a>` : name} ${escape(summary)}</li>`
  })
  .join("\n")}
</ul>`

interface Entry {
  readonly path: string
  readonly method: string
  readonly operation: OpenApi.OpenAPISpecOperation
}

const section = (document: OpenApi.OpenAPISpec, baseUrl: string, { method, operation, path }: Entry) => `
<section id="${anchor(operation.operationId)}">
<h3>${code(`${method} ${path}`)} ${escape(operation.summary ?? "")}</h3>
${operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`}
${operation.parameters.length === 0 ? "" : parameters(operation.parameters)}
${body(operation)}
<table><tr><th>Status</th><th>Response</th></tr>
${Object.entries(operation.responses)
  .map(
    ([status, response]) =>
      `<tr><td>${escape(status)}</td><td>${answers(document, response.content, response.description)}</td></tr>`
  )
  .join("\n")}
</table>
${method === "GET" ? `<pre><code>${escape(sampleOf(baseUrl, path, operation))}</code></pre>` : ""}
</section>`

/** A curl command. Required parameters without an example remain as placeholders. */
const sampleOf = (baseUrl: string, path: string, operation: OpenApi.OpenAPISpecOperation): string => {
  const exampleOf = (name: string): string | undefined => {
    const schema = operation.parameters.find((parameter) => parameter.name === name)?.schema
    const { enum: values, examples }: JsonSchema = isSchema(schema) ? schema : {}
    const first: unknown = Array.isArray(examples)
      ? examples[0]
      : Array.isArray(values)
        ? values[0]
        : undefined
    return first === undefined ? undefined : String(first)
  }
  const filled = path.replace(/\{(\w+)\}/g, (place, name: string) => exampleOf(name) ?? place)
  const query = operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=${exampleOf(name) ?? `{${name}}`}`)
  const keyed = operation.security.length > 0 && operation.security.every((way) => "apiKey" in way)
  return `curl${keyed ? " -H 'X-API-Key: <your key>'" : ""} '${baseUrl}${filled}${query.length === 0 ? "" : `?${query.join("&")}`}'`
}

const parameters = (list: ReadonlyArray<OpenApi.OpenAPISpecParameter>): string => `
<table><tr><th>Parameter</th><th>In</th><th></th></tr>
${list
  .map((parameter) => {
    const schema: JsonSchema = isSchema(parameter.schema) ? parameter.schema : {}
    const said = typeof schema["description"] === "string" ? schema["description"] : ""
    return `<tr><td>${code(parameter.name)}${parameter.required ? " (required)" : ""}</td><td>${escape(
      parameter.in
    )}</td><td>${prose(said)}</td></tr>`
  })
  .join("\n")}
</table>`

const body = (operation: OpenApi.OpenAPISpecOperation): string => {
  const content = operation.requestBody?.content
  return content === undefined
    ? ""
    : `<p>Body:</p>${Object.entries(content)
        .map(([type, media]) => `<p>${code(type)} ${typeOf(media.schema)}</p>`)
        .join("")}`
}

const answers = (
  document: OpenApi.OpenAPISpec,
  content: Readonly<Record<string, { readonly schema: unknown }>> | undefined,
  description: string
): string =>
  content === undefined
    ? prose(description)
    : Object.entries(content)
        .map(
          ([type, media]) => `${code(type)} ${typeOf(media.schema)}${problemLinks(document, media.schema)}`
        )
        .join("<br>")

/** Links to the pages of the problems in a schema. */
const problemLinks = (document: OpenApi.OpenAPISpec, schema: unknown): string => {
  const text = JSON.stringify(resolve(document, schema))
  const types = [...new Set([...text.matchAll(/"(\/problems\/[a-z-]+)"/g)].map((match) => match[1] ?? ""))]
  return types.map((type) => ` <a href="${escape(type)}">${escape(type)}</a>`).join("")
}

const resolve = (document: OpenApi.OpenAPISpec, schema: unknown): unknown => {
  if (!isSchema(schema)) return schema
  const reference = schema["$ref"]
  if (typeof reference === "string") return document.components.schemas[nameOf(reference)] ?? {}
  const either = schema["anyOf"]
  return Array.isArray(either) ? either.map((member) => resolve(document, member)) : schema
}

const nameOf = (reference: string): string => reference.split("/").at(-1) ?? ""

/** A schema in one line, with links to named schemas. */
const typeOf = (schema: unknown): string => {
  if (!isSchema(schema)) return "anything"
  const { $ref, additionalProperties, anyOf, enum: values, items, type } = schema
  if (typeof $ref === "string") {
    const name = nameOf($ref)
    return `<a href="#schema-${anchor(name)}">${escape(name)}</a>`
  }
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(" or ")
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" or ")
  if (type === "array") return `list of ${typeOf(items)}`
  if (type === "object" && isSchema(additionalProperties)) return `object of ${typeOf(additionalProperties)}`
  return escape(typeof type === "string" ? type : "anything")
}

const namedSchema = (name: string, schema: unknown): string => {
  const { description, properties, required } = isSchema(schema) ? schema : {}
  const needed = Array.isArray(required) ? required : []
  const rows = isSchema(properties)
    ? Object.entries(properties).map(([field, value]) => {
        const said = isSchema(value) && typeof value["description"] === "string" ? value["description"] : ""
        return `<tr><td>${code(field)}${needed.includes(field) ? "" : " (optional)"}</td><td>${typeOf(
          value
        )}</td><td>${prose(said)}</td></tr>`
      })
    : []
  return `<details id="schema-${anchor(name)}" open><summary><strong>${escape(name)}</strong> ${prose(
    typeof description === "string" ? description : ""
  )}</summary>${
    rows.length === 0
      ? `<p>${typeOf(schema)}</p>`
      : `<table><tr><th>Field</th><th>Type</th><th></th></tr>${rows.join("\n")}</table>`
  }</details>`
}

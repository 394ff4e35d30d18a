/**
 * The OpenAPI document that clients get (`/openapi.json`, `/docs`, generated clients): the one of the definition, with plain
 * names, open answers, headers, examples and sections.
 */
import { OpenApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import {
  type Document,
  isObject,
  mapMedia,
  mapOperations,
  nameOf,
  operationsOf,
  type Response
} from "./document.ts"
import { withExamples } from "./examples.ts"
import { withHeaders } from "./headers.ts"
import { inFamiliarForms, open, reachableSchemas, withPlainNames } from "./schemas.ts"
import { inSections } from "./sections.ts"

/** The generated document in our form; it has no parameters of whole paths, and no streams. */
const generated = (): Document => {
  const { components, info, openapi, paths, tags } = withPlainNames(OpenApi.fromApi(Api))
  const operations: Record<string, Document["paths"][string]> = {}
  for (const [path, { delete: remove, get, post }] of Object.entries(paths)) {
    operations[path] = {
      ...(get === undefined ? {} : { get }),
      ...(post === undefined ? {} : { post }),
      ...(remove === undefined ? {} : { delete: remove })
    }
  }
  return {
    openapi,
    info,
    tags,
    paths: inFamiliarForms(operations),
    components: {
      schemas: inFamiliarForms(components.schemas),
      securitySchemes: { ...components.securitySchemes },
      responses: {},
      headers: {},
      examples: {}
    }
  }
}

/** A member that is new in an answer must not break a client, so answers are open. Bodies that clients send are closed. */
const withOpenAnswers = (document: Document): Document => {
  const { schemas } = document.components
  const requestSchemas = reachableSchemas(
    schemas,
    operationsOf(document).map(({ operation }) => operation.requestBody)
  )
  return {
    ...document,
    components: {
      ...document.components,
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => {
          const opened = requestSchemas.has(name) ? schema : open(schema)
          return [name, isObject(opened) ? opened : schema]
        })
      )
    },
    paths: mapOperations(document, (operation) =>
      mapMedia(operation, (media, type) => ({
        ...media,
        schema: open(type === "application/json" ? asJson(media.schema) : media.schema)
      }))
    )
  }
}

/** Bodies of the log are texts to be hashed, which the definition says; what is in them is JSON all the same. */
const asJson = (schema: unknown): unknown => {
  if (!isObject(schema) || schema["type"] !== "string") return schema
  const { type: _, ...any } = schema
  return any
}

/** The name of a problem's class, if the response is of one problem alone. */
const problemOf = (response: Response): string | undefined => {
  const { schema } = response.content?.["application/problem+json"] ?? {}
  const reference = isObject(schema) ? schema["$ref"] : undefined
  return typeof reference === "string" ? nameOf(reference) : undefined
}

/** The document with each refusal that many operations share written once. */
const withSharedRefusals = (document: Document): Document => {
  const responses: Record<string, Response> = {}
  const paths = mapOperations(document, (operation) => ({
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => {
        const name = "$ref" in response ? undefined : problemOf(response)
        if ("$ref" in response || name === undefined) return [status, response]
        responses[name] ??= response
        const shared = JSON.stringify(responses[name]) === JSON.stringify(response)
        return [status, shared ? { $ref: `#/components/responses/${name}` } : response]
      })
    )
  }))
  return { ...document, paths, components: { ...document.components, responses } }
}

export const description: Document = [
  withOpenAnswers,
  inSections,
  withHeaders,
  withExamples,
  withSharedRefusals
].reduce((document, step) => step(document), generated())

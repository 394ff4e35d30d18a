/**
 * An example of every response, and of the bodies that are sent. `examples.json` holds real responses of the demo, shortened; `test/http/examples.ts` takes
 * them again, and a test holds each to its schema.
 */
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Sample } from "../api/Contract.ts"
import {
  type Document,
  isObject,
  type Media,
  mapMedia,
  mapOperations,
  nameOf,
  type Operation
} from "./document.ts"
import examples from "./examples.json" with { type: "json" }

/** Bodies by operation and media type. */
const answers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = examples.answers
/** A page that is bought is the answer of the keyless path. */
const shownBy = (operationId: string): string => operationId.replace(/^paid\./, "keyless.")

/** Bodies to send, by operation, as the definition has them. */
const samples = new Map<string, unknown>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    const sample = Context.get(mergedAnnotations, Sample)
    if (sample !== undefined) samples.set(`${group.identifier}.${endpoint.identifier}`, sample)
  }
})

/** Problems by their id. */
const problems: Readonly<Record<string, unknown>> = examples.problems

const typesIn = (schemas: Document["components"]["schemas"], schema: unknown): ReadonlyArray<string> => {
  if (!isObject(schema)) return []
  const { $ref, anyOf } = schema
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => typesIn(schemas, each))
  const target = typeof $ref === "string" ? schemas[nameOf($ref)] : schema
  return [...JSON.stringify(target ?? {}).matchAll(/"\/problems\/([a-z0-9-]+)"/g)].map(([, id = ""]) => id)
}

const ofProblems = (document: Document, media: Media): Media => {
  const ids = typesIn(document.components.schemas, media.schema).filter((id) => problems[id] !== undefined)
  return ids.length === 0
    ? media
    : {
        ...media,
        examples: Object.fromEntries(ids.map((id) => [id, { $ref: `#/components/examples/${id}` }]))
      }
}

const ofAnswer = ({ operationId }: Operation, type: string, media: Media): Media => {
  const example = answers[shownBy(operationId)]?.[type]
  return example === undefined ? media : { ...media, example }
}

/** The operation with an example of its JSON body. */
const withSample = (operation: Operation): Operation => {
  const { operationId, requestBody } = operation
  const example = samples.get(operationId)
  if (requestBody === undefined || example === undefined) return operation
  const content = Object.fromEntries(
    Object.entries(requestBody.content).map(([type, media]) => [
      type,
      type === "application/json" ? { ...media, example } : media
    ])
  )
  return { ...operation, requestBody: { ...requestBody, content } }
}

/** The document with an example of each response, and of each body that is sent. */
export const withExamples = (document: Document): Document => ({
  ...document,
  components: {
    ...document.components,
    examples: Object.fromEntries(
      Object.entries(problems).map(([id, value]) => [
        id,
        { summary: String(isObject(value) ? value["title"] : id), value }
      ])
    )
  },
  paths: mapOperations(document, (operation) =>
    mapMedia(withSample(operation), (media, type) =>
      type === "application/problem+json" ? ofProblems(document, media) : ofAnswer(operation, type, media)
    )
  )
})

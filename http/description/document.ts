/** An OpenAPI 3.1 document, as far as this service writes one. */

export type JsonSchema = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export interface Reference {
  readonly $ref: string
}

export interface Media {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Reference>>
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: unknown
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>>; readonly required?: boolean }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export interface Tag {
  readonly name: string
  readonly description?: string
}

export interface Document {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description?: string
    readonly license?: { readonly name: string; readonly identifier?: string }
  }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
    readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
  readonly tags: ReadonlyArray<Tag>
}

export interface Place {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

/** Every operation, in the order of the document. */
export const operationsOf = ({ paths }: Pick<Document, "paths">): ReadonlyArray<Place> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation }))
  )

/** The last segment of a reference. */
export const nameOf = (reference: string): string => reference.split("/").at(-1) ?? ""

/** A response with its reference followed. */
export const responseOf = (
  { components }: Pick<Document, "components">,
  response: Response | Reference
): Response =>
  "$ref" in response ? (components.responses[nameOf(response.$ref)] ?? { description: "" }) : response

/** The paths with each operation replaced. */
export const mapOperations = (
  document: Pick<Document, "paths">,
  of: (operation: Operation, path: string) => Operation
): Document["paths"] => {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { method, operation, path } of operationsOf(document)) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: of(operation, path) }
  }
  return paths
}

/** The operation with each of its bodies replaced, by status and media type. */
export const mapMedia = (operation: Operation, of: (media: Media, type: string) => Media): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      "content" in response
        ? {
            ...response,
            content: Object.fromEntries(
              Object.entries(response.content ?? {}).map(([type, media]) => [type, of(media, type)])
            )
          }
        : response
    ])
  )
})

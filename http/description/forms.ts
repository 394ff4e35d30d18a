/** The forms in which the description is served: whole, in short, one section of it, and its examples alone. */
import { compact, type Part } from "./compact.ts"
import { type Document, isObject, type Media, operationsOf, responseOf } from "./document.ts"

/** Names of members, not words about them, where a description would stand. */
const namedBy = new Set([
  "properties",
  "patternProperties",
  "headers",
  "schemas",
  "responses",
  "parameters",
  "paths"
])

/** The part without its descriptions; a response keeps an empty one, which OpenAPI asks for. */
const withoutDescriptions = (part: unknown, isMap = false): unknown => {
  if (Array.isArray(part)) return part.map((each) => withoutDescriptions(each))
  if (!isObject(part)) return part
  const isResponse =
    !isMap && typeof part["description"] === "string" && ("content" in part || "headers" in part)
  return Object.fromEntries(
    Object.entries(part).flatMap(([key, value]) => {
      if (!isMap && key === "description" && typeof value === "string") return isResponse ? [[key, ""]] : []
      if (!isMap && key === "headers" && isResponse) return []
      return [[key, withoutDescriptions(value, !isMap && namedBy.has(key))]]
    })
  )
}

/** The document for a reader with little room: no descriptions, no headers of responses. */
export const short = (document: Document): Part => {
  const { components, info, ...others } = document
  const { headers: _, ...rest } = components
  return compact({
    ...(withoutDescriptions({ ...others, components: { ...rest, headers: {} } }) as Document),
    info
  })
}

/** What a reference names: `#/components/<section>/<name>`. */
const referencesIn = (part: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, place = ""]) => place)

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly tags?: ReadonlyArray<string> }>>>>

/** A served document with these paths, and of its components what they need. */
const withPaths = (served: Part, paths: Paths): Part => {
  const components = served["components"] as Readonly<Record<string, Part>>
  const needed = new Set<string>()
  const follow = (part: unknown): void => {
    for (const place of referencesIn(part)) {
      if (needed.has(place)) continue
      needed.add(place)
      const [section = "", name = ""] = place.split("/")
      follow(components[section]?.[name] ?? {})
    }
  }
  follow(paths)
  const needs = (section: string, name: string) =>
    section === "securitySchemes" || needed.has(`${section}/${name}`)
  return {
    ...served,
    paths,
    components: Object.fromEntries(
      Object.entries(components).map(([section, parts]) => [
        section,
        Object.fromEntries(Object.entries(parts).filter(([name]) => needs(section, name)))
      ])
    )
  }
}

/** The operations with a tag, of a document as it is sent. */
export const sectionOf = (served: Part, tag: string): Part => {
  const own = Object.entries(served["paths"] as Paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, { tags = [] }]) => tags.includes(tag))
    return operations.length === 0 ? [] : [[path, Object.fromEntries(operations)] as const]
  })
  const tags = (served["tags"] as Document["tags"]).filter(({ name }) => name === tag)
  const { title, version } = served["info"] as Document["info"]
  return { ...withPaths(served, Object.fromEntries(own)), info: { title: `${title}: ${tag}`, version }, tags }
}

/** A document with components that not all of its paths need, as it is sent. */
export const compactAlone = (document: Document): Part => {
  const served = compact(document)
  return withPaths(served, served["paths"] as Paths)
}

const examplesIn = (content: Readonly<Record<string, Media>> = {}): Part =>
  Object.fromEntries(
    Object.entries(content).flatMap(([type, { example }]) => (example === undefined ? [] : [[type, example]]))
  )

/** By operation a body to send and the answers, by status and media type; and each problem by its id. */
export const examplesOf = (document: Document): Part => ({
  operations: Object.fromEntries(
    operationsOf(document).map(({ operation: { operationId, requestBody, responses } }) => {
      const answers = Object.entries(responses).flatMap(([status, response]) => {
        const examples = examplesIn(responseOf(document, response).content)
        return Object.keys(examples).length === 0 ? [] : [[status, examples] as const]
      })
      const request = examplesIn(requestBody?.content)
      return [
        operationId,
        {
          ...(Object.keys(request).length === 0 ? {} : { request }),
          responses: Object.fromEntries(answers)
        }
      ]
    })
  ),
  problems: Object.fromEntries(
    Object.entries(document.components.examples).map(([id, { value }]) => [id, value])
  )
})

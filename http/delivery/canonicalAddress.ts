/**
 * The one address of a page. Links pick up parameters on their way (`utm_source`, `fbclid`), and a page answers to several
 * spellings of a network. Each spelling would be cached by itself and made anew, so all of them lead to one.
 */
import { symbolOf } from "../../core/catalog/lookup.ts"
import { values } from "../explorer/html/addresses.ts"
import { networksPath } from "../explorer/html/nav.ts"
import { queryText } from "../explorer/html/queryText.ts"
import type { Route } from "../routing/routes.ts"

/** The list of networks was at `/` before the first page was one of its own: a parameter of the list leads to where it is. */
const moved: Readonly<Record<string, string>> = { "/": networksPath }

/** What the API calls a parameter that pages have another name for: whoever knows one asks the other with it. */
const ofApi: Readonly<Record<string, string>> = { q: "query" }

/** A segment in the form that every link to a page has: `template` is the segment as the router knows it. */
const segmentOf = (segment: string, template: string): string => {
  if (!template.startsWith(":")) return segment
  const text = decodeURIComponent(segment)
  return encodeURIComponent(template === ":symbol" ? (symbolOf(text) ?? text) : text)
}

const pathOf = (path: string, template: string): string => {
  const templates = template.split("/")
  return path
    .split("/")
    .map((segment, n) => segmentOf(segment, templates[n] ?? ""))
    .join("/")
}

/**
 * The address that a request for a page is led to: without parameters that the page does not know, without values that it
 * would take for none, and with the others in the order of its definition, each by the page's own name. A parameter that was sent twice stays, because the
 * page refuses it. `url` is a valid request target; the result is the same text if the address is canonical already.
 */
export const canonicalAddress = (url: string, route: Route): string => {
  const start = url.indexOf("?")
  const path = pathOf(start < 0 ? url : url.slice(0, start), route.path)
  if (start < 0) return path
  const searchParams = new URLSearchParams(url.slice(start))
  const names = route.takes().query
  const valuesOf = (name: string): ReadonlyArray<string> => {
    const other = ofApi[name]
    return searchParams.has(name) || other === undefined || names.includes(other)
      ? searchParams.getAll(name)
      : searchParams.getAll(other)
  }
  const parameters = names.flatMap((name) =>
    valuesOf(name)
      .filter((value) => value !== "" && (values[name]?.test(value) ?? true))
      .map((value) => [name, value] as const)
  )
  return parameters.length === 0 ? path : `${moved[path] ?? path}?${queryText(parameters)}`
}

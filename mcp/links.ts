/**
 * Links to what is too large for an answer, or is a file: `resource_link` of the protocol. A client reads those of the scheme
 * `plumbline:` with `resources/read` (`resources.ts`) and the others over HTTP.
 */
import type { ResourceLink } from "@modelcontextprotocol/server"

/** An answer with its links. */
export class Linked {
  readonly answer: object
  readonly links: ReadonlyArray<ResourceLink>

  constructor(answer: object, links: ReadonlyArray<ResourceLink>) {
    this.answer = answer
    this.links = links
  }
}

/** The answer of a tool, without its links. */
export const unlinked = (answer: object): object => (answer instanceof Linked ? answer.answer : answer)

interface Target {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
}

export const linkTo = (target: Target): ResourceLink => ({ type: "resource_link", ...target })

const scheme = "plumbline://"

/** The URI of a resource: a kind, the names in it, and what selects from it. */
export const uriOf = (
  kind: string,
  names: ReadonlyArray<string>,
  selection: Readonly<Record<string, string | number | undefined>> = {}
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(selection))
    if (value !== undefined) query.set(name, String(value))
  const path = [kind, ...names].map(encodeURIComponent).join("/")
  return `${scheme}${path}${query.size === 0 ? "" : `?${query}`}`
}

interface Address {
  readonly kind: string
  readonly names: ReadonlyArray<string>
  readonly selection: Readonly<Record<string, string>>
}

/** What a URI of the service names; undefined if it is none. The reverse of `uriOf`. */
export const addressOf = (uri: string): Address | undefined => {
  const [, path = "", query = ""] =
    /^plumbline:\/\/([\w%.~!*'()/-]{1,200})(?:\?([^#]{1,200}))?$/.exec(uri) ?? []
  try {
    const [kind = "", ...names] = path.split("/").map(decodeURIComponent)
    if (kind === "" || names.includes("")) return undefined
    return { kind, names, selection: Object.fromEntries(new URLSearchParams(query)) }
  } catch {
    // A percent sign that encodes nothing.
    return undefined
  }
}

/** XML answers (XML 1.0), among them Atom and RSS, read as members: elements and attributes by their names. */
import { parseXml, XmlCdata, XmlElement, XmlError, XmlText } from "@rgrove/parse-xml"
import { Effect, Result } from "effect"
import { implausible, type RequestOrUrl, text } from "../Upstream.ts"

export interface Form {
  /**
   * Elements that may repeat, by their path below the root: `entry` of a feed, `entry.link`. Each is a list, also where one of them
   * stands, or none.
   */
  readonly lists?: ReadonlyArray<string>
}

/** A text; or attributes, elements and lists of them by name, and under `text` what stands between the elements. */
export type Members = string | { readonly [name: string]: Members | ReadonlyArray<Members> }

/**
 * The root element of an answer as members, with the prefixes of its names as they are written: `{"count": "2", "station": [{"id":
 * "41001"}, …]}` of `<stations count="2"><station id="41001"/>…`, where `station` is one of `lists`. All values are trimmed text. What
 * is no XML, and a name that stands twice in an element without being a list, fails as a changed answer that names the place.
 * Entities of a document type are not followed.
 */
export const xml = Effect.fnUntraced(function* (target: RequestOrUrl, { lists = [] }: Form = {}) {
  const answer = yield* text(target)
  const outcome = membersOf(answer.body, lists)
  return Result.isSuccess(outcome)
    ? { ...answer, body: outcome.success }
    : yield* implausible(answer, outcome.failure.place, outcome.failure.detail)
})

/** Where a text is not what it should be. */
interface Fault {
  readonly place: string
  readonly detail: string
}

/** The members of an XML text, or what is wrong with it. */
export const membersOf = (body: string, lists: ReadonlyArray<string>): Result.Result<Members, Fault> => {
  try {
    const { root } = parseXml(body)
    return root === null
      ? Result.fail({ place: "", detail: "no element" })
      : Result.succeed(elementOf(root, lists, ""))
  } catch (error) {
    if (error instanceof Repeated) return Result.fail({ place: error.message, detail: "stands there twice" })
    if (error instanceof XmlError) {
      const [reason = ""] = error.message.split("\n")
      return Result.fail({ place: `line ${error.line}`, detail: `no XML: ${reason}` })
    }
    // The parser and we go down element by element.
    if (error instanceof RangeError) return Result.fail({ place: "", detail: "nested too deeply" })
    throw error
  }
}

/** A name that stands twice where one is read; the message is its path. */
class Repeated extends Error {}

/** `above` is empty, or the path of the element with a dot behind it. */
const elementOf = (
  { attributes, children }: XmlElement,
  lists: ReadonlyArray<string>,
  above: string
): Members => {
  const members = new Map<string, Members | Array<Members>>()
  for (const list of lists) {
    const name = list.startsWith(above) ? list.slice(above.length) : "."
    if (!name.includes(".")) members.set(name, [])
  }
  const add = (name: string, value: Members): void => {
    const before = members.get(name)
    if (Array.isArray(before)) before.push(value)
    else if (before === undefined) members.set(name, value)
    else throw new Repeated(`${above}${name}`)
  }
  for (const [name, value] of Object.entries(attributes)) add(name, value.trim())
  for (const child of children) {
    if (child instanceof XmlElement) add(child.name, elementOf(child, lists, `${above}${child.name}.`))
  }
  const words = wordsOf(children)
  if (members.size === 0) return words
  if (words !== "") add("text", words)
  return Object.fromEntries(members)
}

const wordsOf = (nodes: XmlElement["children"]): string =>
  nodes
    .map((node) => (node instanceof XmlText || node instanceof XmlCdata ? node.text : ""))
    .join("")
    .trim()

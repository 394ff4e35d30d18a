/** The draft of a plugin from an XML answer: that of its members. */
import { XmlElement } from "@rgrove/parse-xml"
import { Result } from "effect"
import { membersOf } from "../../../core/plugin/shapes/xml.ts"
import type { Unit } from "../../../core/plugin/Value.ts"
import { rootOf } from "../xmlLeaves.ts"
import { type Draft, draftOfJson } from "./draft.ts"

/** The draft of an XML text at an address; undefined for text that is none, and for a page. */
export const draftOfXml = (
  text: string,
  url: string,
  id: string,
  at: number,
  units: ReadonlyMap<string, Unit>
): Draft | undefined => {
  const root = rootOf(text)
  if (root === undefined || root.name.toLowerCase() === "html") return undefined
  const lists = [...new Set(repeatedIn(root, ""))]
  const members = membersOf(text, lists)
  if (Result.isFailure(members)) return undefined
  const { remarks, ...draft } = draftOfJson(members.success, id, at, units)
  const form = lists.length === 0 ? "" : `, { lists: ${JSON.stringify(lists)} }`
  return {
    ...draft,
    ask: { imports: 'import { xml } from "#plugin/xml"', code: `xml(${JSON.stringify(url)}${form})` },
    remarks: [
      ...remarks,
      lists.length === 0
        ? "no element repeats in this answer: name those that may in `lists`"
        : `more than one stands in this answer of ${lists.join(", ")}: name the other elements that may repeat in \`lists\``
    ]
  }
}

/** Paths, below the root, of elements that stand more than once in theirs. */
const repeatedIn = ({ children }: XmlElement, above: string): ReadonlyArray<string> => {
  const elements = children.filter((child) => child instanceof XmlElement)
  return [...Map.groupBy(elements, ({ name }) => name)].flatMap(([name, group]) => [
    ...(group.length > 1 ? [`${above}${name}`] : []),
    ...group.flatMap((child) => repeatedIn(child, `${above}${name}.`))
  ])
}

/** Leaves of a payload in groups: those that differ only in the item of a list, or in the name in a dictionary. */
import { day } from "../../core/plugin/time.ts"
import { pointer } from "../contributor/Leaf.ts"
import { isJson, items, leaves } from "../contributor/leaves.ts"
import { rootOf } from "../contributor/xmlLeaves.ts"
import { formOf, type TimeForm, timeOf } from "./times.ts"

/** A group of leaves of one file, with the texts that stand there. */
export interface Group {
  readonly file: string
  /** JSON pointer with `*` for what differs. */
  readonly at: string
  readonly texts: ReadonlyArray<string>
}

const shapeOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return "scalar"
  return Array.isArray(value) ? "list" : Object.keys(value).slice(0, 3).sort().join()
}

/** A short list of scalars is a record without names, and an object whose members all look alike a dictionary. */
const isOpen = (value: object): boolean => {
  const members = Object.values(value)
  const shapes = new Set(members.map(shapeOf))
  const scalar = shapes.has("scalar")
  if (Array.isArray(value)) return !scalar || members.length > 30
  return members.length > 60 || (members.length > 1 && shapes.size === 1 && !scalar)
}

/** Pointers of the lists and dictionaries, whose members' names say nothing of what they are. */
const opens = (text: string): ReadonlySet<string> => {
  const pointers = new Set<string>()
  const visit = (value: unknown, path: ReadonlyArray<string>): void => {
    if (typeof value !== "object" || value === null) return
    if (isOpen(value)) pointers.add(pointer(path))
    for (const [name, member] of Object.entries(value)) visit(member, [...path, name])
  }
  const parsed = parse(text)
  if (parsed !== undefined) visit(parsed, [])
  // The names of elements say what they are, and those of one name have a number each.
  else if (rootOf(text) === undefined) {
    pointers.add("")
    for (const [row, line] of text.split("\n").entries()) visit(parse(line), [String(row)])
  }
  return pointers
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const generalised = (path: ReadonlyArray<string>, open: ReadonlySet<string>): string =>
  pointer(path.map((name, depth) => (open.has(pointer(path.slice(0, depth))) ? "*" : name)))

const isTabular = (text: string): boolean =>
  !isJson(text) && rootOf(text) === undefined && !isJson(text.split("\n", 1)[0] ?? "")

/** Groups in the order of their first leaf. */
export const groupsOf = (file: string, text: string): ReadonlyArray<Group> => {
  const open = opens(text)
  const isTable = isTabular(text)
  return [...Map.groupBy(leaves(text), ({ path }) => generalised(path, open))].map(([at, groupLeaves]) => ({
    file,
    at,
    // The first row of a table has names.
    texts: (isTable && groupLeaves.length > 1 ? groupLeaves.slice(1) : groupLeaves).map(({ end, start }) =>
      text.slice(start, end)
    )
  }))
}

/** The leaves of a group, each as a group of its own. */
export const singles = (group: Group, text: string): ReadonlyArray<Group> => {
  const open = opens(text)
  return leaves(text)
    .filter(({ path }) => generalised(path, open) === group.at)
    .map(({ end, path, start }) => ({ file: group.file, at: pointer(path), texts: [text.slice(start, end)] }))
}

/** Lists and dictionaries with at least `least` items, generalised. */
export const listsOf = (text: string, least: number): ReadonlyArray<string> => {
  const open = opens(text)
  const counted = Map.groupBy(items(text), ({ path }) => pointer(path))
  const long = [...counted].filter(([at, listItems]) => open.has(at) && listItems.length >= least)
  return [...new Set(long.map(([, [first]]) => generalised(first?.path ?? [], open)))]
}

const decadeMs = 10 * 365 * day

export const unquoted = (text: string): string => (text.startsWith('"') ? text.slice(1, -1) : text)

/** The form in which a group is a time: one of its texts is of the year before `now`, and most are times of the ten years before. */
export const timeFormOf = ({ texts }: Group, now: number): TimeForm | undefined => {
  const values = texts.map(unquoted).filter((text) => text !== "null" && text !== "")
  for (const text of values) {
    const form = formOf(text, now, 400)
    if (form === undefined) continue
    const times = values.filter((other) => {
      const at = timeOf(form, other)
      return at !== undefined && at > now - decadeMs && at < now + decadeMs
    })
    return times.length > 0.7 * values.length ? form : undefined
  }
  return undefined
}

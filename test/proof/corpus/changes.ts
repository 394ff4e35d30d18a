/** Changes made at random: of the texts that a bundle is written in, and of what it says. */
import * as fc from "fast-check"
import { canonical, isRecord } from "../../../core/proof/canonical.ts"

/** What is done to one place; `place` and `other` say which, of however many there are. */
export interface Change {
  readonly kind: Kind
  readonly place: number
  readonly other: number
}

type Json = null | boolean | number | string | Array<Json> | { [name: string]: Json }
type Container = Array<Json> | { [name: string]: Json }

/** Where a member is: in a list or an object, under a name. */
interface Place {
  readonly within: Container
  readonly name: string
}

const at = <A>(list: ReadonlyArray<A>, place: number): A | undefined =>
  list[Math.min(list.length - 1, Math.floor(place * list.length))]

const isContainer = (value: Json): value is Container => typeof value === "object" && value !== null
const get = ({ name, within }: Place): Json =>
  (Array.isArray(within) ? within[Number(name)] : within[name]) ?? null
const set = ({ name, within }: Place, value: Json): void => {
  if (Array.isArray(within)) within[Number(name)] = value
  else within[name] = value
}
const drop = ({ name, within }: Place): void => {
  if (Array.isArray(within)) within.splice(Number(name), 1)
  else delete within[name]
}

/** Every member of a document, down to a depth that none of ours has. */
const placesIn = (within: Container, depth = 0): ReadonlyArray<Place> =>
  Object.keys(within).flatMap((name) => {
    const value = get({ within, name })
    return [{ within, name }, ...(isContainer(value) && depth < 32 ? placesIn(value, depth + 1) : [])]
  })

const isDocument = (value: Json): value is string => typeof value === "string" && value.startsWith("{")

/** Numbers as texts that the formats refuse, or nearly. */
const numbers = [
  "-0",
  "0",
  "1",
  "-1",
  "1.0",
  "1e0",
  "1E2",
  "01",
  "1e400",
  "-1e400",
  "NaN",
  "Infinity",
  "0.1e1",
  "1e21",
  "1e-7",
  "5e-324",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "123456789012345678901234567890",
  "true",
  "null",
  '"1"',
  '"\\ud800"',
  '"\\u0000"',
  "[]",
  "{}",
  `${"[".repeat(70)}${"]".repeat(70)}`,
  `${"[".repeat(1000)}${"]".repeat(1000)}`
]

const values: ReadonlyArray<Json> = [
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  0.5,
  1e21,
  2 ** 53,
  "",
  "x",
  "2026-09-04",
  "2026-09-31",
  "2026-09-05T08:00:00Z",
  "2026-09-04T11:00:00.000Z",
  "2027-01-01T00:00:00Z",
  "0".repeat(64),
  "A".repeat(64),
  "caf\u00e9",
  "\u{1f600}",
  [],
  {}
]

const kinds = ["absent", "agreement", "excluded", "keys", "late", "none", "revision", "run", "toString"]
const versions = ["-v1", "-v2", "-v3", "-v4", "-v5", "-v9", "-v02", "-v2-demo", "-v3-demo"]

/** Changes of a document; each changes one place. */
const ofDocument = {
  drop: (places: ReadonlyArray<Place>, { place }: Change) => {
    const one = at(places, place)
    if (one !== undefined) drop(one)
  },
  rename: (places: ReadonlyArray<Place>, { other, place }: Change) => {
    const one = at(places, place)
    if (one === undefined) return
    const value = get(one)
    drop(one)
    set({ ...one, name: at(["__proto__", "constructor", `${one.name}x`, "v", "1"], other) ?? "" }, value)
  },
  replace: (places: ReadonlyArray<Place>, { other, place }: Change) => {
    const one = at(places, place)
    if (one !== undefined) set(one, at(values, other) ?? null)
  },
  swap: (places: ReadonlyArray<Place>, { other, place }: Change) => {
    const [one, two] = [at(places, place), at(places, other)]
    if (one === undefined || two === undefined) return
    const [value, second] = [get(one), get(two)]
    // One that is within the other would make a circle.
    if (isContainer(value) || isContainer(second)) return
    set(one, second)
    set(two, value)
  },
  kind: (places: ReadonlyArray<Place>, { other, place }: Change) => {
    const one = at(
      places.filter(({ name }) => name === "kind" || name === "outcome" || name === "status"),
      place
    )
    if (one !== undefined) set(one, at(kinds, other) ?? null)
  },
  version: (places: ReadonlyArray<Place>, { other, place }: Change) => {
    const one = at(
      places.filter(({ name }) => name === "v"),
      place
    )
    if (one === undefined) return
    const value = get(one)
    set(one, typeof value === "string" ? value.replace(/-v\d+.*$/, at(versions, other) ?? "") : 2)
  },
  path: (places: ReadonlyArray<Place>, { other, place }: Change) => {
    const lists = places.map(get).filter(Array.isArray)
    const list = at(lists, place)
    if (list !== undefined && list.length > 0)
      list.splice(Math.floor(other * list.length), 1, ...(other < 0.1 ? [list[0], list[0]] : []))
  }
} as const

/** Changes of the text itself. */
const ofText = {
  byte: (text: string, { other, place }: Change) => {
    const where = Math.floor(place * text.length)
    return `${text.slice(0, where)}${String.fromCharCode(text.charCodeAt(where) ^ (1 << Math.floor(other * 7)))}${text.slice(where + 1)}`
  },
  twice: (text: string, { place }: Change) => {
    const match = at([...text.matchAll(/"[a-z0-9_]+":(?:\d+|"[^"\\]*"|true|null),/g)], place)
    return match === undefined ? text : `${text.slice(0, match.index)}${match[0]}${text.slice(match.index)}`
  },
  number: (text: string, { other, place }: Change) => {
    const match = at([...text.matchAll(/(?<=":)-?\d[\d.e+-]*/g)], place)
    return match === undefined
      ? text
      : `${text.slice(0, match.index)}${at(numbers, other)}${text.slice(match.index + match[0].length)}`
  },
  cut: (text: string, { place }: Change) => text.slice(0, Math.floor(place * text.length)),
  space: (text: string, { other, place }: Change) => {
    const where = [...text.matchAll(/[{[,:]/g)][Math.floor(place * 20)]?.index ?? 0
    return `${text.slice(0, where)}${at([" ", "\n", "\ufeff", "\u00a0", "\0"], other)}${text.slice(where)}`
  }
} as const

type Kind =
  | keyof typeof ofDocument
  | keyof typeof ofText
  | `within ${keyof typeof ofDocument | keyof typeof ofText}`

const isOf = <A extends object>(table: A, kind: string): kind is keyof A & string =>
  Object.hasOwn(table, kind)

/** A JSON text with one change; as it is where there is no such place. */
export const changed = (text: string, change: Change): string => {
  const kind = change.kind.replace("within ", "")
  if (change.kind.startsWith("within ")) return changedWithin(text, { ...change, kind: kind as Kind })
  if (isOf(ofText, kind)) return ofText[kind](text, change)
  const document = parsed(text)
  if (document === undefined || !isOf(ofDocument, kind)) return text
  ofDocument[kind](placesIn(document), change)
  return JSON.stringify(document)
}

/** The same of one of the documents that are texts in it, written again as its own format asks. */
const changedWithin = (text: string, change: Change): string => {
  const document = parsed(text)
  if (document === undefined) return text
  const place = at(
    placesIn(document).filter((one) => isDocument(get(one))),
    (change.place * 7) % 1
  )
  if (place === undefined) return text
  const inner = changed(String(get(place)), change)
  const again = parsed(inner)
  set(place, isOf(ofText, change.kind) || again === undefined ? inner : canonicalOf(again, inner))
  return JSON.stringify(document)
}

const canonicalOf = (document: Container, text: string): string => {
  try {
    return canonical(document)
  } catch {
    return text
  }
}

const parsed = (text: string): Container | undefined => {
  try {
    const value: Json = JSON.parse(text)
    return isRecord(value) || Array.isArray(value) ? (value as Container) : undefined
  } catch {
    return undefined
  }
}

const names = [...Object.keys(ofDocument), ...Object.keys(ofText)] as ReadonlyArray<Kind>

/** From 0 to 1, each as likely. */
const share = fc.noBias(fc.integer({ min: 0, max: 2 ** 30 - 1 })).map((n) => n / 2 ** 30)

/** One to three changes. */
export const changes: fc.Arbitrary<ReadonlyArray<Change>> = fc.array(
  fc.record({
    kind: fc.oneof(
      fc.constantFrom(...names),
      fc.constantFrom(...names.map((name) => `within ${name}` as Kind))
    ),
    place: share,
    other: share
  }),
  { minLength: 1, maxLength: 3 }
)

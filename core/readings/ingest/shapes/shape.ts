/**
 * The shape of an answer: its members with their kinds, and how long its lists are. What it costs is bounded whatever the answer
 * holds: a hundred entries of each list stand for all of them, and at most `mostPlaces` members are looked at.
 */
import { Option, Predicate, Schema } from "effect"
import { bareErrorIn } from "../../../plugin/statedErrors.ts"

/** Kinds of JSON values. Null is none of them: it says nothing of what else may stand at its place. */
export const Kind = Schema.Literals(["list", "object", "string", "number", "boolean"])
export type Kind = typeof Kind.Type

/** What stands at one place of an answer. */
export const Place = Schema.Struct({
  /** Sorted; empty where only null was seen. */
  kinds: Schema.Array(Kind),
  /** Whether each object that could have it as a member had it. */
  always: Schema.Boolean,
  /** How many values were seen there, up to `mostEntries`. */
  seen: Schema.Natural,
  /** The fewest and the most entries of a list. */
  length: Schema.optionalKey(Schema.Tuple([Schema.Natural, Schema.Natural]))
})
export interface Place extends Schema.Schema.Type<typeof Place> {}

/** Places of an answer by their path: `""` is the whole, `.name` a member, `[]` an entry, `.*` a member whose name is data. */
export const Shape = Schema.Record(Schema.String, Place)
export type Shape = typeof Shape.Type

/** Members of one answer that are looked at, those near its top first. */
export const mostPlaces = 500

/** Entries of a list that are looked at, or values of a map. */
const mostEntries = 100

/** An object with more members than this is a map: its names are data, such as countries or ids. */
const mostNames = 40

/** A name that is data: a number, a hash, an address, an identifier. */
export const isData = (name: string): boolean =>
  /^(-?\d.*|0x[0-9a-f]+|[0-9a-f]{16,}|[0-9a-f-]{36}|[1-9A-HJ-NP-Za-km-z]{30,})$/i.test(name)

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/**
 * What a body holds: its JSON, its lines of JSON, or the names in the first line of a table. Undefined for anything else, and for an
 * error instead of an answer.
 */
export const valueOf = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body)
  const whole = parsed(text)
  if (Option.isSome(whole)) return bareErrorIn(whole.value) === undefined ? whole.value : undefined
  return linesIn(text) ?? tableIn(text)
}

/** Lines of JSON: as many as an answer's entries are looked at. */
const linesIn = (text: string): unknown => {
  const values: Array<unknown> = []
  for (const line of linesOf(text)) {
    if (values.length === mostEntries) break
    const value = parsed(line)
    if (Option.isNone(value)) return undefined
    values.push(value.value)
  }
  return values.length === 0 ? undefined : values
}

const tableIn = (text: string): unknown => {
  const [first = ""] = linesOf(text)
  const names = first.split(",").map((name) => name.trim())
  return names.length > 1 && names.every((name) => /^"?[A-Za-z_][\w .()-]*"?$/.test(name))
    ? Object.fromEntries(names.map((name) => [name, null]))
    : undefined
}

/** Lines that are not empty, one by one: a body may have millions. */
const linesOf = function* (text: string): Generator<string, undefined> {
  let from = 0
  while (from < text.length) {
    const end = text.indexOf("\n", from)
    const to = end === -1 ? text.length : end
    const line = text.slice(from, to).trim()
    if (line !== "") yield line
    from = to + 1
  }
  return undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

const kindOf = (value: unknown): Kind => {
  if (Array.isArray(value)) return "list"
  const kind = typeof value
  return kind === "string" || kind === "boolean" || kind === "object" ? kind : "number"
}

/** So many of the entries, evenly spread, with the first and the last. */
const sampleOf = <A>(entries: ReadonlyArray<A>): ReadonlyArray<A> =>
  entries.length <= mostEntries
    ? entries
    : Array.from(
        { length: mostEntries },
        (_, n) => entries[Math.round((n * (entries.length - 1)) / (mostEntries - 1))] as A
      )

/** Objects and lists within each other that are looked at. */
const deepest = 12

/** A name as a step of a path, in which dots and brackets have a meaning. */
const stepOf = (name: string): string => `.${name.slice(0, 100).replace(/[.[\]*]/g, "_")}`

/** The values at one place of an answer. */
interface Values {
  readonly path: string
  readonly values: ReadonlyArray<unknown>
  readonly always: boolean
  readonly depth: number
}

/** The shape of some values, such as the answers of one address. */
export const shapeOf = (answers: ReadonlyArray<unknown>): Shape => {
  const shape: Record<string, Place> = {}
  const waiting: Array<Values> = [{ path: "", values: answers, always: true, depth: 0 }]
  let places = 0
  for (const at of waiting) {
    if (places === mostPlaces) break
    places++
    shape[at.path] = placeOf(at)
    waiting.push(...within(at))
  }
  return shape
}

const placeOf = ({ always, values }: Values): Place => {
  const lengths = values.flatMap((value) => (Array.isArray(value) ? [value.length] : []))
  return {
    kinds: [...new Set(values.filter(Predicate.isNotNullish).map(kindOf))].sort(),
    always,
    seen: Math.min(values.length, mostEntries),
    ...(lengths.length === 0 ? {} : { length: [Math.min(...lengths), Math.max(...lengths)] })
  }
}

const within = ({ depth: above, path, values }: Values): ReadonlyArray<Values> => {
  const depth = above + 1
  if (depth > deepest) return []
  const entries = sampleOf(values.filter(Array.isArray).flatMap(sampleOf))
  const ofList = entries.length === 0 ? [] : [{ path: `${path}[]`, values: entries, always: true, depth }]
  const objects = values.filter(isObject)
  const names = [...new Set(objects.flatMap(Object.keys))]
  if (names.length === 0) return ofList
  if (names.length > mostNames || names.every(isData)) {
    const each = sampleOf(objects.flatMap((one) => sampleOf(Object.values(one))))
    return [...ofList, { path: `${path}.*`, values: each, always: true, depth }]
  }
  const members = names.map((name) => {
    const holders = objects.filter((one) => Object.hasOwn(one, name))
    return {
      path: path + stepOf(name),
      values: holders.map((one) => one[name]),
      always: holders.length === objects.length,
      depth
    }
  })
  return [...ofList, ...members]
}

/** The place that holds a place; undefined for the whole. */
export const parentOf = (path: string): string | undefined =>
  path === "" ? undefined : path.replace(/(\[\]|\.[^.[\]]*)$/, "")

const union = (a: Place, b: Place): Place => {
  const [from, to] = [a.length ?? b.length, b.length ?? a.length]
  return {
    kinds: [...new Set([...a.kinds, ...b.kinds])].sort(),
    always: a.always && b.always,
    seen: Math.min(a.seen + b.seen, mostEntries),
    ...(from === undefined || to === undefined
      ? {}
      : { length: [Math.min(from[0], to[0]), Math.max(from[1], to[1])] })
  }
}

/** Both shapes with the same objects as maps: one that has few members today may have had many. */
export const aligned = (a: Shape, b: Shape): readonly [Shape, Shape] => {
  const maps = new Set(
    [...Object.keys(a), ...Object.keys(b)].flatMap((path) => (path.endsWith(".*") ? [path.slice(0, -2)] : []))
  )
  return maps.size === 0 ? [a, b] : [withMaps(a, maps), withMaps(b, maps)]
}

const withMaps = (shape: Shape, maps: ReadonlySet<string>): Shape => {
  const places: Record<string, Place> = {}
  for (const [path, place] of Object.entries(shape)) {
    const steps = path.match(/\[\]|\.[^.[\]]*/g) ?? []
    const to = steps.reduce((at, step) => at + (step.startsWith(".") && maps.has(at) ? ".*" : step), "")
    const own = to === path ? place : { ...place, always: true }
    const before = places[to]
    places[to] = before === undefined ? own : union(before, own)
  }
  return places
}

/** What both shapes have: a member that one of them lacks, though it has the object around it, is not always there. */
export const merged = (a: Shape, b: Shape): Shape => {
  const [one, other] = aligned(a, b)
  const lacks = (shape: Shape, path: string) => {
    const parent = parentOf(path)
    return (
      !Object.hasOwn(shape, path) && parent !== undefined && shape[parent]?.kinds.includes("object") === true
    )
  }
  const paths = [...new Set([...Object.keys(one), ...Object.keys(other)])].slice(0, 2 * mostPlaces).sort()
  return Object.fromEntries(
    paths.flatMap((path): ReadonlyArray<readonly [string, Place]> => {
      const [left, right] = [one[path], other[path]]
      if (left !== undefined && right !== undefined) return [[path, union(left, right)]]
      const only = left ?? right
      return only === undefined
        ? []
        : [[path, { ...only, always: only.always && !lacks(one, path) && !lacks(other, path) }]]
    })
  )
}

/** What differs between two shapes of answers: where an upstream no longer says what it said. */
import { aligned, mostPlaces, type Place, parentOf, type Shape } from "./shape.ts"

/** One place that differs. */
export interface Difference {
  readonly path: string
  readonly before?: Place
  readonly after?: Place
}

export interface Differences {
  /** Members that were there and are not, though what held them is. */
  readonly gone: ReadonlyArray<Difference>
  /** Places with values of another kind, such as a string instead of a number. */
  readonly changed: ReadonlyArray<Difference>
  readonly added: ReadonlyArray<Difference>
  /** Lists that have less than half or more than twice as many entries as before. */
  readonly lengths: ReadonlyArray<Difference>
}

/** Of so few entries of lists and maps nothing is known of the next one. */
const fewestEntries = 5

/** Whether a place said enough of itself for its absence, or another kind, to mean something. */
const isKnown = ({ before, path }: Difference): boolean =>
  before !== undefined && (!/\[\]|\.\*/.test(path) || before.seen >= fewestEntries)

/** Those differences that break what was always so: a member that was never missing, and kinds that were never seen. */
export const breaksOf = (differences: Differences): Pick<Differences, "changed" | "gone"> => ({
  gone: differences.gone.filter((one) => one.before?.always === true && isKnown(one)),
  changed: differences.changed.filter(isKnown)
})

/** Compares a shape with an earlier one. A place within one that differs itself is not listed. */
export const differencesOf = (now: Shape, before: Shape): Differences => {
  const [are, were] = aligned(now, before)
  const changed = Object.entries(were).flatMap(([path, place]): ReadonlyArray<Difference> => {
    const after = are[path]
    return after !== undefined && isOther(after, place) ? [{ path, before: place, after }] : []
  })
  const isWithin = (path: string) =>
    changed.some(
      (one) => path !== one.path && (path.startsWith(`${one.path}.`) || path.startsWith(`${one.path}[`))
    )
  const isFull = Object.keys(are).length >= mostPlaces
  return {
    changed: changed.filter(({ path }) => !isWithin(path)),
    gone: isFull ? [] : membersOf(were, are).flatMap((path) => (isWithin(path) ? [] : beforeIn(were, path))),
    added: membersOf(are, were).flatMap((path) => (isWithin(path) ? [] : afterIn(are, path))),
    lengths: Object.entries(were).flatMap(([path, place]): ReadonlyArray<Difference> => {
      const after = are[path]
      return after !== undefined && isOtherLength(after, place) ? [{ path, before: place, after }] : []
    })
  }
}

const beforeIn = (shape: Shape, path: string): ReadonlyArray<Difference> => {
  const before = shape[path]
  return before === undefined ? [] : [{ path, before }]
}

const afterIn = (shape: Shape, path: string): ReadonlyArray<Difference> => {
  const after = shape[path]
  return after === undefined ? [] : [{ path, after }]
}

const isOther = (a: Place, b: Place): boolean =>
  a.kinds.length > 0 && b.kinds.length > 0 && !a.kinds.some((kind) => b.kinds.includes(kind))

const isOtherLength = ({ length: now }: Place, { length: before }: Place): boolean =>
  now !== undefined && before !== undefined && (now[1] * 2 < before[0] || now[0] > before[1] * 2)

/** Members of objects of the one that the other does not have, although it has the object. */
const membersOf = (one: Shape, other: Shape): ReadonlyArray<string> =>
  Object.keys(one).filter((path) => {
    const parent = parentOf(path)
    return (
      parent !== undefined &&
      !path.endsWith("[]") &&
      !path.endsWith(".*") &&
      !Object.hasOwn(other, path) &&
      other[parent]?.kinds.includes("object") === true
    )
  })

const kinds = (place: Place | undefined): string => {
  const names = place?.kinds.join(" or ") ?? ""
  return names === "" ? "null" : names
}

const lengthOf = (place: Place | undefined): string => {
  const [from, to] = place?.length ?? [0, 0]
  return from === to ? String(from) : `${from} to ${to}`
}

/** Differences in words, each with what was before and what is now. `name` is that of the answer. */
export const inWords = (
  { added, changed, gone, lengths }: Differences,
  name: string
): Readonly<Record<keyof Differences, ReadonlyArray<string>>> => ({
  gone: gone.map(({ before, path }) => `${name}${path} is gone (was ${kinds(before)})`),
  changed: changed.map(
    ({ after, before, path }) => `${name}${path} is ${kinds(after)}, was ${kinds(before)}`
  ),
  added: added.map(({ after, path }) => `${name}${path} is new (${kinds(after)})`),
  lengths: lengths.map(
    ({ after, before, path }) => `${name}${path} has ${lengthOf(after)} entries, had ${lengthOf(before)}`
  )
})

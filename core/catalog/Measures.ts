/**
 * The comparable measures: which metrics of which networks say the same kind of thing, written down once. Tabs of categories,
 * sentences of rank, the search, `/measure/<name>` and `/v1/measures` read it.
 */
import { Schema } from "effect"
import { Unit } from "../plugin/Value.ts"
import measuresJson from "./measures.json" with { type: "json" }

/** A metric that is of a measure. */
const Part = Schema.Struct({
  metric: Schema.NonEmptyString,
  /** The symbols whose metric is meant; every network's without it. */
  of: Schema.optionalKey(Schema.NonEmptyArray(Schema.NonEmptyString)),
  /** What is counted, in a few words, where parts differ. */
  counts: Schema.optionalKey(Schema.NonEmptyString)
})
export interface MeasurePart extends Schema.Schema.Type<typeof Part> {}

export const Measure = Schema.Struct({
  /** As in its address. */
  name: Schema.String.check(Schema.isPattern(/^[a-z\d]+(?:-[a-z\d]+)*$/)),
  title: Schema.NonEmptyString,
  unit: Unit,
  /** Which end of the order comes first. */
  best: Schema.Literals(["most", "least"]),
  /** Whether the values of several networks may be summed. */
  adds: Schema.Boolean,
  /** Whether its members have places: they count one kind of thing. */
  ranks: Schema.Boolean,
  /** In what the members differ, and what is therefore not added: sentences. */
  differs: Schema.NonEmptyString,
  /** How people ask for it. */
  asks: Schema.Array(Schema.NonEmptyString),
  /** Of a network that has several of them, the first. */
  members: Schema.NonEmptyArray(Part)
})
export interface Measure extends Schema.Schema.Type<typeof Measure> {}

export const measures: ReadonlyArray<Measure> = Schema.decodeUnknownSync(Schema.Array(Measure))(measuresJson)

const byName = new Map(measures.map((measure) => [measure.name, measure]))

export const measureNamed = (name: string): Measure | undefined => byName.get(name)

export const measurePath = ({ name }: Pick<Measure, "name">): string => `/measure/${name}`

/** Whether a part means the metric of a symbol. */
const isOf = ({ metric, of }: MeasurePart, symbol: string, named: string): boolean =>
  metric === named && (of === undefined || of.includes(symbol))

/** The measure one part of which means this metric of all these symbols, so that they are like things; undefined where none does. */
export const measureOfLike = (metric: string, symbols: ReadonlyArray<string>): Measure | undefined =>
  measures.find(({ members }) =>
    members.some((part) => symbols.every((symbol) => isOf(part, symbol, metric)))
  )

const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[a-z\d]+/g) ?? []

/** Measures whose names or titles share the beginning of a word with a text, those that share most first; at most five. */
export const measuresNear = (text: string): ReadonlyArray<Measure> => {
  const words = wordsIn(text.slice(0, 100)).map((word) => word.slice(0, 5))
  const score = ({ asks, name, title }: Measure): number => {
    const own = wordsIn([name, title, ...asks].join(" "))
    return words.filter((word) => own.some((one) => one.startsWith(word))).length
  }
  return measures
    .map((measure) => ({ measure, n: score(measure) }))
    .filter(({ n }) => n > 0)
    .toSorted((a, b) => b.n - a.n)
    .slice(0, 5)
    .map(({ measure }) => measure)
}

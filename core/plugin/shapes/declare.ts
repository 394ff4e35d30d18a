/**
 * Plugins that are data alone: a manifest, what is asked, and where each figure is in the answer. There is no function to write, and
 * none to review. What such a declaration cannot say, `Plugin.define` can.
 */
import { Effect, Schema } from "effect"
import type { Stated } from "../asOf.ts"
import { decimalText, isNumber } from "../decimals.ts"
import {
  type Declared,
  type Evidence,
  type Manifest,
  type Metric,
  metricNamed,
  symbolsNamed
} from "../Manifest.ts"
import * as Plugin from "../Plugin.ts"
import { statedIn } from "../statedErrors.ts"
import { day } from "../time.ts"
import { type Moment, Unreadable } from "../Unreadable.ts"
import * as Upstream from "../Upstream.ts"
import { has } from "../units.ts"
import { endOfDay } from "../Value.ts"
import { byCountry } from "./countries.ts"
import { lastCompleteDay } from "./days.ts"
import { figure, isObject, largest, momentOf, size, tally } from "./fields.ts"
import { firstOf } from "./gateways.ts"
import {
  type Countries,
  countriesAt,
  type Decode,
  each,
  figureAt,
  listAt,
  nameOf,
  type Path,
  type Place,
  pathsOf,
  stepsOf,
  valueAt
} from "./places.ts"

/** What an answer has to say of itself. */
export interface Must {
  readonly at: Path
  readonly be: string | number | boolean
  /** An answer that says nothing of it will do. */
  readonly ifTold?: true
  /** What the refusal says; without it the answer's own error does, where it states one. */
  readonly otherwise?: string
}

/**
 * Figures by metric. How a number is read follows from the metric: one with a unit of what is counted is a whole number, and one
 * that cannot be below 0 is refused where it is. A family of countries is counted.
 */
export type Figures<Name extends string> = {
  readonly [K in Name]?: K extends `${string}*` ? Countries : Place
}

type AnyFigures = Readonly<Record<string, Place | Countries | undefined>>

/** The answer of a shape, with what of it failed beside the rest. */
export interface PartlyFailed extends Upstream.Answer<unknown> {
  readonly failed?: ReadonlyArray<Upstream.UpstreamError>
  /** What a reader has to ask to see a member of the body alone (`read_url`), where members are read each on its own. */
  readonly addresses?: Readonly<Record<string, string>>
}

/** One answer, and where its figures are. */
export interface Query<F = AnyFigures> {
  /**
   * An address or a request; or a shape that reads one, such as `csv(…)`. `{api_url}` in an address is the setting of this name,
   * and `{yesterday}` the last UTC day that is over.
   */
  readonly ask: Upstream.RequestOrUrl | Effect.Effect<PartlyFailed, Upstream.UpstreamError, Upstream.Upstream>
  /** Other addresses that answer the same, asked in turn while the one before is gone or limits (`firstOf` of gateways.ts). */
  readonly others?: ReadonlyArray<string>
  readonly must?: ReadonlyArray<Must>
  /** Members without which the answer is another one. */
  readonly needs?: ReadonlyArray<Path>
  /** Figures that are 0 only if the upstream is broken: a 0 fails the answer. */
  readonly positive?: ReadonlyArray<Place>
  /** The object that all other paths but those of `must` begin at, `as_of` included. Default: the whole answer. */
  readonly under?: Path
  /**
   * The entry of this list with the latest time `at` is what the figures and their time are of; with `daily`, that of the newest
   * UTC day that is over.
   */
  readonly newest?: { readonly of: Path; readonly at: Path }
  /**
   * When the figures were true: ISO 8601 text, or seconds or milliseconds since 1970; or the latest such time `at` the entries of a
   * list. It is below `under`. An answer without it is refused, unless the manifest says `orHeaders`. Default: what the headers tell.
   */
  readonly as_of?: Path | { readonly latest: Path; readonly at: Path }
  /** The figures are of a whole UTC day and true at its end: that of `as_of`, else the last that is over. */
  readonly daily?: true
  /** Whether a figure that is missing is refused, where nobody would miss its row: among the figures of many networks. */
  readonly required?: boolean
  /** Where the plugin covers several symbols: the one that `figures` are about. */
  readonly symbol?: string
  readonly source?: string
  readonly verify_url?: string
  readonly figures: F
  /** Figures of other symbols in the same answer. */
  readonly parts?: Readonly<Record<string, F>>
}

/**
 * Defines a plugin by data. Answers are independent: one that fails costs its own figures, and the run fails only if all do. A
 * figure that is missing gives no row, and one that cannot be read is refused with its reason.
 */
export const declare = <const Name extends string>(
  declaration: Declared<Name> & {
    readonly answers: ReadonlyArray<Query<Figures<NoInfer<Name>>>>
  }
): Plugin.Plugin => {
  const { answers, ...manifest } = declaration
  const symbols = symbolsNamed(manifest.covers)
  const only = symbols.length === 1 ? symbols[0] : undefined
  return Plugin.define({
    ...(manifest as Declared<Name>),
    collect: () =>
      Plugin.forEach(
        answers.map((query) => ({ symbol: query.symbol ?? only ?? "*", query })),
        ({ query, symbol }) => readingsOf(manifest.metrics, query, symbol)
      )
  })
}

/** The readings of one answer, and what failed beside them; `about` is the symbol of that. */
export const readingsOf = Effect.fnUntraced(function* (
  metrics: Manifest["metrics"],
  query: Query,
  about: string
) {
  const { figures, parts = {}, positive = [], source, symbol, under = "", verify_url } = query
  const answer = yield* answerOf(query)
  const changed: Changed = (path, detail) =>
    new Upstream.UpstreamChanged({ request: requestOf(query, answer), path: placeOf(path), detail })
  yield* checkWords(answer, query, changed)
  const top = valueAt(answer.body, under)
  yield* checkForm(top, query, changed)
  const { time, value: body } = yield* entryOf(top, query, changed)
  for (const place of positive) {
    if (!isZero(yield* figureAt(answer, body, place, figure))) continue
    const [path = ""] = pathsOf(place)
    return yield* changed([...stepsOf(under), ...stepsOf(path)], "Expected more than 0, got 0")
  }
  const facts = {
    ...(source === undefined ? {} : { source }),
    ...(verify_url === undefined ? {} : { verify_url }),
    ...statedBy(query, time, yield* Upstream.now)
  }
  const readings: Array<Plugin.CollectedPart> = []
  for (const [of, group] of [[symbol, figures] as const, ...Object.entries(parts)]) {
    const values = yield* valuesOf(answer, body, metrics, group)
    if (query.required === true) yield* checkFigures(answer, values, group)
    const about = of === undefined ? facts : { ...facts, symbol: of }
    if (answer.addresses === undefined) readings.push({ answer, values, facts: about })
    else
      for (const [name, value] of Object.entries(values))
        readings.push({
          answer: { ...answer, read_url: answer.addresses[memberOf(group[name])] ?? answer.read_url },
          values: { [name]: value },
          facts: about
        })
  }
  const failed = (answer.failed ?? []).map((error) => Plugin.failedPart(error, about))
  return [...readings, ...failed]
})

/** The failure of an answer in another form, at a path. */
type Changed = (path: Path, detail: string) => Upstream.UpstreamChanged

const answerOf = ({
  ask,
  others = []
}: Pick<Query, "ask" | "others">): Effect.Effect<PartlyFailed, Upstream.UpstreamError, Upstream.Upstream> =>
  Effect.isEffect(ask)
    ? ask
    : firstOf([typeof ask === "string" ? ask : ask.url, ...others], (address) =>
        Effect.flatMap(Upstream.filled(address), (url) =>
          Upstream.json(typeof ask === "string" ? url : { ...ask, url }, Schema.Unknown)
        )
      )

/** How errors name what was asked. */
const requestOf = ({ ask }: Pick<Query, "ask">, { url }: Upstream.Answer<unknown>): string =>
  Effect.isEffect(ask) ? url : Upstream.nameOf(typeof ask === "string" ? url : { ...ask, url })

/** A path as errors of a schema write it. */
const placeOf = (path: Path): string =>
  stepsOf(path)
    .map((step) => (isIndex(step) ? `[${step}]` : `[${JSON.stringify(step)}]`))
    .join("")

const isIndex = (step: string | undefined): boolean => step !== undefined && /^\d+$/.test(step)

const isZero = (reading: Plugin.Reading): boolean =>
  (isNumber(reading) || typeof reading === "string") && reading !== "" && decimalText(reading) === "0"

/** Fails the answer that does not say of itself what it must. */
const checkWords = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  { must = [] }: Pick<Query, "must">,
  changed: Changed
) {
  for (const { at, be, ifTold, otherwise } of must) {
    const value = valueAt(answer.body, at) ?? undefined
    if (value === be || (value === undefined && ifTold === true)) continue
    if (otherwise !== undefined) return yield* Upstream.refused(answer, otherwise)
    const stated = statedIn(answer.body)
    if (stated !== undefined) return yield* Upstream.statedBy(answer.url, stated)
    return yield* changed(at, `${(JSON.stringify(value) ?? "nothing").slice(0, 60)} instead of ${be}`)
  }
})

/** Fails the answer in which nothing can stand at any path, and the one without what it needs. */
const checkForm = Effect.fnUntraced(function* (
  top: unknown,
  { figures, needs = [], newest, parts = {}, under = "" }: Query,
  changed: Changed
) {
  const places = [figures, ...Object.values(parts)].flatMap((each) => Object.values(each)).flatMap(placesIn)
  for (const path of newest === undefined ? places : [newest.of]) {
    const steps = stepsOf(path)
    for (const [depth, step] of steps.entries()) {
      const holder = valueAt(top, steps.slice(0, depth)) ?? undefined
      const isTop = depth === 0 && under === ""
      const isList = isIndex(step) || step === each
      const isFit = isList ? Array.isArray(holder) || (step === each && isObject(holder)) : isObject(holder)
      if (holder === undefined ? !isTop : isFit) {
        // What stands in its entries is looked at one by one.
        if (step === each) break
        continue
      }
      const form = `Expected ${isList ? "array" : "object"}`
      const place = [...stepsOf(under), ...steps.slice(0, depth)]
      return yield* changed(place, isTop ? form : `${form} | null | undefined`)
    }
  }
  const missing = needs.find((path) => valueAt(top, path) === undefined)
  if (missing !== undefined) return yield* changed([...stepsOf(under), ...stepsOf(missing)], "Missing key")
})

const placesIn = (place: Place | Countries | undefined): ReadonlyArray<Path> =>
  place === undefined ? [] : isCountries(place) ? [place.countries] : pathsOf(place)

const isCountries = (place: Place | Countries): place is Countries =>
  typeof place === "object" && "countries" in place

/** What the figures are of, and when it was true. */
interface Dated {
  readonly value: unknown
  readonly time: Moment | undefined
}

const entryOf = Effect.fnUntraced(function* (top: unknown, query: Query, changed: Changed) {
  const { as_of, daily, newest, under = "" } = query
  if (newest === undefined) return { value: top, time: timeIn(top, as_of) } satisfies Dated
  const entries = (listAt(top, newest.of) ?? []).map(
    (value): Dated => ({ value, time: momentOf(valueAt(value, newest.at)) })
  )
  const place = [...stepsOf(under), ...stepsOf(newest.of)]
  // One that does not tell its time may be the newest.
  const undated = entries.find(({ time }) => typeof time !== "number")
  if (undated?.time instanceof Unreadable) return yield* changed(place, undated.time.reason)
  if (undated !== undefined) return yield* changed(place, "an entry does not tell its time")
  if (daily === true) {
    const newestDay = lastCompleteDay(entries, ({ time }) => time, yield* Upstream.now)
    return newestDay?.row ?? (yield* changed(place, "no day that is over"))
  }
  const [latest] = entries.toSorted((a, b) => Number(b.time) - Number(a.time))
  return latest ?? (yield* changed(place, "the list is empty"))
})

const timeIn = (top: unknown, as_of: Query["as_of"]): Moment | undefined => {
  if (as_of === undefined) return undefined
  if (typeof as_of === "string" || !("latest" in as_of)) return momentOf(valueAt(top, as_of))
  const times = (listAt(top, as_of.latest) ?? []).map((entry) => momentOf(valueAt(entry, as_of.at)))
  return largest(times)
}

/** When the figures were true, as far as the query and the answer tell. */
const statedBy = (
  { as_of, daily, newest, under = "" }: Query,
  time: Moment | undefined,
  now: number
): Stated => {
  if (as_of === undefined && newest === undefined) {
    return daily === true ? { as_of: endOfDay(now - day) } : {}
  }
  const path =
    as_of === undefined ? "" : typeof as_of === "object" && "latest" in as_of ? as_of.latest : as_of
  return {
    as_of: daily === true && time !== undefined ? endOfDay(time) : time,
    dated_by: nameOf([...stepsOf(under), ...stepsOf(path)])
  }
}

/** The member of the answer in which a figure stands first. */
const memberOf = (place: Place | Countries | undefined): string => {
  if (place === undefined || isCountries(place)) return ""
  const [path = ""] = pathsOf(place)
  return stepsOf(path)[0] ?? ""
}

const valuesOf = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  body: unknown,
  metrics: Manifest["metrics"],
  figures: AnyFigures
) {
  const values: Record<string, Plugin.Reading> = {}
  for (const [name, place] of Object.entries(figures)) {
    if (place === undefined) continue
    if (isCountries(place)) {
      Object.assign(values, byCountry(yield* countriesAt(answer, body, place)))
      continue
    }
    const metric = metricNamed(metrics, name)
    values[name] = yield* figureAt(answer, body, place, metric === undefined ? figure : decoderOf(metric))
  }
  return values
})

/** A network in a table of many, each with one answer of its own. */
export interface Entry<Name extends string> extends Query<Figures<Name>> {
  readonly ask: Upstream.RequestOrUrl
  readonly symbol: string
  /** Where the members were read; none where the entry before is read at the same place. */
  readonly evidence: ReadonlyArray<Evidence>
}

/** What a table says for the declaration of its plugin. */
export const tableOf = <Name extends string>(entries: ReadonlyArray<Entry<Name>>) => ({
  covers: { networks: [...new Set(entries.map(({ symbol }) => symbol))] },
  hosts: [
    ...new Set(
      entries.flatMap(({ ask, others = [] }) =>
        [typeof ask === "string" ? ask : ask.url, ...others].map((address) => new URL(address).host)
      )
    )
  ],
  evidence: entries.flatMap(({ evidence }) => evidence),
  answers: entries.map((entry) => ({ ...entry, required: true }))
})

/** Refuses the figures that are missing, and where all of them are, the answer: for what it says instead, if it does. */
const checkFigures = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  values: Record<string, Plugin.Reading>,
  figures: AnyFigures
) {
  const missing = Object.keys(values).filter((name) => (values[name] ?? undefined) === undefined)
  if (missing.length > 0 && missing.length === Object.keys(values).length) {
    const stated = statedIn(answer.body)
    if (stated !== undefined) return yield* Upstream.statedBy(answer.url, stated)
    return yield* Upstream.implausible(answer, "", `none of ${missing.join(", ")} is there`)
  }
  for (const name of missing) {
    const at = placesIn(figures[name]).map(nameOf).join(" or ")
    values[name] = Upstream.unreadable(`${at} is not in the answer`)
  }
})

/**
 * Parts of a count, each with a symbol of its own, by the word that entries have at a place: for `parts`. `others` are words of
 * which no part is made.
 */
export const partsBy = <const Name extends string>(
  metric: Name,
  place: Extract<Place, { readonly entries: Path }>,
  at: Path,
  symbols: ReadonlyArray<readonly [word: string | number, symbol: string]>,
  others: ReadonlyArray<string | number>
): Readonly<Record<string, Readonly<Record<Name, Place>>>> => {
  const words = [...symbols.map(([word]) => word), ...others]
  return Object.fromEntries(
    symbols.map(([word, symbol]) => {
      const where = { at, is: [word], others: words.filter((other) => other !== word) }
      return [symbol, { [metric]: { ...place, where } } as unknown as { readonly [K in Name]: Place }]
    })
  )
}

/** How a metric's numbers are read. */
const decoderOf = ({ min, unit }: Metric): Decode =>
  min === undefined || min < 0 ? figure : has(unit, "whole") ? tally : size

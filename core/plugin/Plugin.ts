/**
 * What a contributor writes beside the manifest: `collect`, which learns what it says through `Upstream` and nothing else. Its
 * readings become rows here, as far as the manifest allows.
 */
import { Effect, Result, Schema } from "effect"
import { type Stated, timeOf } from "./asOf.ts"
import { Decimal } from "./Decimal.ts"
import { decimalOf, isDouble } from "./decimals.ts"
import {
  type Declared,
  type Emitted,
  excessOf,
  type Manifest,
  metricNamed,
  refusalOf,
  symbolsOf
} from "./Manifest.ts"
import { unapplied, unproved } from "./notes.ts"
import { applyRelations, type Relation } from "./relations.ts"
import { type Numeric, Unreadable, unexpected } from "./Unreadable.ts"
import {
  type Answer,
  json,
  parts as partsOf,
  type RequestOrUrl,
  Upstream,
  type UpstreamError
} from "./Upstream.ts"
import { has } from "./units.ts"
import { byName, isoTime, type Observation } from "./Value.ts"

/**
 * A value as read. Null and undefined mean "not measured"; text and big integers are kept exactly; one that cannot be read
 * is refused for its reason.
 */
export type Reading = Numeric | bigint | string | null | undefined

/** Facts that `observe` may get with the values. */
export interface Facts extends Stated {
  /** Needed where the plugin covers more than one symbol. */
  readonly symbol?: string
  /** Where a person can compare the value. Default: the address that was read. */
  readonly verify_url?: string
  /** The address that was read, where it is not the answer's own: one item of a request for many. */
  readonly read_url?: string
  readonly source?: string
}

/** Readings of one answer, before they are checked against the manifest. */
export interface Readings {
  readonly answer: Answer<unknown>
  readonly values: Readonly<Record<string, Reading>>
  readonly facts: Facts
}

/** What `collect` gives: readings, and parts that could not be read. */
export type CollectedPart = Readings | Refusal

/** Readings by metric; one that the manifest does not declare does not compile. */
type Values<Name extends string> = { readonly [K in Emitted<Name>]?: Reading }

/** Takes readings out of an answer. */
export type Observe<Name extends string> = (
  answer: Answer<unknown>,
  values: Values<Name>,
  facts?: Facts
) => ReadonlyArray<CollectedPart>

/** What a plugin reads from an answer: values, nothing, or the reason to refuse the answer. */
type Mapping<Name extends string, V, A> = (
  body: A,
  answer: Answer<A>
) => (V & { readonly [K in Exclude<keyof V, Emitted<Name>>]: never }) | undefined | UpstreamError

/** Facts that go with the values; `as_of` may be read from the answer. */
interface Beside<A> extends Omit<Facts, "as_of"> {
  readonly as_of?: Facts["as_of"] | ((body: A, answer: Answer<A>) => Facts["as_of"])
}

type Read<R> = Effect.Effect<ReadonlyArray<CollectedPart>, UpstreamError, R>

/** The readings of one answer, for example of a shape. Optional `facts` come before the values. */
export function from<Name extends string, A, V extends Values<Name>, R>(
  observe: Observe<Name>,
  read: Effect.Effect<Answer<A>, UpstreamError, R>,
  values: Mapping<Name, V, A>
): Read<R>
export function from<Name extends string, A, V extends Values<Name>, R>(
  observe: Observe<Name>,
  read: Effect.Effect<Answer<A>, UpstreamError, R>,
  facts: Beside<A>,
  values: Mapping<Name, V, A>
): Read<R>
export function from<Name extends string, A, V extends Values<Name>, R>(
  observe: Observe<Name>,
  read: Effect.Effect<Answer<A>, UpstreamError, R>,
  ...rest: [Mapping<Name, V, A>] | [Beside<A>, Mapping<Name, V, A>]
): Read<R> {
  const [beside, values] = rest.length === 1 ? [{} as Beside<A>, rest[0]] : rest
  const { as_of, ...facts } = beside
  return Effect.flatMap(read, (answer) => {
    const mapped = values(answer.body, answer)
    if (mapped === undefined) return Effect.succeed([])
    if (mapped instanceof Error) return Effect.fail(mapped)
    if (!("as_of" in beside)) return Effect.succeed(observe(answer, mapped, facts))
    const time = typeof as_of === "function" ? as_of(answer.body, answer) : as_of
    return Effect.succeed(observe(answer, mapped, { ...facts, as_of: time }))
  })
}

/** The readings of one JSON answer, decoded by `schema`: most plugins, and most parts of a run. */
export function one<Name extends string, S extends Schema.ConstraintDecoder<unknown>, V extends Values<Name>>(
  observe: Observe<Name>,
  target: RequestOrUrl,
  schema: S,
  values: Mapping<Name, V, S["Type"]>
): Read<Upstream>
export function one<Name extends string, S extends Schema.ConstraintDecoder<unknown>, V extends Values<Name>>(
  observe: Observe<Name>,
  target: RequestOrUrl,
  schema: S,
  facts: Beside<S["Type"]>,
  values: Mapping<Name, V, S["Type"]>
): Read<Upstream>
export function one<Name extends string, S extends Schema.ConstraintDecoder<unknown>, V extends Values<Name>>(
  observe: Observe<Name>,
  target: RequestOrUrl,
  schema: S,
  ...rest: [Mapping<Name, V, S["Type"]>] | [Beside<S["Type"]>, Mapping<Name, V, S["Type"]>]
): Read<Upstream> {
  const read = json(target, schema)
  return rest.length === 1 ? from(observe, read, rest[0]) : from(observe, read, ...rest)
}

/** A reading that was left out, and why: shown in the run, and a failure of `plugin check`. */
export const Refusal = Schema.Struct({ symbol: Schema.String, metric: Schema.String, reason: Schema.String })
export interface Refusal extends Schema.Schema.Type<typeof Refusal> {}

/**
 * A part of a run that failed while others succeeded. It is listed by name in `refused`, so that a failed part is
 * visible and does not affect the others. The metric `*` means everything that the part would have given.
 */
export const failedPart = (error: UpstreamError, symbol: string, metric = "*"): Refusal => ({
  symbol,
  metric,
  reason: error.message
})

/** A part of a run whose failure affects its own metrics only. */
export const optional = <A, R>(
  symbol: string,
  part: Effect.Effect<ReadonlyArray<A>, UpstreamError, R>
): Effect.Effect<ReadonlyArray<A | Refusal>, never, R> =>
  Effect.catch(part, (error) => Effect.succeed([failedPart(error, symbol)]))

/** Independent parts of a run. The run fails, with the first failure, only if all of them fail. */
export const anyOf = <A, R>(
  symbol: string,
  parts: ReadonlyArray<Effect.Effect<ReadonlyArray<A>, UpstreamError, R>>
): Effect.Effect<ReadonlyArray<A | Refusal>, UpstreamError, R> =>
  forEach(
    parts.map((part) => ({ symbol, part })),
    ({ part }) => part
  )

/**
 * A part of a run for each target. One that fails costs the rows of its own symbol; the run fails, with
 * the first failure, only when all of them do.
 */
export const forEach = <T extends { readonly symbol: string }, A, R>(
  targets: ReadonlyArray<T>,
  part: (target: T) => Effect.Effect<ReadonlyArray<A>, UpstreamError, R>
): Effect.Effect<ReadonlyArray<A | Refusal>, UpstreamError, R> =>
  Effect.map(partsOf(targets.map((target) => [target.symbol, part(target)] as const)), (outcomes) =>
    outcomes.flatMap(
      ({ name: symbol, outcome }): ReadonlyArray<A | Refusal> =>
        Result.isSuccess(outcome) ? outcome.success : [failedPart(outcome.failure, symbol)]
    )
  )

/** The result of a run: rows in the order of `byName`, and refusals by name. */
export interface Collected {
  readonly observations: ReadonlyArray<Observation>
  readonly refused: ReadonlyArray<Refusal>
}

export interface Plugin {
  readonly manifest: Manifest
  /** Needs only `Upstream`, so that a recording can always replace the network. */
  readonly collect: Effect.Effect<Collected, UpstreamError, Upstream>
}

/** What the code of a plugin from elsewhere exports by default; its manifest is `plugin.json`. */
export type Collect = (
  observe: Observe<string>
) => Effect.Effect<ReadonlyArray<CollectedPart>, UpstreamError, Upstream>

/** Defines a plugin: `collect` gets `observe`, typed by the metrics of the manifest. */
export const define = <const Name extends string>(
  definition: Declared<Name> & {
    readonly collect: (
      observe: Observe<Name>
    ) => Effect.Effect<ReadonlyArray<CollectedPart>, UpstreamError, Upstream>
  }
): Plugin => {
  const { collect, ...declared } = definition
  const manifest: Manifest = { owner: "plumbline", ...declared }
  return {
    manifest,
    collect: Effect.gen(function* () {
      const { targets } = yield* Upstream
      const readings = yield* collect((answer, values, facts = {}) => [{ answer, values, facts }])
      return accept(manifest, symbolsOf(manifest, targets), readings)
    })
  }
}

/** A double that was calculated is rounded from 2^53 on: from there on only other forms are exact. */
const isWhole = (reading: Reading, text: string): boolean =>
  typeof reading === "number" ? Number.isSafeInteger(reading) : !text.includes(".")

/** Whether the double of a row says all of a reading. A text is written down as the text that it was. */
const isPlain = (reading: Reading, text: string): boolean =>
  typeof reading === "number" || (reading instanceof Decimal && isDouble(text))

const notWhole = (reading: Reading, text: string): Unreadable =>
  unexpected(reading, text.includes(".") ? "a whole number" : "one below 2^53, or the number as text,")

/** Whether a number is one that unsigned counters of 64 bits give for a number just below 0, such as 2^64 - 1 for -1. */
const isWrapped = (text: string): boolean => {
  if (!/^1844674407\d{10}$/.test(text)) return false
  const below = 2n ** 64n - BigInt(text)
  return below > 0n && below <= 2n ** 32n
}

/**
 * Whether several figures of one reading are all 0, as upstreams answer that could not read their own, and not all of
 * their metrics say that they may drop to 0. What is measured in the physical world may be 0 as a whole.
 */
const isAllZero = (manifest: Manifest, values: Readings["values"]): boolean => {
  const figures = Object.entries(values).flatMap(([metric, reading]) => {
    const text = decimalOf(reading)
    const isNumber = typeof text === "string" && Number.isFinite(Number(text))
    return isNumber ? [[metricNamed(manifest.metrics, metric), Number(text)] as const] : []
  })
  return (
    manifest.tier !== "physical" &&
    figures.length > 1 &&
    figures.some(([metric]) => metric?.collapse !== 1) &&
    figures.every(([, number]) => number === 0)
  )
}

/** Turns readings into rows and refusals. A run that found no field of any metric says so: the shape has changed. */
const accept = (
  manifest: Manifest,
  symbols: ReadonlySet<string>,
  readings: ReadonlyArray<CollectedPart>
): Collected => {
  const rows = new Map<string, Observation>()
  const refused: Array<Refusal> = []
  const only = symbols.size === 1 ? [...symbols][0] : undefined
  for (const reading of readings) {
    if ("reason" in reading) {
      refused.push(reading)
      continue
    }
    const { answer, facts, values } = reading
    const symbol = facts.symbol ?? only ?? ""
    const as_of = timeOf(facts, answer, manifest.orHeaders)
    const isBlank = isAllZero(manifest, values)
    for (const [metric, reading] of Object.entries(values)) {
      const declared = metricNamed(manifest.metrics, metric)
      const text = decimalOf(reading)
      if (text === undefined) continue
      const refuse = (reason: string) => refused.push({ symbol, metric, reason })
      if (declared === undefined) refuse("the manifest does not declare this metric")
      else if (!symbols.has(symbol)) refuse("the manifest does not cover this symbol")
      else if (text instanceof Unreadable) refuse(text.reason)
      else if (!Number.isFinite(Number(text))) refuse(unexpected(reading, "a number").reason)
      else if (has(declared.unit, "whole") && !isWhole(reading, text)) refuse(notWhole(reading, text).reason)
      else if (isWrapped(text)) refuse(`${text} is what a counter says that fell below 0`)
      else if (excessOf(declared, Number(text)) !== undefined) refuse(excessOf(declared, Number(text)) ?? "")
      else if (isBlank) refuse("every figure that was read with it is 0, too: the upstream may have none")
      else if (as_of instanceof Unreadable) refuse(as_of.reason)
      else {
        const read_url = facts.read_url ?? answer.read_url
        const verify_url = facts.verify_url ?? read_url
        const row: Observation = {
          symbol,
          metric,
          // Adding 0 turns -0 into 0, so that no zero is told from another.
          value: Number(text) + 0,
          ...(isPlain(reading, text) ? {} : { value_text: text }),
          unit: declared.unit,
          source: facts.source ?? manifest.source,
          verify_url,
          // Served of telemetry alone; of the state of a chain it says which proof is the value's.
          ...((manifest.tier === "supply_telemetry" || answer.ofState === true) && verify_url !== read_url
            ? { read_url }
            : {}),
          as_of: isoTime(as_of)
        }
        const key = `${symbol}|${metric}|${row.source}|${row.as_of}`
        const before = rows.get(key)
        const reason = refusalOf(manifest, symbols, row)
        if (reason !== undefined) refuse(reason)
        else if (before === undefined) rows.set(key, row)
        else if (before.value !== row.value)
          refuse(`two values for ${row.as_of}: ${before.value} and ${row.value}`)
      }
    }
  }
  if (rows.size === 0 && refused.length === 0 && readings.length > 0) {
    const addresses = readings.flatMap((reading) => ("reason" in reading ? [] : [reading.answer.url]))
    const reason = `no field of any metric in ${[...new Set(addresses)].slice(0, 3).join(", ")}`
    refused.push({ symbol: only ?? "*", metric: "*", reason })
  }
  const collected = related(manifest.relations ?? [], [...rows.values()].sort(byName), refused)
  return { ...collected, refused: [...collected.refused, ...unprovedIn(readings, only)] }
}

/** A note for each answer whose readings the chain itself could have proved, and does not. */
const unprovedIn = (
  readings: ReadonlyArray<CollectedPart>,
  only: string | undefined
): ReadonlyArray<Refusal> => {
  const symbols = new Map<string, Set<string>>()
  for (const reading of readings) {
    if ("reason" in reading) continue
    const { unproved: why } = reading.answer
    if (why === undefined) continue
    const of = symbols.get(why) ?? new Set<string>()
    symbols.set(why, of.add(reading.facts.symbol ?? only ?? "*"))
  }
  return [...symbols].map(([why, of]) => {
    const [symbol = "*", ...others] = of
    return { symbol: others.length === 0 ? symbol : "*", metric: "*", reason: unproved + why }
  })
}

/** Rows that contradict each other are refused, each with the reason; the others stay. */
const related = (
  relations: ReadonlyArray<Relation>,
  rows: ReadonlyArray<Observation>,
  refused: ReadonlyArray<Refusal>
): Collected => {
  const reasons = new Map<Observation, string>()
  const unchecked: Array<readonly [Observation, string]> = []
  for (const { broken, missing = [], rows: compared } of applyRelations(relations, rows)) {
    for (const row of compared) {
      if (broken !== undefined && !reasons.has(row)) reasons.set(row, broken)
      if (missing.length > 0) unchecked.push([row, `${unapplied}${missing.join(", ")} missing`])
    }
  }
  const notes = unchecked.filter(([row]) => !reasons.has(row))
  return {
    observations: rows.filter((row) => !reasons.has(row)),
    refused: [
      ...refused,
      ...[...reasons, ...notes].map(([{ metric, symbol }, reason]) => ({ symbol, metric, reason }))
    ]
  }
}

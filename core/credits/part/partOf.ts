/** A part of a payload: the records of some networks and metrics. Works in a thread. */

import { bySymbol } from "../../catalog/Catalog.ts"
import { compare } from "../../plugin/Value.ts"
import { isRecord } from "../../proof/canonical.ts"
import { sourcesIn } from "../sourcesIn.ts"

export interface PartTask {
  /** The payload, JSON. */
  readonly bytes: Uint8Array
  /** Undefined for all. */
  readonly symbols: ReadonlyArray<string> | undefined
  readonly metrics: ReadonlyArray<string> | undefined
}

/** A name that no record of the payload has. */
export interface NameNotIn {
  readonly field: "symbols" | "metrics"
  readonly name: string
  /** Those that records have, sorted. */
  readonly valid: ReadonlyArray<string>
}

/** The part as JSON, or why there is none. */
export type PartResult = { readonly bytes: Uint8Array } | { readonly notIn: NameNotIn }

type Member = Readonly<Record<string, unknown>>

/** What a record may be named by, and the field that chooses among it. */
const names = { symbol: "symbols", metric: "metrics" } as const
type Name = keyof typeof names

type Chosen = Readonly<Record<Name, ReadonlySet<string> | undefined>>

const isRecords = (value: unknown): value is ReadonlyArray<Member> =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord)

/** Notes the names of all records in lists. */
const collect = (value: unknown, into: Readonly<Record<Name, Set<string>>>): void => {
  if (isRecords(value)) {
    for (const { metric, symbol } of value) {
      if (typeof symbol === "string") into.symbol.add(symbol)
      if (typeof metric === "string") into.metric.add(metric)
    }
    for (const one of value) collect(one, into)
  } else if (isRecord(value)) for (const member of Object.values(value)) collect(member, into)
}

const isChosen = (member: Member, chosen: Chosen): boolean =>
  (["symbol", "metric"] as const).every((name) => {
    const own = member[name]
    return typeof own !== "string" || chosen[name]?.has(own) !== false
  })

const isNamed = ({ metric, symbol }: Member): boolean =>
  typeof symbol === "string" || typeof metric === "string"

const isEmptied = (before: Member, after: Member): boolean => {
  const lists = Object.entries(before).flatMap(([name, value]) => (isRecords(value) ? [name] : []))
  return (
    lists.length > 0 &&
    lists.every((name) => {
      const list = after[name]
      return Array.isArray(list) && list.length === 0
    })
  )
}

/** The chosen records of a list. One that only held others, such as a category, goes with the last of them. */
const chosenOf = (list: ReadonlyArray<Member>, chosen: Chosen): ReadonlyArray<Member> =>
  list.flatMap((one) => {
    if (!isChosen(one, chosen)) return []
    const part = within(one, chosen)
    return !isNamed(one) && isEmptied(one, part) ? [] : [part]
  })

/** Whether the members are of one symbol each, such as the reasons of `not_covered`. */
const isBySymbol = (member: Member): boolean => {
  const keys = Object.keys(member)
  return keys.length > 0 && keys.every((key) => bySymbol.has(key))
}

const within = (member: Member, chosen: Chosen): Member => {
  const members = Object.entries(member)
  const some = isBySymbol(member) ? members.filter(([name]) => chosen.symbol?.has(name) !== false) : members
  return Object.fromEntries(
    some.map(([name, value]) => {
      if (isRecords(value)) return [name, chosenOf(value, chosen)]
      return [name, isRecord(value) ? within(value, chosen) : value]
    })
  )
}

const nameNotIn = (payload: unknown, chosen: Chosen): NameNotIn | undefined => {
  const there: Readonly<Record<Name, Set<string>>> = { symbol: new Set(), metric: new Set() }
  collect(payload, there)
  for (const [name, field] of [["symbol", names.symbol] as const, ["metric", names.metric] as const]) {
    const missing = [...(chosen[name] ?? [])].find((one) => !there[name].has(one))
    if (missing !== undefined) return { field, name: missing, valid: [...there[name]].sort(compare) }
  }
  return undefined
}

/** The part with the rights of the sources that are in it. */
const withRightsOfPart = (part: Member): Member => {
  const { rights, ...rest } = part
  if (!isRecord(rights)) return part
  const sources = sourcesIn(rest)
  return {
    ...part,
    rights: Object.fromEntries(Object.entries(rights).filter(([source]) => sources.has(source)))
  }
}

/**
 * The payload with those records of its lists whose `symbol` and `metric`, where they have them, are chosen. What is not in
 * a list of records stays, figures over the whole among it, but for the rights of sources that no record is left of.
 */
export const partOf = ({ bytes, metrics, symbols }: PartTask): PartResult => {
  const payload: unknown = JSON.parse(new TextDecoder().decode(bytes))
  const chosen: Chosen = {
    symbol: symbols === undefined ? undefined : new Set(symbols),
    metric: metrics === undefined ? undefined : new Set(metrics)
  }
  const notIn = nameNotIn(payload, chosen)
  if (notIn !== undefined) return { notIn }
  const part = isRecord(payload) ? withRightsOfPart(within(payload, chosen)) : payload
  return { bytes: new TextEncoder().encode(JSON.stringify(part)) }
}

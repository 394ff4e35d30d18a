/** The members of live answers beside those of recorded ones: where an upstream and its fixtures no longer agree. */
import { Option, Predicate } from "effect"
import type { Exchange } from "../../../core/plugin/Upstream.ts"

/** Places in an answer, each `<method or path>: <member>`, with `[]` for list items and `*` for names that are data. */
export interface Members {
  /** In live answers alone. */
  readonly added: ReadonlyArray<string>
  /** In fixtures alone. */
  readonly missing: ReadonlyArray<string>
  /** In both, but of another kind, such as text where there was a number. */
  readonly changed: ReadonlyArray<string>
}

/** An object with more members than this is a map: its names are data, such as countries or ids. */
const mostNames = 40

/** A name that is data: a number, a hash, an address, an identifier. */
const dataName = /^(-?\d.*|0x[0-9a-f]+|[0-9a-f]{16,}|[0-9a-f-]{36}|[1-9A-HJ-NP-Za-km-z]{30,})$/

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** What an answer holds: its JSON, its lines of JSON, or the names in the first line of a table; undefined for anything else. */
const valueOf = (body: Uint8Array): unknown => {
  const text = new TextDecoder().decode(body)
  const whole = parsed(text)
  if (Option.isSome(whole)) return whole.value
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const [first = ""] = lines
  const each = lines.map(parsed)
  if (each.length > 0 && each.every(Option.isSome)) return each.map(({ value }) => value)
  const names = first.trim().split(",")
  return names.length > 1 && names.every((name) => /^"?[A-Za-z_][\w .()-]*"?$/.test(name.trim()))
    ? Object.fromEntries(names.map((name) => [name.trim(), null]))
    : undefined
}

/** Which requests are of one kind: their path, and the methods of JSON-RPC. Hosts differ where one plugin reads many. */
const kindOf = ({ request: { body, url } }: Exchange): string => {
  const path = URL.parse(url)?.pathname ?? url
  const called = Option.getOrUndefined(parsed(body ?? ""))
  const calls = (Array.isArray(called) ? called : [called]).flatMap((call: unknown) =>
    Predicate.hasProperty(call, "method") && Predicate.isString(call.method) ? [call.method] : []
  )
  return [path, ...new Set(calls)].join(" ")
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? "list" : typeof value === "object" ? "object" : typeof value

/** Types at one place; null says nothing about the type. */
const typesOf = (values: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(values.filter(Predicate.isNotNullish).map(typeOf))

/** Compares the values at one place. A place that has none on one side is reported where it hangs, not here. */
const compare = (
  place: string,
  live: ReadonlyArray<unknown>,
  recorded: ReadonlyArray<unknown>,
  differences: Record<keyof Members, Set<string>>
): void => {
  const [are, were] = [typesOf(live), typesOf(recorded)]
  if (are.size > 0 && were.size > 0 && are.isDisjointFrom(were)) {
    differences.changed.add(`${place} is ${[...are].join(" or ")}, was ${[...were].join(" or ")}`)
    return
  }
  const items = [live.filter(Array.isArray).flat(), recorded.filter(Array.isArray).flat()] as const
  if (items[0].length > 0 && items[1].length > 0) compare(`${place}[]`, ...items, differences)
  const objects = [live.filter(isObject), recorded.filter(isObject)] as const
  if (objects[0].length === 0 || objects[1].length === 0) return
  const [names, recordedNames] = [
    new Set(objects[0].flatMap(Object.keys)),
    new Set(objects[1].flatMap(Object.keys))
  ] as const
  const all = [...names.union(recordedNames)]
  if (all.length > mostNames || all.every((name) => dataName.test(name))) {
    const [values, before] = [objects[0].flatMap(Object.values), objects[1].flatMap(Object.values)]
    if (values.length > 0 && before.length > 0) compare(`${place}.*`, values, before, differences)
    return
  }
  for (const name of all) {
    if (!recordedNames.has(name)) differences.added.add(`${place}.${name}`)
    else if (!names.has(name)) differences.missing.add(`${place}.${name}`)
    else {
      const at = (one: Readonly<Record<string, unknown>>) => (name in one ? [one[name]] : [])
      compare(`${place}.${name}`, objects[0].flatMap(at), objects[1].flatMap(at), differences)
    }
  }
}

/**
 * Compares answers of one plugin, kind of request by kind. Answers of a kind that is not recorded, such as those about
 * another token, are compared with all recorded ones. Refusals of the upstream say nothing about its members.
 */
export const compareMembers = (live: ReadonlyArray<Exchange>, recorded: ReadonlyArray<Exchange>): Members => {
  const differences = { added: new Set<string>(), missing: new Set<string>(), changed: new Set<string>() }
  const valuesOf = (exchanges: ReadonlyArray<Exchange>) =>
    exchanges
      .flatMap(({ body, status }) => (status < 400 ? [valueOf(body)] : []))
      .filter(Predicate.isNotUndefined)
  const kinds = Map.groupBy(recorded, kindOf)
  for (const [kind, exchanges] of Map.groupBy(live, (exchange) => {
    const own = kindOf(exchange)
    return kinds.has(own) ? own : ""
  })) {
    compare(
      kind === "" ? "any" : kind,
      valuesOf(exchanges),
      valuesOf(kinds.get(kind) ?? recorded),
      differences
    )
  }
  return {
    added: [...differences.added],
    missing: [...differences.missing],
    changed: [...differences.changed]
  }
}

/** Spoils one field of an answer at a time. The plugin may react with an error or by leaving rows out. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { metricNamed } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import type { Observation } from "../../../core/plugin/Value.ts"
import type { Tape } from "../../upstream/replay.ts"
import * as Fixtures from "../fixtures.ts"
import { pointer } from "../Leaf.ts"

/** A row that a spoilt field changed: a new row, or a different value. */
export interface Altered {
  /** The field as a JSON pointer, numbers of list entries as `#`. */
  readonly field: string
  readonly put: string
  readonly row: Observation
  /** What the sound answer gives for the series; empty where it gives none. */
  readonly was: ReadonlyArray<number>
}

/** Replacements for a field; undefined removes it. */
const missing: ReadonlyArray<unknown> = [undefined, null, "", []]
const noNumbers: ReadonlyArray<unknown> = ["NaN", "<html>", -5]

const wrongFor = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "number" || (typeof value === "string" && /^-?[\d.]+$/.test(value))
    ? [...missing, ...noNumbers]
    : missing

/** Entries to keep of a list. */
const most = 4

type Path = ReadonlyArray<string>
type Holder = { [key: string]: unknown }

/** A key that names an entry (e.g. an address) and not a field. */
const isEntry = (key: string): boolean => /[^\w-]|[0-9a-fA-F]{16}/.test(key)

/** All fields of an object; the first and the last entry of a list or a map. */
const keysOf = (value: object): ReadonlyArray<string> => {
  const keys = Object.keys(value)
  return Array.isArray(value) || keys.some(isEntry)
    ? [...new Set([...keys.slice(0, 1), ...keys.slice(-1)])]
    : keys
}

const pathsOf = (value: unknown, above: Path = []): ReadonlyArray<Path> =>
  typeof value !== "object" || value === null
    ? []
    : keysOf(value).flatMap((key) => {
        const path = [...above, key]
        return [path, ...pathsOf((value as Holder)[key], path)]
      })

/** Cuts long lists, so that replays are fast. */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, most).map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]))
}

/** The payload with another value at the path; undefined removes the field. */
export const put = (payload: unknown, path: Path, value: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (Array.isArray(payload)) {
    // Removing an entry would only make a shorter list, which is valid; null takes its place.
    return payload.with(Number(key), put(payload[Number(key)], rest, value) ?? null)
  }
  const { [key]: now, ...others } = payload as Holder
  const next = put(now, rest, value)
  return next === undefined && !isEntry(key) ? others : { ...(payload as Holder), [key]: next ?? null }
}

/** The structure of a payload. Answers with the same structure are tried once. */
const shapeOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.length === 0 ? "" : shapeOf(value[0])}]`
  if (typeof value !== "object" || value === null) return typeof value
  const members = Object.entries(value).map(
    ([key, member]) => `${isEntry(key) ? "" : key}:${shapeOf(member)}`
  )
  return `{${[...new Set(members)].sort().join()}}`
}

export const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown
  } catch {
    return undefined
  }
}

/** The tape with another payload in one of its exchanges. */
export const withPayload = (tape: Tape, index: number, payload: unknown): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((exchange, at) => {
    if (at !== index) return exchange
    const body = new TextEncoder().encode(JSON.stringify(payload))
    return { ...exchange, body, sha256: createHash("sha256").update(body).digest("hex") }
  })
})

const nameOf = (row: Observation): string => `${row.symbol}|${row.metric}|${row.source}`

const rowsOf = (rows: Expected): ReadonlyArray<Observation> =>
  "observations" in rows ? rows.observations : []

/** A value that was there before, or one from an older day of the same list. */
const isSame = (row: Observation, before: ReadonlyArray<Observation>): boolean =>
  before.some(({ value }) => value === row.value) ||
  (before.length > 0 && before.every(({ as_of }) => row.as_of < as_of))

/** Whether guards hold the value back as impossible, or the metric may be negative. */
const isHeldBack = ({ manifest }: Plugin, { metric, value }: Observation): boolean => {
  const min = metricNamed(manifest.metrics, metric)?.min ?? -1
  return min < 0 || value < min
}

/** A field that changes the rows. */
interface ReadField {
  /** Which exchange of the tape has it. */
  readonly index: number
  readonly payload: unknown
  readonly path: Path
}

/** The fields that a plugin reads, the tape with short lists that they are of, and its rows. */
const fieldsRead = Effect.fnUntraced(function* (plugin: Plugin, tape: Tape) {
  const short = tape.exchanges.reduce((cut, exchange, index) => {
    const payload = parsed(exchange.body)
    return payload === undefined ? cut : withPayload(cut, index, shortened(payload))
  }, tape)
  const brief = yield* Fixtures.replay(plugin, short)
  // A plugin that knows the length of its lists refuses short ones; then the whole lists are used.
  const [sound, base] =
    rowsOf(brief).length > 0 ? [brief, short] : [yield* Fixtures.replay(plugin, tape), tape]
  const unchanged = JSON.stringify(sound)
  const fields: Array<ReadField> = []
  const kinds = new Set<string>()
  for (const [index, exchange] of base.exchanges.entries()) {
    const payload = parsed(exchange.body)
    const { host, pathname } = new URL(exchange.request.url)
    const shape = shapeOf(payload)
    // Of one host, or of many that speak one interface: one such answer stands for all.
    const alike = [`${host} ${shape}`, `${pathname} ${shape}`]
    const isTested = alike.some((kind) => kinds.has(kind))
    for (const kind of alike) kinds.add(kind)
    if (isTested) continue
    for (const path of pathsOf(payload)) {
      const changed = yield* Fixtures.replay(plugin, withPayload(base, index, put(payload, path, {})))
      if (JSON.stringify(changed) !== unchanged) fields.push({ index, payload, path })
    }
  }
  return { base, sound, fields }
})

/** A name that is data: a number, a hash, a country, or a member of the JSON-RPC envelope. */
const isData = ({ path, payload }: ReadField): boolean => {
  const key = path.at(-1) ?? ""
  const holder = Object(getIn(payload, path.slice(0, -1)))
  return /^[A-Z]{2,3}$/.test(key) || isEntry(key) || (/^(id|result)$/.test(key) && "jsonrpc" in holder)
}

/** Names of the members that the plugin reads of its answers, without those that only lead to others. */
export const membersRead = Effect.fn("Fields.membersRead")(function* (plugin: Plugin, tape: Tape) {
  const { fields } = yield* fieldsRead(plugin, tape)
  const leads = new Set(fields.map(({ index, path }) => `${index} ${pointer(path.slice(0, -1))}`))
  return new Set(
    fields.flatMap((field) => {
      const name = field.path.findLast((key) => !/^\d+$/.test(key))
      return name === undefined || leads.has(`${field.index} ${pointer(field.path)}`) || isData(field)
        ? []
        : [name]
    })
  )
})

/**
 * Spoils every field that the plugin reads, in every way, and returns the rows that changed. Finds nothing for a plugin
 * that does not read JSON.
 */
export const altered = Effect.fn("Fields.altered")(function* (plugin: Plugin, tape: Tape) {
  const { base, fields, sound } = yield* fieldsRead(plugin, tape)
  const values = Map.groupBy(rowsOf(sound), nameOf)
  const alterations: Array<Altered> = []
  for (const { index, path, payload } of fields) {
    for (const value of wrongFor(getIn(payload, path))) {
      const rows = rowsOf(yield* Fixtures.replay(plugin, withPayload(base, index, put(payload, path, value))))
      for (const row of rows) {
        const before = values.get(nameOf(row)) ?? []
        if (isSame(row, before) || (value === -5 && isHeldBack(plugin, row))) continue
        const was = before.map((observation) => observation.value)
        const field = pointer(path.map((key) => (/^\d+$/.test(key) ? "#" : key)))
        alterations.push({ field, put: value === undefined ? "nothing" : JSON.stringify(value), row, was })
      }
    }
  }
  return alterations
})

const getIn = (payload: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Holder)[key], payload)

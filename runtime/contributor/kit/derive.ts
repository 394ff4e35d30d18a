/**
 * Derives the four other cases from `ok`, by trying which leaf of the payload, set to 0 or removed, shows in the rows.
 * They are a start: a case that the upstream really sent is worth more and should replace one of these.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { Effect } from "effect"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import { type Exchange, nameOf } from "../../../core/plugin/Upstream.ts"
import type { Tape } from "../../upstream/replay.ts"
import { derivedMark, isDerived, scaffoldMark } from "../check/Finding.ts"
import * as Fixtures from "../fixtures.ts"
import { type Leaf, pointer, replaced } from "../Leaf.ts"
import { leaves } from "../leaves.ts"

/** A derived case: its tape, its rows, and how it was made. */
export interface Derived {
  readonly name: "measured-zero" | "missing-field" | "refused" | "changed-shape"
  readonly tape: Tape
  readonly rows: Expected
  /** In words, for the recording's note. */
  readonly how: string
}

/** Why no such case could be made. */
export interface Underivable {
  readonly name: Derived["name"]
  readonly why: string
}

/** The most leaves to try per payload: the entries of a long list are alike. */
const tries = 400

const decoder = new TextDecoder()

const withBody = (exchange: Exchange, text: string, status = exchange.status): Exchange => {
  const body = new TextEncoder().encode(text)
  return { ...exchange, status, body, sha256: createHash("sha256").update(body).digest("hex") }
}

const withExchange = (tape: Tape, index: number, exchange: Exchange): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((original, at) => (at === index ? exchange : original))
})

/** The text with a leaf set to 0, as a number, a decimal string, or hexadecimal digits with and without their width. */
const zeroed = (text: string, leaf: Leaf): ReadonlyArray<string> => {
  const now = text.slice(leaf.start, leaf.end)
  if (/^-?\d/.test(now)) return [replaced(text, leaf, "0")]
  if (/^"-?\d+(\.\d+)?"$/.test(now)) return [replaced(text, leaf, '"0"')]
  return /^"0x[0-9a-f]+"$/i.test(now)
    ? [replaced(text, leaf, '"0x0"'), replaced(text, leaf, `"0x${"0".repeat(now.length - 4)}"`)]
    : []
}

/** Removes a member, or sets a list item to null; only in a payload that is one JSON text, or XML. */
const without = (text: string, leaf: Leaf): ReadonlyArray<string> => {
  if (leaf.whole !== undefined) return [text.slice(0, leaf.whole.start) + text.slice(leaf.whole.end)]
  const last = leaf.path.at(-1)
  const top = parsed(text)
  if (last === undefined || top === undefined) return []
  let parent: unknown = top
  for (const name of leaf.path.slice(0, -1)) parent = (parent as Record<string, unknown>)[name]
  if (Array.isArray(parent)) parent[Number(last)] = null
  else delete (parent as Record<string, unknown>)[last]
  return [JSON.stringify(top)]
}

type Change = (text: string, leaf: Leaf) => ReadonlyArray<string>

/** A change of what a call of JSON-RPC gives: often the only value of a plugin, so that without it no row remains. */
const ofResult =
  (change: Change): Change =>
  (text, leaf) =>
    leaf.path.at(-1) === "result" && text.includes('"jsonrpc"') ? change(text, leaf) : []

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const lists = (key: string): string => (/^\d+$/.test(key) ? "#" : key)

/** Texts of a field of a list's entries, in every pair of two of them. */
const wordsOf = (payloads: ReadonlyArray<unknown>) => {
  const texts = new Map<string, Set<string>>()
  const walk = (value: unknown, field: string): void => {
    if (typeof value === "string" && field.includes("/#")) {
      texts.set(field, (texts.get(field) ?? new Set()).add(value))
    } else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) walk(member, `${field}/${lists(key)}`)
    }
  }
  for (const payload of payloads) walk(payload, "")
  return [...texts].flatMap(([field, values]) =>
    // Many different texts are names, not words that are counted.
    values.size > 8
      ? []
      : [...values].flatMap((from) => [...values].flatMap((to) => (from === to ? [] : [{ field, from, to }])))
  )
}

/** The payload with one word of a field replaced by another, in every entry. */
const relabelled = (value: unknown, field: string, from: string, to: string, at = ""): unknown => {
  if (value === from && at === field) return to
  if (typeof value !== "object" || value === null) return value
  const next = (member: unknown, key: string) => relabelled(member, field, from, to, `${at}/${lists(key)}`)
  return Array.isArray(value)
    ? value.map((member) => next(member, "0"))
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, next(member, key)]))
}

/** Where lists with entries are. */
const filledLists = (
  value: unknown,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => {
  if (typeof value !== "object" || value === null) return []
  const inside = Object.entries(value).flatMap(([name, member]) => filledLists(member, [...path, name]))
  return Array.isArray(value) && value.length > 0 ? [path, ...inside] : inside
}

/** The payload with the list at a path without its entries. */
const emptied = (value: unknown, path: ReadonlyArray<string>): unknown => {
  const [name, ...rest] = path
  if (name === undefined || typeof value !== "object" || value === null) return []
  const next = (member: unknown, key: string) => (key === name ? emptied(member, rest) : member)
  return Array.isArray(value)
    ? value.map((member, at) => next(member, String(at)))
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, next(member, key)]))
}

const keyOf = (row: { readonly symbol: string; readonly metric: string; readonly source: string }) =>
  `${row.symbol}|${row.metric}|${row.source}`

/** Derives the four cases independently: one that cannot be made does not affect the others. */
export const derive = Effect.fn("Kit.derive")(function* (plugin: Plugin, ok: Tape) {
  const sound = yield* Fixtures.replay(plugin, ok)
  if ("error" in sound) return [{ name: "measured-zero", why: sound.message }] satisfies Array<Underivable>
  const keys = new Set(sound.observations.map(keyOf))
  const derived: Array<Derived | Underivable> = []

  const search = Effect.fnUntraced(function* (change: Change, shows: (rows: Expected) => boolean) {
    for (const [index, exchange] of ok.exchanges.entries()) {
      const text = decoder.decode(exchange.body)
      for (const leaf of leaves(text).slice(0, tries)) {
        for (const changed of change(text, leaf)) {
          const tape = withExchange(ok, index, withBody(exchange, changed))
          const rows = yield* Fixtures.replay(plugin, tape)
          const place = `${pointer(leaf.path)} of ${nameOf(exchange.request)}`
          if (shows(rows)) return { tape, rows, place }
        }
      }
    }
    return undefined
  })

  const isLost = (rows: Expected) => "error" in rows || rows.observations.length < sound.observations.length
  const isZero = (rows: Expected) =>
    "observations" in rows &&
    rows.observations.length === sound.observations.length &&
    rows.observations.some((row) => row.value === 0 && keys.has(keyOf(row)))
  const zero =
    (yield* Effect.map(search(zeroed, isZero), (match) =>
      match === undefined ? undefined : { ...match, how: `${match.place} set to 0` }
    )) ??
    (yield* Effect.gen(function* () {
      // The count of a word is 0 when every entry has another word instead.
      const payloads = ok.exchanges.map(({ body }) => parsed(decoder.decode(body)))
      for (const { field, from, to } of wordsOf(payloads).slice(0, tries)) {
        const exchanges = ok.exchanges.map((exchange, index) => {
          const changed = JSON.stringify(relabelled(payloads[index], field, from, to))
          return payloads[index] === undefined ? exchange : withBody(exchange, changed)
        })
        const tape = { ...ok, exchanges }
        const rows = yield* Fixtures.replay(plugin, tape)
        if (isZero(rows)) return { tape, rows, how: `every ${from} in ${field} replaced by ${to}` }
      }
      return undefined
    })) ??
    (yield* Effect.gen(function* () {
      // Nothing to count is a measured 0 where the plugin takes it for one (`mayBeEmpty`).
      for (const [index, exchange] of ok.exchanges.entries()) {
        const payload = parsed(decoder.decode(exchange.body))
        for (const path of filledLists(payload).slice(0, tries)) {
          const changed = JSON.stringify(emptied(payload, path))
          const tape = withExchange(ok, index, withBody(exchange, changed))
          const rows = yield* Fixtures.replay(plugin, tape)
          if (isZero(rows))
            return {
              tape,
              rows,
              how: `${pointer(path) || "the list"} of ${nameOf(exchange.request)} emptied`
            }
        }
      }
      return undefined
    })) ??
    (yield* Effect.map(search(ofResult(zeroed), isLost), (match) =>
      match === undefined ? undefined : { ...match, how: `${match.place} set to 0, which the plugin refuses` }
    ))
  derived.push(
    zero === undefined
      ? {
          name: "measured-zero",
          why: "setting a number to 0, replacing a word or emptying a list never gives a row with the value 0"
        }
      : { name: "measured-zero", tape: zero.tape, rows: zero.rows, how: zero.how }
  )

  const missing =
    (yield* search(
      without,
      (rows) =>
        "observations" in rows &&
        rows.observations.length > 0 &&
        rows.observations.length < sound.observations.length
    )) ?? (yield* search(ofResult(without), isLost))
  derived.push(
    missing === undefined
      ? { name: "missing-field", why: "removing a member never removes just its own rows" }
      : { name: "missing-field", tape: missing.tape, rows: missing.rows, how: `${missing.place} removed` }
  )

  const all = (change: (exchange: Exchange) => Exchange): Tape => ({
    ...ok,
    exchanges: ok.exchanges.map(change)
  })
  const refused = all((exchange) => withBody(exchange, '{"error":"Too Many Requests"}', 429))
  derived.push({
    name: "refused",
    tape: refused,
    rows: yield* Fixtures.replay(plugin, refused),
    how: "every answer replaced by status 429"
  })
  const changed = all((exchange) => withBody(exchange, '{"version":2,"data":{"items":[]}}'))
  derived.push({
    name: "changed-shape",
    tape: changed,
    rows: yield* Fixtures.replay(plugin, changed),
    how: "every answer replaced by another shape"
  })
  return derived
})

/** What became of a case: written, not derivable (`says` why), or left as somebody wrote it by hand (`says` its note). */
export interface Outcome {
  readonly name: Derived["name"]
  readonly became: "written" | "underivable" | "left"
  readonly says: string
}

/**
 * Writes derived cases under `root`: of all names, or of the one named, which alone may replace a case that was written by hand or
 * cannot be read. Returns what became of each.
 */
export const writeCases = Effect.fn("Kit.writeCases")(function* (
  plugin: Plugin,
  root: string,
  only?: string
) {
  const { id } = plugin.manifest
  const { recording, tape } = yield* Fixtures.load(`${root}/${id}/ok`)
  const outcomes: Array<Outcome> = []
  for (const derived of yield* derive(plugin, tape)) {
    const { name } = derived
    if (only !== undefined && only !== name) continue
    const place = `${root}/${id}/${name}`
    const before = yield* noteAt(place)
    if ("why" in derived) {
      outcomes.push({ name, became: "underivable", says: derived.why })
      // The scaffold's own example belongs to another payload, so it goes.
      if (before?.includes(scaffoldMark)) yield* Fixtures.remove(place)
    } else if (only === undefined && before !== undefined && !isDerived(before)) {
      outcomes.push({ name, became: "left", says: before })
    } else {
      const note = `${derivedMark} (${recording.note}): ${derived.how}`
      yield* Fixtures.save(place, { plugin: id, origin: "written", note }, derived.tape)
      yield* Fixtures.writeExpected(place, derived.rows)
      outcomes.push({ name, became: "written", says: derived.how })
    }
  }
  return outcomes
})

/** The note of a case; undefined where there is none, and why it cannot be read where it is broken. */
const noteAt = Effect.fnUntraced(function* (place: string) {
  if (!existsSync(`${place}.json`)) return undefined
  return yield* Fixtures.load(place).pipe(
    Effect.map(({ recording }) => recording.note),
    Effect.catchTag("CaseBroken", ({ message }) => Effect.succeed(message))
  )
})

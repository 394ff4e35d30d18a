/**
 * Answers that parse and are none: an error with status 200, two members of one name, times of years ahead, numbers that
 * are negative, broken or beyond 2^53. What ingest would take of them is what the sound answers give, or nothing.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type Metric, metricNamed } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import type { Observation } from "../../../core/plugin/Value.ts"
import { checkGuards } from "../../../core/readings/ingest/compare/guards.ts"
import type { Tape } from "../../upstream/replay.ts"
import * as Fixtures from "../fixtures.ts"
import { wrong } from "./Finding.ts"

const number = /(:\s*|[[,]\s*)("?)(-?\d+(?:\.\d+)?)\2(?=\s*[,}\]])/g
const isTime = (value: number) => (value > 1.5e9 && value < 2e9) || (value > 1.5e12 && value < 2e12)
const years = 5

const numbers = (by: (digits: string) => string) => (source: string) =>
  source.replace(number, (whole, before: string, quote: string, digits: string) =>
    isTime(Number(digits)) ? whole : `${before}${quote}${by(digits)}${quote}`
  )

const later = (source: string) =>
  source
    .replace(/\b(20\d\d)(-\d\d-\d\d)/g, (_, year: string, day: string) => `${Number(year) + years}${day}`)
    .replace(number, (whole, before: string, quote: string, digits: string) => {
      const time = Number(digits)
      const ahead = years * 365 * 86_400 * (time > 1e12 ? 1000 : 1)
      return isTime(time) ? `${before}${quote}${time + ahead}${quote}` : whole
    })

/** A way in which an answer is none. */
export interface Way {
  readonly name: string
  readonly body: (source: string) => string
  /** What to do about a plugin that makes rows of it. */
  readonly next: string
  /** Whether a row may differ from those of the sound answers. */
  readonly mayDiffer?: (metric: Metric | undefined, row: Observation) => boolean
}

const isExact = (_: unknown, { value }: Observation) => Number.isSafeInteger(value)
const isCount = (metric: Metric | undefined) =>
  ["count", "block", "aircraft", "vessels"].includes(metric?.unit ?? "")

/** What can be wrong with an answer that parses. */
export const ways: ReadonlyArray<Way> = [
  {
    name: "an error",
    next: "an answer that cannot be understood must give an error or no row; decode it with a schema",
    body: () => `{"status":"error","code":500,"error":{"code":-1,"message":"down"},"data":null}`
  },
  {
    name: "nothing, said at length",
    next: "an answer that cannot be understood must give an error or no row; decode it with a schema",
    body: () => `{"success":true,"total":0,"count":0,"data":[],"result":[],"items":[]}`
  },
  {
    name: "two members of one name",
    next: "an answer that cannot be understood must give an error or no row; decode it with a schema",
    body: (source) => source.replace(/\{\s*("[^"]*"\s*:)/, (_, member: string) => `{${member}0,${member}`)
  },
  {
    name: "times of years ahead",
    next: "date the rows by the time of the answer (as_of), in the unit in which it is stated",
    body: later
  },
  {
    name: "negative numbers",
    next: "read it with count, quantity or amount of #plugin/fields, which refuse such a number",
    body: numbers((digits) => (/^[1-9]/.test(digits) ? `-${digits}` : digits)),
    mayDiffer: (metric) => metric?.min === undefined || metric.min < 0
  },
  {
    name: "numbers beyond 2^53",
    next: "read it with count, quantity or amount of #plugin/fields, which refuse such a number",
    body: numbers((digits) => (Number(digits) === 0 ? digits : "90071992547409930007")),
    mayDiffer: (metric, row) => !isCount(metric) || row.value_text !== undefined || isExact(metric, row)
  },
  {
    name: "parts of things",
    next: "read it with count, quantity or amount of #plugin/fields, which refuse such a number",
    body: numbers((digits) => (/^\d+$/.test(digits) && Number(digits) > 1 ? `${digits}.5` : digits)),
    mayDiffer: (metric, row) => !isCount(metric) || isExact(metric, row)
  }
]

const rowsOf = (rows: Expected): ReadonlyArray<Observation> =>
  "observations" in rows ? rows.observations : []

const nameOf = ({ as_of, metric, source, symbol, value }: Observation): string =>
  [symbol, metric, source, as_of, value].join(" ")

const spoilt = (tape: Tape, body: Way["body"]): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((exchange) => {
    const source = body(new TextDecoder().decode(exchange.body))
    return {
      ...exchange,
      body: new TextEncoder().encode(source),
      sha256: createHash("sha256").update(source).digest("hex")
    }
  })
})

/** Rows that ingest would take at the first run and that the sound answers do not give. */
const acceptedRows = (plugin: Plugin, tape: Tape, sound: ReadonlySet<string>, { body, mayDiffer }: Way) =>
  Effect.map(Fixtures.replay(plugin, spoilt(tape, body)), (rows) =>
    rowsOf(rows).filter((row) => {
      const metric = metricNamed(plugin.manifest.metrics, row.metric)
      if (sound.has(nameOf(row)) || mayDiffer?.(metric, row) === true) return false
      return (
        metric === undefined || checkGuards({ metric, name: row.metric }, row.value, undefined) === undefined
      )
    })
  )

/** A finding for the first row that a plugin makes of its case `ok` with answers of that way; `rows` are those of the sound ones. */
export const oddFindings = Effect.fn("Check.oddFindings")(function* (
  plugin: Plugin,
  tape: Tape,
  rows: Expected,
  way: Way
) {
  const [first, ...others] = yield* acceptedRows(plugin, tape, new Set(rowsOf(rows).map(nameOf)), way)
  if (first === undefined) return []
  const { as_of, metric, symbol, value } = first
  const more = others.length === 0 ? "" : `, and ${others.length} more rows`
  const says = `${way.name}: gives ${symbol} ${metric} = ${value} of ${as_of}, which the sound answers do not${more}`
  return [wrong("broken payloads", says, way.next)]
})

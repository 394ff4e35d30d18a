/**
 * Answers that parse and are none: an error with status 200, two members of one name, times of years ahead, numbers that
 * are negative, broken or beyond 2^53. Of each plugin, what ingest would take is what the sound answers give, or nothing.
 */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Metric, metricNamed } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { checkGuards } from "../../core/readings/ingest/compare/guards.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"
import { soundCases } from "../support/plugins.ts"

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

interface Way {
  readonly name: string
  readonly body: (source: string) => string
  /** Whether a row may differ from those of the sound answers. */
  readonly mayDiffer?: (metric: Metric | undefined, row: Observation) => boolean
}

const isExact = (_: unknown, { value }: Observation) => Number.isSafeInteger(value)
const isCount = (metric: Metric | undefined) =>
  ["count", "block", "aircraft", "vessels"].includes(metric?.unit ?? "")

const ways: ReadonlyArray<Way> = [
  {
    name: "an error",
    body: () => `{"status":"error","code":500,"error":{"code":-1,"message":"down"},"data":null}`
  },
  {
    name: "nothing, said at length",
    body: () => `{"success":true,"total":0,"count":0,"data":[],"result":[],"items":[]}`
  },
  {
    name: "two members of one name",
    body: (source) => source.replace(/\{\s*("[^"]*"\s*:)/, (_, member: string) => `{${member}0,${member}`)
  },
  { name: "times of years ahead", body: later },
  {
    name: "negative numbers",
    body: numbers((digits) => (/^[1-9]/.test(digits) ? `-${digits}` : digits)),
    mayDiffer: (metric) => metric?.min === undefined || metric.min < 0
  },
  {
    name: "numbers beyond 2^53",
    body: numbers((digits) => (Number(digits) === 0 ? digits : "90071992547409930007")),
    mayDiffer: (metric, row) => !isCount(metric) || row.value_text !== undefined || isExact(metric, row)
  },
  {
    name: "parts of things",
    body: numbers((digits) => (/^\d+$/.test(digits) && Number(digits) > 1 ? `${digits}.5` : digits)),
    mayDiffer: (metric, row) => !isCount(metric) || isExact(metric, row)
  }
]

const cases = (await soundCases()).map(({ rows, ...rest }) => ({
  ...rest,
  sound: new Set(rowsOf(rows).map(nameOf))
}))

function rowsOf(rows: Expected): ReadonlyArray<Observation> {
  return "observations" in rows ? rows.observations : []
}

function nameOf({ as_of, metric, source, symbol, value }: Observation): string {
  return [symbol, metric, source, as_of, value].join(" ")
}

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

describe.each(cases)("$id", ({ plugin, sound, tape }) => {
  it.effect.each([...ways])("makes nothing new of $name", (way) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* acceptedRows(plugin, tape, sound, way)).map(nameOf), [])
    })
  )
})

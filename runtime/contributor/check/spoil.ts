/** Ways in which an upstream breaks its answers. The plugin may react with an error or by leaving rows out. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import type { Observation } from "../../../core/plugin/Value.ts"
import type { Tape } from "../../upstream/replay.ts"
import * as Fixtures from "../fixtures.ts"

const text = (body: string) => new TextEncoder().encode(body)
const rewritten = (body: Uint8Array, form: RegExp, by: string) =>
  text(new TextDecoder().decode(body).replace(form, by))

/** What can happen to a body. */
export interface Way {
  readonly name: string
  readonly spoil: (body: Uint8Array) => Uint8Array
}

export const ways: ReadonlyArray<Way> = [
  { name: "empty", spoil: () => text("") },
  { name: "null", spoil: () => text("null") },
  { name: "empty object", spoil: () => text("{}") },
  { name: "empty list", spoil: () => text("[]") },
  { name: "zero", spoil: () => text("0") },
  { name: "text NaN", spoil: () => text('"NaN"') },
  { name: "HTML", spoil: () => text("<!doctype html><html><body>Attention required</body></html>") },
  { name: "wrong encoding", spoil: () => new Uint8Array([0xff, 0xfe, 0x00, 0x7b, 0xc3, 0x28]) },
  { name: "deeply nested", spoil: () => text("[".repeat(50_000) + "]".repeat(50_000)) },
  { name: "cut short", spoil: (body) => body.slice(0, Math.floor(body.length / 2)) },
  {
    name: "all numbers beyond a double",
    spoil: (body) => rewritten(body, /:\s*-?\d+(\.\d+)?(e[+-]?\d+)?/gi, ":1e999")
  },
  {
    name: "all numbers as text NaN",
    spoil: (body) => rewritten(body, /:\s*-?\d+(\.\d+)?(e[+-]?\d+)?/gi, ':"NaN"')
  },
  {
    name: "all values null",
    spoil: (body) => rewritten(body, /:\s*(-?\d+(\.\d+)?(e[+-]?\d+)?|"[^"]*")/gi, ":null")
  },
  { name: "all values empty text", spoil: (body) => rewritten(body, /:\s*(-?\d+(\.\d+)?|"[^"]*")/g, ':""') }
]

/** A row that a spoilt answer made up. */
export interface Invented {
  /** Place of the spoilt exchange in the recording, from 0. */
  readonly exchange: number
  readonly url: string
  readonly row: Observation
}

/** The most exchanges to spoil: later requests of a run resemble the first ones. */
const most = 3

/** Places spread evenly over a recording. */
export const some = (length: number): ReadonlyArray<number> =>
  length <= most
    ? Array.from({ length }, (_, at) => at)
    : Array.from({ length: most }, (_, at) => Math.round((at * (length - 1)) / (most - 1)))

/** The values of the intact run, by series; empty if it fails. */
export type Sound = ReadonlyMap<string, number>

export const soundIn = (rows: Expected): Sound => new Map(rowsOf(rows).map((row) => [nameOf(row), row.value]))

export const soundOf = (plugin: Plugin, tape: Tape): Effect.Effect<Sound> =>
  Effect.map(Fixtures.replay(plugin, tape), soundIn)

/**
 * Spoils one exchange of the recording at a time. A row is invented if the intact run has no such series, or if it is 0
 * where the intact run's value is not.
 */
export const invented = Effect.fn("Spoil.invented")(function* (
  plugin: Plugin,
  tape: Tape,
  sound: Sound,
  way: Way
) {
  const inventedRows: Array<Invented> = []
  for (const index of some(tape.exchanges.length)) {
    const exchanges = tape.exchanges.map((exchange, at) => {
      if (at !== index) return exchange
      const body = way.spoil(exchange.body)
      return { ...exchange, body, sha256: createHash("sha256").update(body).digest("hex") }
    })
    for (const row of rowsOf(yield* Fixtures.replay(plugin, { ...tape, exchanges }))) {
      const value = sound.get(nameOf(row))
      if (value === undefined || (row.value === 0 && value !== 0)) {
        inventedRows.push({ exchange: index, url: tape.exchanges[index]?.request.url ?? "", row })
      }
    }
  }
  return inventedRows
})

const rowsOf = (rows: Expected): ReadonlyArray<Observation> =>
  "observations" in rows ? rows.observations : []

const nameOf = (row: Observation): string => `${row.symbol}|${row.metric}`

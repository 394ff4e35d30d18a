/** Broken payloads: every answer of every `ok` case is spoilt in turn; the run fails clearly or leaves rows out, and never says something new. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Expected } from "../../core/plugin/Recording.ts"
import * as Fixtures from "../../runtime/fixtures.ts"
import * as Plugins from "../../runtime/plugins.ts"

const plugins = await Effect.runPromise(Plugins.all())

const text = (body: string) => new TextEncoder().encode(body)

const spoilt: ReadonlyArray<readonly [name: string, spoil: (body: Uint8Array) => Uint8Array]> = [
  ["empty", () => text("")],
  ["null", () => text("null")],
  ["empty object", () => text("{}")],
  ["empty list", () => text("[]")],
  ["zero", () => text("0")],
  ["text NaN", () => text('"NaN"')],
  ["HTML", () => text("<!doctype html><html><body>Attention required</body></html>")],
  ["wrong encoding", () => new Uint8Array([0xff, 0xfe, 0x00, 0x7b, 0xc3, 0x28])],
  ["cut short", (body) => body.slice(0, Math.floor(body.length / 2))],
  [
    "all numbers as text NaN",
    (body) => text(new TextDecoder().decode(body).replace(/:\s*-?\d+(\.\d+)?/g, ':"NaN"'))
  ],
  [
    "all values null",
    (body) => text(new TextDecoder().decode(body).replace(/:\s*(-?\d+(\.\d+)?|"[^"]*")/g, ":null"))
  ]
]

/** Rows that the spoilt answer made up: neither in the sound run nor left out. */
const invented = (sound: Expected, rows: Expected): ReadonlyArray<unknown> => {
  if ("error" in rows || "error" in sound) return []
  const known = new Set(sound.observations.map(({ metric, symbol }) => `${symbol}|${metric}`))
  return rows.observations.filter(
    ({ metric, symbol, value }) => value === 0 || !known.has(`${symbol}|${metric}`)
  )
}

describe.each(plugins)("$manifest.id", (plugin) => {
  it.effect.each(spoilt)("%s is an error or an absence, never a zero", ([, spoil]) =>
    Effect.gen(function* () {
      const { tape } = yield* Fixtures.load(join(Fixtures.root, plugin.manifest.id, "ok"))
      const sound = yield* Fixtures.replay(plugin, tape)
      const zeros = "observations" in sound ? sound.observations.filter(({ value }) => value === 0) : []
      const known = new Set(zeros.map(({ metric, symbol }) => `${symbol}|${metric}`))
      for (const index of tape.exchanges.keys()) {
        const exchanges = tape.exchanges.map((exchange, at) => {
          if (at !== index) return exchange
          const body = spoil(exchange.body)
          return { ...exchange, body, sha256: createHash("sha256").update(body).digest("hex") }
        })
        const rows = yield* Fixtures.replay(plugin, { ...tape, exchanges })
        const wrong = invented(sound, rows).filter(
          (row) => !known.has(`${(row as { symbol: string }).symbol}|${(row as { metric: string }).metric}`)
        )
        assert.deepStrictEqual(wrong, [])
      }
    })
  )
})

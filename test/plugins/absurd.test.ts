/**
 * Numbers that nobody can have counted: 2^64 - 1, which a counter says that fell below 0, and 10^30; and numbers with 24 more digits than
 * upstreams usually print. One after the other they take the place of each number of each plugin's case `ok`. No row is above the
 * greatest value of its metric, and each figure that the unchanged case gives is given again, or refused with its reason.
 */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { excessOf, metricNamed } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import type { Exchange } from "../../core/plugin/Upstream.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"
import { soundCases } from "../support/plugins.ts"

/** A number of a JSON text with the name before it, if it has one, in quotes or bare; and a word of 32 bytes. */
const numbers =
  /(?:"(?<name>[^"\\]*)"\s*:\s*)?(?<quote>"?)(?<digits>-?\d+(?:\.\d+)?|0x[0-9a-f]{64})\k<quote>(?=\s*[,}\]])/gi

/** What takes the place of a number; undefined where it does not. */
const absurd: Readonly<Record<string, (digits: string) => string | undefined>> = {
  "2^64 - 1": (digits) =>
    digits.startsWith("0x") ? `0x${"f".repeat(16).padStart(64, "0")}` : `${2n ** 64n - 1n}`,
  "10^30": (digits) =>
    digits.startsWith("0x") ? `0x${(10n ** 30n).toString(16).padStart(64, "0")}` : `1${"0".repeat(30)}`,
  "24 more digits": (digits) =>
    digits.startsWith("0x")
      ? undefined
      : `${digits}${digits.includes(".") ? "" : "."}${"012345678901".repeat(2)}`
}

/** How many numbers of one name are changed, one at a time: the entries of a list are read alike. */
const perName = 2

interface Spoilt {
  readonly tape: Tape
  readonly at: string
}

const spoiltBy = function* (tape: Tape, put: (digits: string) => string | undefined): Generator<Spoilt> {
  const timesAt = new Map<string, number>()
  for (const [index, exchange] of tape.exchanges.entries()) {
    const source = new TextDecoder().decode(exchange.body)
    if (!/^\s*[[{"]/.test(source)) continue
    const { host, pathname } = new URL(exchange.request.url)
    for (const match of source.matchAll(numbers)) {
      const { digits = "", name = "", quote = "" } = match.groups ?? {}
      // A word of 32 bytes is a number only as a result; elsewhere it is a key or a hash.
      if (digits.startsWith("0x") && name !== "result") continue
      const place = `${host}/${pathname.split("/")[1]} ${name}`
      const times = timesAt.get(place) ?? 0
      const by = put(digits)
      if (times >= perName || by === undefined) continue
      timesAt.set(place, times + 1)
      const end = match.index + match[0].length
      const start = end - digits.length - 2 * quote.length
      const body = `${source.slice(0, start)}${quote}${by}${quote}${source.slice(end)}`
      yield {
        tape: { ...tape, exchanges: tape.exchanges.with(index, withBody(exchange, body)) },
        at: `${place} (${digits})`
      }
    }
  }
}

const withBody = (exchange: Exchange, text: string): Exchange => ({
  ...exchange,
  body: new TextEncoder().encode(text),
  sha256: createHash("sha256").update(text).digest("hex")
})

const rowsOf = (run: Expected): ReadonlyArray<Observation> => ("observations" in run ? run.observations : [])

const isRefused = (run: Expected, { metric, symbol }: Observation): boolean =>
  !("observations" in run) ||
  run.refused.some(
    (one) =>
      (one.symbol === symbol || one.symbol === "*") && (one.metric === metric || isFamily(one.metric, metric))
  )

const isFamily = (name: string, metric: string) => name.endsWith("*") && metric.startsWith(name.slice(0, -1))

/** Rows above their greatest value, and figures of the sound run that are neither given nor refused. */
const faultsOf = (plugin: Plugin, sound: Expected, run: Expected): ReadonlyArray<string> => {
  const excesses = rowsOf(run).flatMap(({ metric, symbol, value }) => {
    const declared = metricNamed(plugin.manifest.metrics, metric)
    return declared !== undefined && excessOf(declared, value) !== undefined
      ? [`${symbol} ${metric} is ${value}`]
      : []
  })
  const figures = new Set(rowsOf(run).map(({ metric, symbol }) => `${symbol} ${metric}`))
  const lost = rowsOf(sound).flatMap((row) =>
    figures.has(`${row.symbol} ${row.metric}`) || isRefused(run, row)
      ? []
      : [`${row.symbol} ${row.metric} is gone`]
  )
  return [...new Set([...excesses, ...lost])]
}

const cases = await soundCases()

describe("an absurd number", () => {
  it.effect.each([...cases])("is refused by $id", ({ plugin, rows, tape }) =>
    Effect.gen(function* () {
      const faults: Array<string> = []
      for (const [what, put] of Object.entries(absurd)) {
        for (const spoilt of spoiltBy(tape, put)) {
          const inRun = faultsOf(plugin, rows, yield* Fixtures.replay(plugin, spoilt.tape))
          faults.push(...inRun.map((fault) => `${what} at ${spoilt.at}: ${fault}`))
        }
      }
      assert.deepStrictEqual(faults, [])
    })
  )
})

/** Makes a tape as small as the rows of its plugin allow: a case should have what the plugin reads, and not the whole answer. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Observation } from "../../core/plugin/Value.ts"
import { isData } from "../../core/readings/ingest/shapes/shape.ts"
import type { Tape } from "../upstream/replay.ts"

/** What a plugin makes of a tape; undefined where it fails. */
export type Derive<E, R> = (tape: Tape) => Effect.Effect<ReadonlyArray<Observation> | undefined, E, R>

/** Entries of a list that stay, if the plugin gives the same metrics from so few. */
const mostEntries = 5

/** Tapes that are tried: what is not tried by then stays. */
const mostTries = 200

/** Stands before a number that a double would write otherwise; no text of an answer begins so. */
const asWritten = "\u0001number "

const digits = (_: string, value: unknown, { source = "" }: { readonly source?: string }): unknown =>
  typeof value === "number" && String(value) !== source ? asWritten + source : value

/** JSON whose numbers keep their digits until `textOf`. */
const parsed = (body: Uint8Array): unknown => {
  try {
    const text = new TextDecoder().decode(body)
    return JSON.parse(text, digits as (name: string, value: unknown) => unknown) as unknown
  } catch {
    return undefined
  }
}

const textOf = (answer: unknown): string =>
  JSON.stringify(answer).replaceAll(/"\\u0001number ([^"]+)"/g, "$1")

const encoder = new TextEncoder()

/** The tape with each JSON answer changed; others, and answers that stay the same, keep their bytes. */
const withAnswers = (tape: Tape, change: (answer: unknown) => unknown): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((exchange) => {
    const answer = parsed(exchange.body)
    if (typeof answer !== "object" || answer === null) return exchange
    const text = textOf(change(answer))
    if (text === textOf(answer)) return exchange
    const body = encoder.encode(text)
    return { ...exchange, body, sha256: createHash("sha256").update(body).digest("hex") }
  })
})

const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, mostEntries).map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]))
}

/** A step from an answer to what it holds; entries of lists and of maps by data are one step. */
const stepOf = (holder: object, name: string): string =>
  Array.isArray(holder) ? "[]" : isData(name) ? "*" : name

/** The members of the answers by their path, those above before those below. */
const pathsIn = (tape: Tape): ReadonlyArray<string> => {
  const paths = new Set<string>()
  const walk = (value: unknown, above: string): void => {
    if (typeof value !== "object" || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const step = stepOf(value, name)
      const path = `${above}/${step}`
      if (step !== "[]" && step !== "*") paths.add(path)
      walk(member, path)
    }
  }
  for (const { body } of tape.exchanges) walk(parsed(body), "")
  return [...paths].sort((a, b) => a.split("/").length - b.split("/").length)
}

const without = (value: unknown, path: string, above = ""): unknown => {
  if (Array.isArray(value)) return value.map((entry) => without(entry, path, `${above}/[]`))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const at = `${above}/${stepOf(value, name)}`
      return at === path ? [] : [[name, without(member, path, at)]]
    })
  )
}

const metricsOf = (rows: ReadonlyArray<Observation>): ReadonlySet<string> =>
  new Set(rows.map(({ metric, source }) => `${metric} ${source}`))

/**
 * The smallest tape that was found: lists with few entries, where every metric still comes from them, and without the members that
 * change no row. Undefined of a tape that gives no rows.
 */
export const cutTape = Effect.fn("Cutting.cutTape")(function* <E, R>(tape: Tape, derive: Derive<E, R>) {
  const whole = yield* derive(tape)
  if (whole === undefined || whole.length === 0) return undefined
  const short = withAnswers(tape, shortened)
  const few = yield* derive(short)
  const isEnough = few !== undefined && metricsOf(whole).isSubsetOf(metricsOf(few))
  let cut = isEnough ? short : tape
  const rows = JSON.stringify(isEnough ? few : whole)
  let tries = 0
  const gone = new Set<string>()
  for (const path of pathsIn(cut)) {
    if (tries >= mostTries) break
    if ([...gone].some((above) => path.startsWith(`${above}/`))) continue
    tries++
    const smaller = withAnswers(cut, (answer) => without(answer, path))
    if (JSON.stringify(yield* derive(smaller)) !== rows) continue
    cut = smaller
    gone.add(path)
  }
  return cut
})

/**
 * A tape plan found by trying: a group of leaves is a time when the rows stay whole with it moved, and walks when a
 * walk of it shows in the rows and breaks none. So the plan is held by the plugin itself, not by guesses about names.
 */
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import * as Fixtures from "../fixtures.ts"
import type { Tape } from "../upstream/replay.ts"
import { type Group, groupsOf, listsOf, singles, timeFormOf, unquoted } from "./groups.ts"
import type { Plan, ShiftLeaf, ThinList, WalkLeaf } from "./Plan.ts"
import { reel, tapeAt } from "./tape.ts"

const day = 86_400_000
const hour = 3_600_000

/** One change of the plan. */
interface Change {
  readonly file: string
  readonly walk?: WalkLeaf
  readonly shift?: ShiftLeaf
  readonly thin?: ThinList
}

const planOf = (changes: ReadonlyArray<Change>, daily = false): Plan => ({
  ...(daily ? { daily: true as const } : {}),
  payloads: Object.fromEntries(
    [...Map.groupBy(changes, ({ file }) => file)].map(([file, list]) => [
      file,
      {
        walk: list.flatMap(({ walk }) => walk ?? []),
        shift: list.flatMap(({ shift }) => shift ?? []),
        thin: list.flatMap(({ thin }) => thin ?? [])
      }
    ])
  )
})

const neverFalls = /height|cumulative|burn|lifetime|all_?time|slot/i
const share = /percent|pct|ratio|share|uptime|rate/i
const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const hex = /^"0x[0-9a-fA-F]+"$/

/** How the numbers of a group may walk; each is tried. */
const walksOf = ({ at, texts }: Group): ReadonlyArray<WalkLeaf> => {
  const values = texts
    .map(unquoted)
    .filter((text) => decimal.test(text))
    .map(Number)
  if (values.length > 0) {
    const top = Math.max(...values.map(Math.abs))
    if (top === 0) return []
    if (neverFalls.test(at.split("/").at(-1) ?? "")) return [{ at, monotone: true }]
    const limit = top <= 1 ? 1 : top <= 100 && share.test(at) ? 100 : undefined
    return [{ at, ...(limit === undefined ? {} : { max: limit }) }]
  }
  if (!texts.every((text) => hex.test(text))) return []
  return [
    { at, form: "be" },
    { at, form: "le" }
  ]
}

const keyOf = (row: Observation): string => `${row.symbol}|${row.metric}|${row.source}`

const decoder = new TextDecoder()

/** Finds the plan of a recorded run. Deterministic; the slow part of the tape, so its result is kept as `tape.json`. */
export const propose = Effect.fn("Demo.propose")(function* (
  plugin: Plugin,
  base: Tape,
  files: ReadonlyArray<string>
) {
  const sound = yield* Fixtures.replay(plugin, base)
  if ("error" in sound) return planOf([])
  const before = new Map(sound.observations.map((row) => [keyOf(row), row]))
  const trials = [base.now - 7 * day - 5 * hour, base.now - 23 * day, base.now + 3 * hour]
  const [first = base.now] = trials
  const texts = new Map(base.exchanges.map(({ body }, index) => [files[index] ?? "", decoder.decode(body)]))

  const at = (changes: ReadonlyArray<Change>, now: number) =>
    Fixtures.replay(plugin, tapeAt(reel(plugin.manifest.id, base, files, planOf(changes)), now)).pipe(
      Effect.catchDefect((defect) => Effect.succeed<Expected>({ error: "Defect", message: String(defect) }))
    )

  /** Whether rows are those of the sound run: none more, none less, none out of its bounds or of the future. */
  const isWhole = (rows: Expected, now: number): rows is Exclude<Expected, { error: string }> =>
    "observations" in rows &&
    rows.refused.length <= sound.refused.length &&
    rows.observations.length === sound.observations.length &&
    rows.observations.every((row) => {
      const { max = Infinity, min = -Infinity } = plugin.manifest.metrics[row.metric] ?? {}
      const inBounds = row.value >= min && row.value <= max
      return before.has(keyOf(row)) && inBounds && Date.parse(row.as_of) <= now + 300_000
    })

  const holds = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>, times = trials) {
    for (const now of times) if (!isWhole(yield* at(changes, now), now)) return false
    return true
  })

  const groups = [...texts].flatMap(([file, text]) => groupsOf(file, text))
  // Hexadecimal values of one place may differ in kind: each is looked at for itself.
  const each = groups.flatMap((group) =>
    group.texts.length > 1 && group.texts.some((text) => hex.test(text))
      ? singles(group, texts.get(group.file) ?? "")
      : [group]
  )

  const times = each.flatMap((group): ReadonlyArray<Change> => {
    const form = timeFormOf(group, base.now)
    return form === undefined ? [] : [{ file: group.file, shift: { at: group.at, form } }]
  })
  let kept: ReadonlyArray<Change> = times
  if (!(yield* holds(times))) {
    kept = []
    for (const change of times) if (yield* holds([...kept, change])) kept = [...kept, change]
  }

  const still = yield* at(kept, first)
  const stillRows = new Map(
    ("observations" in still ? still : sound).observations.map((row) => [keyOf(row), row.value])
  )

  /** The largest relative change that a change of the plan makes in a row; undefined when it breaks the rows. */
  const effectOf = Effect.fnUntraced(function* (change: Change) {
    const rows = yield* at([...kept, change], first)
    if (!isWhole(rows, first)) return undefined
    let most = 0
    for (const row of rows.observations) {
      const was = stillRows.get(keyOf(row)) ?? 0
      if (was !== row.value) most = Math.max(most, Math.abs(row.value - was) / Math.max(Math.abs(was), 1e-9))
    }
    return most > 1e-7 && most < 0.5 ? most : undefined
  })

  const moving: Array<Change> = []
  const timed = new Set(kept.map(({ file, shift }) => `${file}${shift?.at}`))
  for (const group of each) {
    if (timed.has(`${group.file}${group.at}`)) continue
    let best: { readonly change: Change; readonly most: number } | undefined
    for (const walk of walksOf(group)) {
      const change: Change = { file: group.file, walk }
      const most = yield* effectOf(change)
      if (most === undefined || most <= (best?.most ?? 0)) continue
      if (yield* holds([...kept, change])) best = { change, most }
    }
    if (best !== undefined) moving.push(best.change)
  }

  const many = Array.from({ length: 10 }, (_, index) => base.now - index * 3 * day - index * hour)
  for (const [file, text] of texts) {
    for (const list of listsOf(text, 8)) {
      const change: Change = { file, thin: { at: list } }
      const lengths = new Set<string>()
      for (const now of many) {
        const rows = yield* at([...kept, change], now)
        if (!isWhole(rows, now)) break
        lengths.add(JSON.stringify(rows.observations.map(({ value }) => value)))
        if (now === many.at(-1) && lengths.size > 1) moving.push(change)
      }
    }
  }

  let together: ReadonlyArray<Change> = [...kept, ...moving]
  if (!(yield* holds(together))) {
    together = kept
    for (const change of moving) if (yield* holds([...together, change])) together = [...together, change]
  }
  return planOf(together, yield* isDaily(at, together, base.now))
})

/** Whether two runs of one day tell different values under one time: then the numbers have to stand still for the day. */
const isDaily = Effect.fnUntraced(function* (
  at: (changes: ReadonlyArray<Change>, now: number) => Effect.Effect<Expected>,
  changes: ReadonlyArray<Change>,
  now: number
) {
  const noon = now - (now % day) - 3 * day + 12 * hour
  const [a, b] = [yield* at(changes, noon), yield* at(changes, noon + 4 * hour)]
  if ("error" in a || "error" in b) return false
  const first = new Map(a.observations.map((row) => [`${keyOf(row)}|${row.as_of}`, row.value]))
  return b.observations.some((row) => {
    const value = first.get(`${keyOf(row)}|${row.as_of}`)
    return value !== undefined && value !== row.value
  })
})

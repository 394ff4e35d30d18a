/**
 * A tape plan found by trying: a group of leaves is a time when the rows stay whole with it moved, and walks when a
 * walk of it shows in the rows and breaks none. So the plan is held by the plugin itself, not by guesses about names.
 */
import { Effect } from "effect"
import { metricNamed, type Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import type { Tape } from "../upstream/replay.ts"
import { type Group, groupsOf, listsOf, singles, timeFormOf, unquoted } from "./groups.ts"
import type { Plan, ShiftLeaf, ThinList, WalkLeaf } from "./Plan.ts"
import { type Parts, partsOf, reel, tapeAt } from "./tape.ts"

const day = 86_400_000
const hour = 3_600_000

/** One change of the plan. */
interface Change {
  readonly file: string
  readonly walk?: WalkLeaf
  readonly shift?: ShiftLeaf
  readonly thin?: ThinList
}

const planOf = (changes: ReadonlyArray<Change>, more: Omit<Plan, "payloads"> = {}): Plan => ({
  ...more,
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
  // An EVM block gives its height as `number`.
  const name = at.split("/").at(-1) ?? ""
  if (neverFalls.test(name) || name === "number") return [{ at, form: "be", monotone: true }]
  return [
    { at, form: "be" },
    { at, form: "le" }
  ]
}

/** Hexadecimal values of one place may differ in kind: each is looked at for itself. */
const apart = (group: Group, text: string): ReadonlyArray<Group> =>
  group.texts.length > 1 && group.texts.some((text) => hex.test(text)) ? singles(group, text) : [group]

const timesIn = (groups: ReadonlyArray<Group>, now: number): ReadonlyArray<Change> =>
  groups.flatMap((group): ReadonlyArray<Change> => {
    const form = timeFormOf(group, now)
    return form === undefined ? [] : [{ file: group.file, shift: { at: group.at, form } }]
  })

const keyOf = (row: Observation): string => `${row.symbol}|${row.metric}|${row.source}`

const decoder = new TextDecoder()

/** Only the times, untried: what a case without a plan gets, so that a new plugin has a past at once. */
export const timesOnly = (base: Tape, files: ReadonlyArray<string>): Plan =>
  planOf(
    base.exchanges.flatMap(({ body }, index) => {
      const text = decoder.decode(body)
      const groups = groupsOf(files[index] ?? "", text).flatMap((group) => apart(group, text))
      return timesIn(groups, base.now)
    })
  )

/** The hours between readings of one series at several times in one run: such a payload holds its own past. */
const barHours = (rows: ReadonlyArray<Observation>): number | undefined => {
  const [first, second, ...more] =
    [...Map.groupBy(rows, keyOf).values()].find(({ length }) => length >= 5) ?? []
  if (first === undefined || second === undefined || more.length === 0) return undefined
  return Math.round(Math.abs(Date.parse(second.as_of) - Date.parse(first.as_of)) / hour)
}

/** Finds the plan of a recorded run. Deterministic; the slow part of the tape, so its result is kept beside the case. */
export const propose = Effect.fn("Demo.propose")(function* (
  plugin: Plugin,
  base: Tape,
  files: ReadonlyArray<string>
) {
  const sound = yield* Fixtures.replay(plugin, base)
  if ("error" in sound) return planOf([])
  const bars = barHours(sound.observations)
  if (bars !== undefined) return planOf([], { bar_hours: bars })
  const before = new Map(sound.observations.map((row) => [keyOf(row), row]))
  const texts = new Map(base.exchanges.map(({ body }, index) => [files[index] ?? "", decoder.decode(body)]))

  const taken = new Map<Uint8Array, Parts>()
  const take = (body: Uint8Array): Parts => {
    const known = taken.get(body) ?? partsOf(body)
    taken.set(body, known)
    return known
  }

  const at = (changes: ReadonlyArray<Change>, now: number) =>
    Fixtures.replay(plugin, tapeAt(reel(plugin.manifest.id, base, files, planOf(changes), take), now)).pipe(
      Effect.catchDefect((defect) => Effect.succeed<Expected>({ error: "Defect", message: String(defect) }))
    )

  /** Whether rows are those of the sound run: none more, none less, none out of its bounds or of the future. */
  const isWhole = (rows: Expected, now: number): rows is Exclude<Expected, { error: string }> =>
    "observations" in rows &&
    rows.refused.length <= sound.refused.length &&
    rows.observations.length === sound.observations.length &&
    rows.observations.every((row) => {
      const { max = Infinity, min = -Infinity } = metricNamed(plugin.manifest.metrics, row.metric) ?? {}
      const inBounds = row.value >= min && row.value <= max
      return before.has(keyOf(row)) && inBounds && Date.parse(row.as_of) <= now + 300_000
    })

  const groups = [...texts].flatMap(([file, text]) =>
    groupsOf(file, text).flatMap((group) => apart(group, text))
  )
  const times = timesIn(groups, base.now)
  const period = yield* periodOf((now) => Effect.map(at(times, now), (rows) => isWhole(rows, now)), base.now)
  const snapped = (now: number): number =>
    period === undefined ? now : base.now + Math.floor((now - base.now) / (period * hour)) * period * hour
  const trials = [base.now - 7 * day - 5 * hour, base.now - 23 * day, base.now + 13 * hour].map(snapped)
  const [first = base.now] = trials

  const holds = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>, times = trials) {
    for (const now of times) if (!isWhole(yield* at(changes, now), now)) return false
    return true
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
  for (const group of groups) {
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

  const many = Array.from({ length: 10 }, (_, index) => snapped(base.now - index * 3 * day - index * hour))
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
  const more = period === undefined ? {} : { period_hours: period }
  const plan = planOf(together, more)
  const noon = snapped(base.now - (base.now % day) - 3 * day + 12 * hour)
  const restated = yield* restates(at, together, [noon, noon + 4 * hour, noon - 2 * day])
  if (restated === "later") return planOf(kept, more)
  return restated === "no" ? plan : { ...plan, daily: true as const }
})

/** Every how many hours the plugin asks for the same again, where it does not ask for the same each time. */
const periodOf = Effect.fnUntraced(function* (holds: (now: number) => Effect.Effect<boolean>, base: number) {
  if ((yield* holds(base - 5 * hour)) && (yield* holds(base - 7 * hour))) return undefined
  for (let period = 2; period <= 48; period++) {
    if ((yield* holds(base - period * hour)) && (yield* holds(base - 3 * period * hour))) return period
  }
  return undefined
})

/** Whether two runs tell different values under one time: those of one day, or those of different days. */
const restates = Effect.fnUntraced(function* (
  at: (changes: ReadonlyArray<Change>, now: number) => Effect.Effect<Expected>,
  changes: ReadonlyArray<Change>,
  [noon, evening, before]: readonly [number, number, number]
) {
  const rowsAt = (now: number) =>
    Effect.map(at(changes, now), (rows) => ("observations" in rows ? rows.observations : []))
  const first = new Map((yield* rowsAt(noon)).map((row) => [`${keyOf(row)}|${row.as_of}`, row.value]))
  const differs = (rows: ReadonlyArray<Observation>): boolean =>
    rows.some((row) => {
      const value = first.get(`${keyOf(row)}|${row.as_of}`)
      return value !== undefined && value !== row.value
    })
  if (differs(yield* rowsAt(before))) return "later"
  return differs(yield* rowsAt(evening)) ? "same day" : "no"
})

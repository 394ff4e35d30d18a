/**
 * A tape plan found by trying: a group of leaves is a time when the rows stay whole with it moved, and walks when a
 * walk of it shows in the rows and breaks none. So the plan is held by the plugin itself, not by guesses about names.
 */
import { Duration, Effect } from "effect"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import { day, hour } from "../../core/plugin/time.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import type { Tape } from "../upstream/replay.ts"
import { isCoins } from "./coins.ts"
import { type Group, groupsOf, listsOf, unquoted } from "./groups.ts"
import { assetNamed } from "./market.ts"
import type { Plan, WalkLeaf } from "./Plan.ts"
import { type Parts, partsOf, reel, tapeAt } from "./tape.ts"
import { meansDay } from "./times.ts"
import { apart, type Change, hex, isNamed, planOf, timesIn } from "./timesOnly.ts"
import { type Trend, trendOf } from "./trend.ts"

const neverFalls = /height|cumulative|burn|lifetime|all_?time|slot/i
const price = /price_?usd/i
const share = /percent|pct|ratio|share|uptime|rate/i
const decimal = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Where the asset is named that a price is of: a leaf beside it that most often holds the name of one. */
const nameBeside = ({ at, file }: Group, groups: ReadonlyArray<Group>): string | undefined => {
  if (!price.test(at.split("/").at(-1) ?? "")) return undefined
  const side = /quote/i.test(at) ? /quote/i : /base/i
  const stars = (pointer: string) => pointer.split("*").length
  return groups.find(
    (group) =>
      group.file === file &&
      stars(group.at) === stars(at) &&
      isNamed(group) &&
      side.test(group.at) &&
      group.texts.some((text) => assetNamed(unquoted(text)) !== undefined)
  )?.at
}

/** How the numbers of a group may walk; each is tried. */
const walksOf = (group: Group, groups: ReadonlyArray<Group>): ReadonlyArray<WalkLeaf> => {
  const { at, texts } = group
  if (isNamed(group)) return []
  const values = texts
    .map(unquoted)
    .filter((text) => decimal.test(text))
    .map(Number)
  if (values.length > 0) {
    const top = Math.max(...values.map(Math.abs))
    if (top === 0) return []
    const asset = nameBeside(group, groups)
    if (asset !== undefined) return [{ at, price: asset }]
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

const decoder = new TextDecoder()

const keyOf = (row: Observation): string => `${row.symbol}|${row.metric}|${row.source}`

/** Whether a run has readings of one series at several times: such a payload is a list of bars. */
const hasBars = (rows: ReadonlyArray<Observation>): boolean =>
  [...Map.groupBy(rows, keyOf).values()].some(({ length }) => length >= 5)

/** What ages are multiplied by, so that no row is older than half the time between two readings. */
const agesOf = (rows: ReadonlyArray<Observation>, now: number, every: Duration.Input): number | undefined => {
  const times = rows.map(({ as_of }) => Date.parse(as_of)).filter((at) => !meansDay(at))
  const ages = times.map((at) => now - at).filter((age) => age < day)
  const oldest = Math.max(0, ...ages)
  const allowed = Duration.toMillis(every) / 2
  return oldest <= allowed ? undefined : Number((allowed / oldest).toPrecision(2))
}

/** Finds the plan of a recorded run. Deterministic; the slow part of the tape, so its result is kept beside the case. */
export const propose = Effect.fn("Demo.propose")(function* (
  plugin: Plugin,
  base: Tape,
  files: ReadonlyArray<string>
) {
  const sound = yield* Fixtures.replay(plugin, base)
  if ("error" in sound) return planOf([])
  if (hasBars(sound.observations)) return planOf([], { list: "bars" })
  const turns = yield* turnsOf(plugin, base, files)
  const age = agesOf(sound.observations, base.now, plugin.manifest.every)
  const ages = { ...(age === undefined ? {} : { ages: age }), ...(turns === undefined ? {} : { turns }) }
  if (base.exchanges.every(({ body }) => isCoins(decoder.decode(body))))
    return planOf([], { list: "coins", ...ages })
  const before = new Map(sound.observations.map((row) => [keyOf(row), row]))
  const texts = new Map(base.exchanges.map(({ body }, index) => [files[index] ?? "", decoder.decode(body)]))

  const partsByBody = new Map<Uint8Array, Parts>()
  const take = (body: Uint8Array): Parts => {
    const parts = partsByBody.get(body) ?? partsOf(body)
    partsByBody.set(body, parts)
    return parts
  }

  const at = (changes: ReadonlyArray<Change>, now: number) =>
    Fixtures.replay(
      plugin,
      tapeAt(reel(plugin.manifest.id, base, files, planOf(changes, ages), take), now)
    ).pipe(
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

  /** The courses of the metrics in which two runs differ. */
  const coursesOf = (
    before: ReadonlyArray<Observation>,
    after: ReadonlyArray<Observation>
  ): ReadonlySet<Trend> => {
    const values = new Map(before.map((row) => [keyOf(row), row.value]))
    const changed = after.filter((row) => values.get(keyOf(row)) !== row.value)
    return new Set(
      changed.flatMap(({ metric }) => {
        const declared = metricNamed(plugin.manifest.metrics, metric)
        return declared === undefined ? [] : [trendOf(metric, declared, plugin.manifest)]
      })
    )
  }

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

  let retained: ReadonlyArray<Change> = times
  if (!(yield* holds(times))) {
    retained = []
    for (const change of times) if (yield* holds([...retained, change])) retained = [...retained, change]
  }

  // The day that a list began with stays, where a metric tells it.
  for (const change of retained) {
    const { shift } = change
    const rows = yield* at([change], first)
    if (shift === undefined || !("observations" in rows)) continue
    if (!coursesOf(sound.observations, rows.observations).has("stands")) continue
    retained = retained.map((other) =>
      other === change ? { ...change, shift: { ...shift, days: 60 } } : other
    )
  }

  const rowsAt = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>, now: number) {
    const rows = yield* at(changes, now)
    return isWhole(rows, now) ? rows.observations : undefined
  })
  const still = new Map<number, ReadonlyArray<Observation>>()
  for (const now of trials) still.set(now, (yield* rowsAt(retained, now)) ?? sound.observations)

  /** The largest relative change that a change of the plan makes in a row; undefined where none shows, or it breaks the rows. */
  const effectOf = Effect.fnUntraced(function* (change: Change) {
    for (const now of trials) {
      const rows = yield* rowsAt([...retained, change], now)
      if (rows === undefined) return undefined
      const before = still.get(now) ?? []
      const values = new Map(before.map((row) => [keyOf(row), row.value]))
      const most = Math.max(
        ...rows.map((row) => {
          const was = values.get(keyOf(row)) ?? 0
          return Math.abs(row.value - was) / Math.max(Math.abs(was), 1e-9)
        })
      )
      if (most >= 0.5) return undefined
      if (most > 1e-7) return { most, courses: coursesOf(before, rows) }
    }
    return undefined
  })

  /** The change as the course of what it shows in has it; undefined where that stands. */
  const suited = (change: Change, walk: WalkLeaf, courses: ReadonlySet<Trend>): Change | undefined =>
    courses.has("stands")
      ? undefined
      : courses.has("grows")
        ? { ...change, walk: { at: walk.at, ...(walk.form && { form: walk.form }), monotone: true } }
        : change

  const moving: Array<Change> = []
  const timed = new Set(retained.map(({ file, shift }) => `${file}${shift?.at}`))
  for (const group of groups) {
    if (timed.has(`${group.file}${group.at}`)) continue
    let best: { readonly change: Change; readonly most: number } | undefined
    for (const walk of walksOf(group, groups)) {
      const tried: Change = { file: group.file, walk }
      const effect = yield* effectOf(tried)
      if (effect === undefined || effect.most <= (best?.most ?? 0)) continue
      const change = suited(tried, walk, effect.courses)
      if (change !== undefined && (yield* holds([...retained, change]))) best = { change, most: effect.most }
    }
    // Numbers that must stay near one another, such as the heights that peers tell, may still grow alike.
    if (best === undefined && group.texts.some((text) => Number(unquoted(text)) >= 1000)) {
      const change: Change = { file: group.file, walk: { at: group.at, monotone: true } }
      const effect = yield* effectOf(change)
      if (effect?.courses.has("grows") && (yield* holds([...retained, change]))) best = { change, most: 0 }
    }
    if (best !== undefined) moving.push(best.change)
  }

  const many = [
    first,
    ...Array.from({ length: 10 }, (_, index) => snapped(base.now - index * 3 * day - index * hour))
  ]
  for (const [file, text] of texts) {
    for (const list of listsOf(text, 8)) {
      const change: Change = { file, thin: { at: list } }
      const lengths = new Set<string>()
      for (const now of many) {
        const rows = yield* at([...retained, change], now)
        if (!isWhole(rows, now)) break
        const courses = coursesOf(still.get(now) ?? rows.observations, rows.observations)
        if (courses.has("grows") || courses.has("stands")) break
        lengths.add(JSON.stringify(rows.observations.map(({ value }) => value)))
        if (now === many.at(-1) && lengths.size > 1) moving.push(change)
      }
    }
  }

  let together: ReadonlyArray<Change> = [...retained, ...moving]
  if (!(yield* holds(together))) {
    together = retained
    for (const change of moving) if (yield* holds([...together, change])) together = [...together, change]
  }
  const more = { ...ages, ...(period === undefined ? {} : { period_hours: period }) }
  const plan = planOf(together, more)
  const noon = snapped(base.now - (base.now % day) - 3 * day + 12 * hour)
  const restated = yield* restates(at, together, [noon, noon + 4 * hour, noon - 2 * day])
  if (restated === "later") return planOf(retained, more)
  return restated === "no" ? plan : { ...plan, daily: true as const }
})

/** How the plugin goes through its targets, where it asks for others at other times. */
const turnsOf = Effect.fnUntraced(function* (plugin: Plugin, base: Tape, files: ReadonlyArray<string>) {
  const isAnswered = Effect.fnUntraced(function* (turns: Plan["turns"], now: number) {
    const plan = planOf([], turns === undefined ? {} : { turns })
    const rows = yield* Fixtures.replay(plugin, tapeAt(reel(plugin.manifest.id, base, files, plan), now))
    return "observations" in rows && rows.refused.length === 0
  })
  const others = [5.4, 7.55, 75.15].map((hours) => base.now - hours * hour)
  const [first = base.now] = others
  if (base.targets.length < 2 || (yield* isAnswered(undefined, first))) return undefined
  for (const minutes of [5, 10, 15, 30, 60]) {
    for (let targets = 1; targets <= base.targets.length; targets++) {
      const answered = yield* Effect.forEach(others, (now) => isAnswered({ minutes, targets }, now))
      if (answered.every(Boolean)) return { minutes, targets }
    }
  }
  return undefined
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

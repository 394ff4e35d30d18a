/**
 * Answers that are sound one by one and not together: an entry that is listed twice, a source that is silent, zeros in
 * place of what could not be read. What a plugin may make of them is what it made of the sound ones, or rows left out.
 */
import { Effect } from "effect"
import { metricNamed } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import { has } from "../../../core/plugin/units.ts"
import type { Observation } from "../../../core/plugin/Value.ts"
import type { Tape } from "../../upstream/replay.ts"
import * as Fixtures from "../fixtures.ts"
import { parsed, withPayload } from "./fields.ts"
import { some } from "./spoil.ts"

/** A row that such an answer changed: no such row before, or another value. */
export interface Changed {
  readonly url: string
  readonly row: Observation
  /** What the sound answers give for the series; empty where they give none. */
  readonly was: ReadonlyArray<number>
}

/** What may go wrong with one exchange of a recording; undefined where it cannot. */
export interface Way {
  readonly name: string
  readonly changed: (tape: Tape, index: number) => Tape | undefined
  /** Whether a row of a value that the sound answers do not give is a mistake, beside the rows that they do give. */
  readonly isWrong: (plugin: Plugin, row: Observation, sound: ReadonlyArray<Observation>) => boolean
  /** `wrong` where it cannot be meant. */
  readonly level: "wrong" | "note"
  readonly next: string
}

type List = ReadonlyArray<unknown>

/** The longest list of a payload that has entries of its own: objects or texts. */
const longest = (value: unknown): List => {
  if (typeof value !== "object" || value === null) return []
  const isList = Array.isArray(value) && value.every((entry) => typeof entry === typeof value[0])
  const own = isList && ["object", "string"].includes(typeof value[0]) ? value : []
  return Object.values(value)
    .map(longest)
    .reduce((most, list) => (list.length > most.length ? list : most), own)
}

/** The payload with another list in the place of one of its own. */
const withList = (value: unknown, list: List, by: List): unknown => {
  if (value === list) return by
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => withList(entry, list, by))
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withList(entry, list, by)]))
}

const zeroed = (value: unknown): unknown => {
  if (typeof value === "number") return 0
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(zeroed)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, zeroed(entry)]))
}

/** A 0 that no guard of ingest holds back, of a metric that does not say it may be one. */
const isUnguarded = ({ manifest }: Plugin, { metric, unit, value }: Observation): boolean =>
  value === 0 && !has(unit, "stock") && metricNamed(manifest.metrics, metric)?.collapse === undefined

/** Whether the sound answers give the figure under other sources alone: the union of fewer networks, by the name of those. */
const isOwnSeries = ({ metric, source, symbol }: Observation, sound: ReadonlyArray<Observation>): boolean => {
  const same = sound.filter((row) => row.symbol === symbol && row.metric === metric)
  return same.length > 0 && same.every((row) => row.source !== source)
}

export const ways: ReadonlyArray<Way> = [
  {
    name: "an entry listed twice",
    changed: (tape, index) => {
      const payload = parsed(tape.exchanges[index]?.body ?? new Uint8Array())
      const list = longest(payload)
      return list.length < 2
        ? undefined
        : withPayload(tape, index, withList(payload, list, [...list, list[0]]))
    },
    isWrong: () => true,
    level: "note",
    next: "count by what identifies an entry: distinct of #plugin/fields"
  },
  {
    name: "a source that is silent",
    changed: (tape, index) =>
      tape.exchanges.length < 2
        ? undefined
        : {
            ...tape,
            exchanges: tape.exchanges.map((exchange, at) =>
              at === index ? { ...exchange, status: 503 } : exchange
            )
          },
    isWrong: (_, row, sound) => !isOwnSeries(row, sound),
    level: "wrong",
    next: "a part is never given as the whole: leave the total out, or give each source a series of its own"
  },
  {
    name: "all numbers 0",
    changed: (tape, index) => {
      const payload = parsed(tape.exchanges[index]?.body ?? new Uint8Array())
      return payload === undefined ? undefined : withPayload(tape, index, zeroed(payload))
    },
    isWrong: isUnguarded,
    level: "note",
    next: "where the upstream answers zeros when it is broken, refuse the whole answer by Upstream.implausible"
  }
]

const rowsOf = (rows: Expected): ReadonlyArray<Observation> =>
  "observations" in rows ? rows.observations : []

const nameOf = (row: Observation): string => `${row.symbol}|${row.metric}|${row.source}`

/** Changes a few exchanges of the recording in turn. */
export const changed = Effect.fn("Wholes.changed")(function* (plugin: Plugin, tape: Tape, way: Way) {
  const soundRows = rowsOf(yield* Fixtures.replay(plugin, tape))
  const sound = Map.groupBy(soundRows, nameOf)
  const changes: Array<Changed> = []
  for (const index of some(tape.exchanges.length)) {
    const next = way.changed(tape, index)
    if (next === undefined) continue
    for (const row of rowsOf(yield* Fixtures.replay(plugin, next))) {
      const was = (sound.get(nameOf(row)) ?? []).map(({ value }) => value)
      if (!was.includes(row.value) && way.isWrong(plugin, row, soundRows))
        changes.push({ url: tape.exchanges[index]?.request.url ?? "", row, was })
    }
  }
  return changes
})

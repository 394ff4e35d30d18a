/** What the sound case of a feed has of its figures: the size that its author expects, and how old they are when they are read. */
import { join } from "node:path"
import { Effect } from "effect"
import { type Observation, parseTime } from "../../core/plugin/Value.ts"
import * as Fixtures from "../contributor/fixtures.ts"

/** A figure of the case. */
export interface RecordedFigure {
  readonly value: number
  /** Age at the case's own time, in milliseconds. */
  readonly age: number
}

/** By `figureKey`; of several times of one figure the newest. */
export type Recorded = ReadonlyMap<string, RecordedFigure>

export const figureKey = ({ metric, source, symbol }: Pick<Observation, "symbol" | "metric" | "source">) =>
  `${symbol} ${metric} ${source}`

/** Nothing of a plugin whose case is absent, or fails. */
export const recordedOf = Effect.fnUntraced(
  function* (plugin: string) {
    const place = join(Fixtures.root, plugin, "ok")
    const { tape } = yield* Fixtures.load(place)
    const rows = yield* Fixtures.expected(place)
    const figures = new Map<string, RecordedFigure>()
    for (const row of "observations" in rows ? rows.observations : []) {
      const age = tape.now - (parseTime(row.as_of) ?? tape.now)
      const key = figureKey(row)
      const before = figures.get(key)
      if (before === undefined || age < before.age) figures.set(key, { value: row.value, age })
    }
    return figures as Recorded
  },
  Effect.orElseSucceed((): Recorded => new Map())
)

/**
 * A version for everything that answers depend on. Whoever changes something says so here once the change can be read, so
 * an answer that was made of older versions is known to be out of date, and no other is.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Dependency, Named } from "../../wire/data/dependency.ts"
import * as DataClock from "../DataClock.ts"
import { day } from "./freshness.ts"

/** The version of one dependency; `now` is the data clock in epoch milliseconds. */
export interface Cell {
  readonly version: (now: number) => number
  /** When it last changed, epoch milliseconds of the data clock. */
  readonly changedAt: (now: number) => number
}

class Counted implements Cell {
  #version = 0
  #changedAt: number

  constructor(changedAt: number) {
    this.#changedAt = changedAt
  }

  change(now: number): void {
    this.#version++
    this.#changedAt = now
  }

  version(): number {
    return this.#version
  }

  changedAt(): number {
    return this.#changedAt
  }
}

const ticking = (period: number): Cell => ({
  version: (now) => Math.floor(now / period),
  changedAt: (now) => Math.floor(now / period) * period
})

/** Length of the periods in which an answer that depends on the clock stays the same, in milliseconds. */
export const periods = { second: 1000, clock: 10_000, day } as const

const ticks: Readonly<Record<keyof typeof periods, Cell>> = {
  second: ticking(periods.second),
  clock: ticking(periods.clock),
  day: ticking(periods.day)
}

const isTick = (name: Named): name is keyof typeof periods => name in ticks

/** What another process may have changed without this one hearing of it; `Current` and `Log` find out themselves. */
const unheard: ReadonlyArray<Named> = ["anchors", "incidents", "retention", "revisions", "runs"]

export class Versions extends Context.Service<
  Versions,
  {
    readonly cell: (dependency: Dependency) => Cell
    /** Tells of changes, after they can be read: an answer made meanwhile counts as out of date. */
    readonly changed: (...dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void>
    /** The same for code that is no effect. */
    readonly changedUnsafe: (...dependencies: ReadonlyArray<Dependency>) => void
    /** Everything that another process may have changed counts as changed. */
    readonly changedElsewhere: Effect.Effect<void>
    /** When one of these last changed, epoch milliseconds of the data clock. */
    readonly changedAt: (dependencies: ReadonlyArray<Dependency>) => Effect.Effect<number>
  }
>()("core/data/read/Versions") {
  static readonly layer = Layer.effect(
    Versions,
    Effect.gen(function* () {
      const clock = yield* Clock.clockWith((clock) => Effect.succeed(clock))
      const offset = yield* DataClock.offset
      const now = () => clock.currentTimeMillisUnsafe() + offset
      const started = now()
      const named = new Map<Named, Counted>()
      const symbols = new Map<string, Counted>()

      const counted = <K>(cells: Map<K, Counted>, name: K): Counted => {
        const known = cells.get(name)
        if (known !== undefined) return known
        const made = new Counted(started)
        cells.set(name, made)
        return made
      }
      const cell = (dependency: Dependency): Cell => {
        if (typeof dependency !== "string") return counted(symbols, dependency.symbol)
        return isTick(dependency) ? ticks[dependency] : counted(named, dependency)
      }
      const changedUnsafe = (...dependencies: ReadonlyArray<Dependency>): void => {
        const at = now()
        for (const dependency of dependencies) {
          const found = cell(dependency)
          if (found instanceof Counted) found.change(at)
        }
      }
      return Versions.of({
        cell,
        changed: (...dependencies) => Effect.sync(() => changedUnsafe(...dependencies)),
        changedUnsafe,
        changedElsewhere: Effect.sync(() =>
          changedUnsafe(...unheard, ...[...symbols.keys()].map((symbol) => ({ symbol })))
        ),
        changedAt: (dependencies) =>
          Effect.sync(() => {
            const at = now()
            return dependencies.reduce((newest, one) => Math.max(newest, cell(one).changedAt(at)), 0)
          })
      })
    })
  )
}

/** The versions of some cells at one time. Take them before what depends on them is read. */
export class Basis {
  readonly #cells: ReadonlyArray<Cell>
  readonly #versions: ReadonlyArray<number>

  constructor(cells: ReadonlyArray<Cell>, now: number) {
    this.#cells = cells
    this.#versions = cells.map((cell) => cell.version(now))
  }

  /** True while nothing has changed since. */
  holds(now: number): boolean {
    for (let at = 0; at < this.#cells.length; at++) {
      if (this.#cells[at]?.version(now) !== this.#versions[at]) return false
    }
    return true
  }
}

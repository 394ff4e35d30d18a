/**
 * A version for everything that answers depend on. Whoever changes something says so here once the change can be read, so
 * an answer that was made of older versions is known to be out of date, and no other is.
 */
import { Clock, Context, Deferred, Effect, Exit, Layer } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { day, minute } from "../../plugin/time.ts"
import type { Dependency, Named } from "../../wire/data/dependency.ts"

/** The version of one dependency; `now` is the data clock in epoch milliseconds. */
export interface Cell {
  readonly version: (now: number) => number
  /** When it last changed, epoch milliseconds of the data clock. */
  readonly changedAt: (now: number) => number
  /** Increases with every change; the same on all processes where the database knows the change. */
  readonly number: (now: number) => number
}

class Counted implements Cell {
  #version = 0
  #number = 0
  #changedAt: number

  constructor(changedAt: number) {
    this.#changedAt = changedAt
  }

  /** What was made of it is out of date; the time stays. */
  touch(): void {
    this.#version++
  }

  change(at: number, number = this.#number + 1): void {
    this.#version++
    this.#number = number
    this.#changedAt = at
  }

  version(): number {
    return this.#version
  }

  changedAt(): number {
    return this.#changedAt
  }

  number(): number {
    return this.#number
  }
}

/** `latest` is how far the clock may have come, epoch milliseconds of the data clock. */
const ticking = (period: number, latest: () => number): Cell => {
  const tick = (now: number) => Math.floor(Math.min(now, latest()) / period)
  return { version: tick, number: tick, changedAt: (now) => tick(now) * period }
}

/** Length of the periods in which an answer that depends on the clock stays the same, in milliseconds. */
export const periods = { second: 1000, clock: 10_000, day } as const

const isTick = (name: Named): name is keyof typeof periods => name in periods

/**
 * How far the clock of answers goes on without word from the database, in milliseconds. What a process cannot vouch for, it
 * does not date: answers that change with the clock alone stand still then, at that time.
 */
export const longestUnvouched = minute

/**
 * A change is dated this much before others can read it, at most, in milliseconds. The tens of seconds that answers are dated by
 * begin only once the process has everything of before: another that had more would say otherwise at the same time.
 */
const longestCommit = 1000

/** A change that the database knows: on every process the same, and so is the time. */
export interface Moved {
  readonly dependency: Dependency
  /** Orders the changes of all dependencies. */
  readonly number: number
  /** Epoch milliseconds of the data clock. */
  readonly changedAt: number
}

/** How long an answer waits for a change that was announced. */
const settleTimeout = "1 second"

export class Versions extends Context.Service<
  Versions,
  {
    readonly cell: (dependency: Dependency) => Cell
    /** Tells of changes, after they can be read: an answer made meanwhile counts as out of date. */
    readonly changed: (...dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void>
    /** The same for code that is no effect. */
    readonly changedUnsafe: (...dependencies: ReadonlyArray<Dependency>) => void
    /** What was made of these is out of date, though they did not change now: what they say was read again. */
    readonly touched: (...dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void>
    /** Takes changes with the time that the database has for them, once they can be read. */
    readonly moved: (changes: ReadonlyArray<Moved>) => Effect.Effect<void>
    /**
     * This process had everything that the database had at this time, epoch milliseconds of the wall clock. After the first
     * call, the clock of answers stops `longestUnvouched` after the last, and the ticks of `clock` wait for the next.
     */
    readonly vouchedFor: (at: number) => Effect.Effect<void>
    /** The time that an answer may state: now, or where the clock of answers stands still; epoch milliseconds. */
    readonly present: Effect.Effect<number>
    /** When everything counts as changed that has never changed; the same on every process. */
    readonly since: (at: number) => Effect.Effect<void>
    /** These are about to change: until as many calls of `applied`, answers wait for it. */
    readonly announced: (dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void>
    readonly applied: (dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void>
    /** Waits, though not for long, until no change of these is announced. */
    readonly settled: (dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void>
    /** When one of these last changed, epoch milliseconds of the data clock. */
    readonly changedAt: (dependencies: ReadonlyArray<Dependency>) => Effect.Effect<number>
  }
>()("core/readings/read/Versions") {
  static readonly layer = Layer.effect(
    Versions,
    Effect.gen(function* () {
      const clock = yield* Clock.clockWith((clock) => Effect.succeed(clock))
      const offset = yield* DataClock.offset
      const now = () => clock.currentTimeMillisUnsafe() + offset
      let started = now()
      let latest = Number.POSITIVE_INFINITY
      let complete = Number.POSITIVE_INFINITY
      const at = () => latest
      const ticks: Readonly<Record<keyof typeof periods, Cell>> = {
        second: ticking(periods.second, at),
        clock: ticking(periods.clock, () => complete),
        day: ticking(periods.day, at)
      }
      const named = new Map<Named, Counted>()
      const symbols = new Map<string, Counted>()

      const counted = <K>(cells: Map<K, Counted>, name: K): Counted => {
        const existing = cells.get(name)
        if (existing !== undefined) return existing
        const created = new Counted(started)
        cells.set(name, created)
        return created
      }
      const cell = (dependency: Dependency): Cell => {
        if (typeof dependency !== "string") return counted(symbols, dependency.symbol)
        return isTick(dependency) ? ticks[dependency] : counted(named, dependency)
      }
      const changedUnsafe = (...dependencies: ReadonlyArray<Dependency>): void => {
        const at = now()
        for (const dependency of dependencies) {
          const target = cell(dependency)
          if (target instanceof Counted) target.change(at)
        }
      }
      const touchedUnsafe = (dependencies: ReadonlyArray<Dependency>): void => {
        for (const dependency of dependencies) {
          const target = cell(dependency)
          if (target instanceof Counted) target.touch()
        }
      }
      /** Those that are announced: how often, and what is done once they are applied. */
      const awaited = new Map<Cell, { times: number; readonly applied: Deferred.Deferred<void> }>()
      return Versions.of({
        cell,
        changed: (...dependencies) => Effect.sync(() => changedUnsafe(...dependencies)),
        changedUnsafe,
        touched: (...dependencies) => Effect.sync(() => touchedUnsafe(dependencies)),
        moved: (changes) =>
          Effect.sync(() => {
            for (const { changedAt, dependency, number } of changes) {
              const target = cell(dependency)
              if (target instanceof Counted) target.change(changedAt, number)
            }
          }),
        vouchedFor: (at) =>
          Effect.sync(() => {
            latest = at + offset + longestUnvouched
            complete = at + offset - longestCommit
          }),
        present: Effect.map(DataClock.now, (now) => Math.min(now, latest)),
        since: (at) =>
          Effect.sync(() => {
            started = at
            for (const one of [...named.values(), ...symbols.values()]) one.change(at, 0)
          }),
        announced: (dependencies) =>
          Effect.sync(() => {
            touchedUnsafe(dependencies)
            for (const dependency of dependencies) {
              const target = cell(dependency)
              const waiting = awaited.get(target)
              if (waiting === undefined) awaited.set(target, { times: 1, applied: Deferred.makeUnsafe() })
              else waiting.times++
            }
          }),
        applied: (dependencies) =>
          Effect.sync(() => {
            for (const dependency of dependencies) {
              const target = cell(dependency)
              const waiting = awaited.get(target)
              if (waiting === undefined || --waiting.times > 0) continue
              awaited.delete(target)
              Deferred.doneUnsafe(waiting.applied, Exit.void)
            }
          }),
        settled: (dependencies) =>
          Effect.suspend(() => {
            if (awaited.size === 0) return Effect.void
            const waiting = dependencies.flatMap((dependency) => awaited.get(cell(dependency)) ?? [])
            return waiting.length === 0
              ? Effect.void
              : Effect.forEach(waiting, ({ applied }) => Deferred.await(applied), { discard: true }).pipe(
                  Effect.timeoutOption(settleTimeout),
                  Effect.asVoid
                )
          }),
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
export class CacheValidators {
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

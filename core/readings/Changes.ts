/**
 * Changes as the database knows them. Whoever writes something that answers depend on records that in the same transaction:
 * with it go the time from which the change counts, equal for every process, and a notification for the other processes,
 * which Postgres sends once the transaction is committed.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { pulse } from "../process/Pulse.ts"
import { manyRowsOf } from "../sql/rows.ts"
import type { Dependency, Named } from "../wire/data/dependency.ts"
import { texts } from "./ingest/arrays.ts"
import { type Moved, Versions } from "./read/Versions.ts"

/** Every process writes it at any time, so it may change twice in a millisecond. All else has one writer at a time. */
const manyWriters: Named = "feeds"

/** Where processes that share a database tell each other of changes. */
export const channel = "plumbline"

/** A notification. Its networks are those of its series. */
export const Notice = Schema.Struct({
  /** The process that sent it. */
  by: Schema.String,
  names: Schema.Array(Schema.String),
  /** Series with other latest rows or days; null: so many that everything is read again. */
  series: Schema.NullOr(Schema.Array(Schema.Int)),
  /** Says nothing to others: who hears its own mark has heard all that was sent before it. */
  mark: Schema.optionalKey(Schema.Int)
})
export interface Notice extends Schema.Schema.Type<typeof Notice> {}

/** Postgres takes less than 8,000 bytes for one notification. */
const seriesOfNotice = 700
const mostNotices = 20

const versionRows = manyRowsOf({
  name: Predicate.isString,
  number: Predicate.isNumber,
  changed_at: Predicate.isDate
})

const ofSymbol = "symbol:"

/** The name of a dependency in the database. */
export const nameOf = (dependency: Dependency): string =>
  typeof dependency === "string" ? dependency : ofSymbol + dependency.symbol

const namedDependencies: Readonly<Record<Named, true>> = {
  anomalies: true,
  anchors: true,
  clock: true,
  cosignatures: true,
  day: true,
  depths: true,
  events: true,
  feeds: true,
  incidents: true,
  keys: true,
  log: true,
  networks: true,
  proofs: true,
  reads: true,
  retention: true,
  revisions: true,
  rowCounts: true,
  runs: true,
  second: true,
  setup: true,
  symbols: true
}

/** True for a dependency that has a name; another version of this code may have told of others. */
export const isNamed = (name: string): name is Named => Object.hasOwn(namedDependencies, name)

const dependencyOf = (name: string): Dependency | undefined =>
  name.startsWith(ofSymbol) ? { symbol: name.slice(ofSymbol.length) } : isNamed(name) ? name : undefined

const movedOf = <E, R>(statement: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, E, R>) =>
  Effect.map(versionRows(statement), (rows) =>
    rows.flatMap(({ changed_at, name, number }): ReadonlyArray<Moved> => {
      const dependency = dependencyOf(name)
      return dependency === undefined ? [] : [{ dependency, number, changedAt: changed_at.getTime() }]
    })
  )

/** What the transaction under way has announced. */
const Announced = Context.Reference<Array<Dependency> | undefined>("core/readings/Changes/Announced", {
  defaultValue: () => undefined
})

/**
 * Records in the transaction under way that these changed, and whose rows; `by` is who need not hear of it. Whoever waited here
 * for another transaction comes after it: its number and its time are later, though it began to wait before.
 */
const recorded = Effect.fnUntraced(function* (
  by: string,
  dependencies: ReadonlyArray<Dependency>,
  series: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  // In one order, so that two transactions never wait for each other.
  const names = [...new Set(dependencies.map(nameOf))].sort()
  const notices = noticesOf(by, names, series).map((notice) => JSON.stringify(notice))
  return yield* movedOf(sql`
    with moved as (
      insert into version as v (name, number, changed_at)
      select name, one.number, ${new Date(yield* DataClock.now)}::timestamptz(3)
      from unnest(${texts(names)}) as t(name) cross join (select nextval('version_number') as number) one
      on conflict (name) do update
        set number = nextval('version_number'),
          changed_at = case
            when v.changed_at > excluded.changed_at or (v.changed_at = excluded.changed_at and v.name = ${manyWriters})
            then v.changed_at + interval '1 millisecond' else excluded.changed_at end
      returning name, number, changed_at
    ), told as (
      select count(pg_notify(${channel}, notice)) as n from unnest(${texts(notices)}) as t(notice)
    )
    select name, number::float8 as number, changed_at from moved cross join told where told.n >= 0`)
})

/** The same for what no service holds in memory by itself: every process hears of it. */
export const announce = (...dependencies: ReadonlyArray<Dependency>) =>
  Effect.asVoid(recorded("", dependencies, []))

/** A change as the database has it: the name of what changed (`nameOf`), and the number of the change. */
export interface Numbered {
  readonly name: string
  readonly number: number
}

/** From when everything counts as changed that has no row of its own. */
const beginning = "beginning"

/** Reads what is held in memory; what it returns takes that over. */
export type HeldRead = Effect.Effect<Effect.Effect<void>, SqlError>

export class Changes extends Context.Service<
  Changes,
  {
    /** The name of this process in its notifications. */
    readonly me: string
    /**
     * Records that these changed, and whose rows: call it last in the transaction that writes them, and give the result to
     * `take` once the transaction is committed and what it wrote can be read.
     */
    readonly record: (
      dependencies: ReadonlyArray<Dependency>,
      series?: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Moved>, SqlError>
    readonly take: (changes: ReadonlyArray<Moved>) => Effect.Effect<void>
    /**
     * Runs a transaction that records changes. Where other processes follow this one, answers wait from the record until
     * the transaction is over: they must not say less than the others' do by then.
     */
    readonly publishing: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** From now on, other processes follow this one. */
    readonly followed: Effect.Effect<void>
    /** Both, for what is read from SQL alone: it counts as changed with the commit. */
    readonly tell: (...dependencies: ReadonlyArray<Dependency>) => Effect.Effect<void, SqlError>
    /** The changes of these; all without a list. */
    readonly read: (dependencies?: ReadonlyArray<Dependency>) => Effect.Effect<ReadonlyArray<Moved>, SqlError>
    /** The changes after a number that this process has not taken. */
    readonly lacking: (
      after: number
    ) => Effect.Effect<{ readonly newest: number; readonly changes: ReadonlyArray<Numbered> }, SqlError>
    /** Those of these changes that this process has not taken by now. */
    readonly unapplied: (changes: ReadonlyArray<Numbered>) => ReadonlyArray<Numbered>
    /** Sends this process, and all others, the mark. */
    readonly mark: (mark: number) => Effect.Effect<void, SqlError>
    /** What this process holds of it is read again when another process changed this, before that counts. */
    readonly onElsewhere: (name: Named, read: Effect.Effect<unknown, SqlError>) => Effect.Effect<void>
    readonly elsewhere: (name: Named) => ReadonlyArray<Effect.Effect<unknown, SqlError>>
    /**
     * The same for what has to be of the very state that the change stands for: `read` only queries, in the snapshot in which
     * the change is read, and what it returns is done when the change counts.
     */
    readonly heldWithVersion: (name: Named, read: HeldRead) => Effect.Effect<void>
    readonly withVersion: (name: Named) => ReadonlyArray<HeldRead>
  }
>()("core/readings/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const versions = yield* Versions
      let shared = false
      const me = randomUUID().slice(0, 8)
      const latestNumbers = new Map<string, number>()
      const readers = new Map<Named, Array<Effect.Effect<unknown, SqlError>>>()
      const heldReaders = new Map<Named, Array<HeldRead>>()

      const read = (dependencies?: ReadonlyArray<Dependency>) =>
        movedOf(
          dependencies === undefined
            ? sql`select name, number::float8 as number, changed_at from version`
            : sql`select name, number::float8 as number, changed_at from version
                where name = any(${texts(dependencies.map(nameOf))})`
        )

      const unapplied = (changes: ReadonlyArray<Numbered>) =>
        changes.filter(({ name, number }) => number > (latestNumbers.get(name) ?? 0))

      const take = (changes: ReadonlyArray<Moved>) =>
        Effect.suspend(() => {
          const fresh = changes.filter(
            ({ dependency, number }) => number > (latestNumbers.get(nameOf(dependency)) ?? 0)
          )
          for (const { dependency, number } of fresh) latestNumbers.set(nameOf(dependency), number)
          return versions.moved(fresh)
        })

      const record = Effect.fn("Changes.record")(
        function* (dependencies: ReadonlyArray<Dependency>, series: ReadonlyArray<number> = []) {
          if (dependencies.length === 0) return []
          const announced = yield* Announced
          if (announced !== undefined) {
            announced.push(...dependencies)
            yield* versions.announced(dependencies)
          }
          return yield* recorded(me, dependencies, series)
        },
        Effect.provideService(SqlClient.SqlClient, sql)
      )

      yield* sql`insert into version ${sql.insert({
        name: beginning,
        number: 0,
        changed_at: new Date(yield* DataClock.now)
      })} on conflict do nothing`
      const [began] = yield* sql`
        select name, 0 as number, changed_at from version where name = ${beginning}`.pipe(versionRows)
      if (began !== undefined) yield* versions.since(began.changed_at.getTime())
      yield* take(yield* read())

      return Changes.of({
        me,
        record,
        take,
        publishing: (transaction) =>
          Effect.suspend(() => {
            if (!shared) return transaction
            const announced: Array<Dependency> = []
            return transaction.pipe(
              Effect.provideService(Announced, announced),
              Effect.ensuring(Effect.suspend(() => versions.applied(announced)))
            )
          }),
        followed: Effect.sync(() => {
          shared = true
        }),
        tell: (...dependencies) =>
          Effect.flatMap(record(dependencies), (changes) => sql.afterCommit(take(changes))),
        read,
        lacking: Effect.fnUntraced(function* (after) {
          const rows = yield* sql`
            select name, number::float8 as number, changed_at from version
            where number > ${after} order by number`.pipe(versionRows)
          return { newest: rows.at(-1)?.number ?? after, changes: unapplied(rows) }
        }),
        unapplied,
        mark: Effect.fnUntraced(
          function* (mark) {
            const notice: Notice = { by: me, names: [], series: [], mark }
            yield* (yield* pulse)`select pg_notify(${channel}, ${JSON.stringify(notice)})`
          },
          Effect.provideService(SqlClient.SqlClient, sql)
        ),
        onElsewhere: (name, again) =>
          Effect.sync(() => void readers.set(name, [...(readers.get(name) ?? []), again])),
        elsewhere: (name) => readers.get(name) ?? [],
        heldWithVersion: (name, again) =>
          Effect.sync(() => void heldReaders.set(name, [...(heldReaders.get(name) ?? []), again])),
        withVersion: (name) => heldReaders.get(name) ?? []
      })
    })
  ).pipe(Layer.provideMerge(Versions.layer))
}

const noticesOf = (
  by: string,
  names: ReadonlyArray<string>,
  series: ReadonlyArray<number>
): ReadonlyArray<Notice> => {
  const named = names.filter((name) => !name.startsWith(ofSymbol))
  const ids = [...new Set(series)]
  if (ids.length > seriesOfNotice * mostNotices) return [{ by, names: named, series: null }]
  const notices: Array<Notice> = []
  for (let at = 0; at === 0 || at < ids.length; at += seriesOfNotice) {
    notices.push({ by, names: named, series: ids.slice(at, at + seriesOfNotice) })
  }
  return notices
}

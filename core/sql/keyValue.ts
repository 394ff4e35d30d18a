/** Facts: what a part of the service remembers by name, as text. Whoever writes one does it here. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { rowsOf } from "./rows.ts"

const namedRows = rowsOf({ name: Schema.String, value: Schema.String })
const factRows = rowsOf({ value: Schema.String })

/** The fact of this name; undefined if it was never stored. */
export const storedFact = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const [fact] = yield* sql`select value from fact where name = ${name}`.pipe(factRows)
  return fact?.value
})

/** The value of a fact as an expression of a statement; null if it was never stored. */
export const factNamed = (sql: SqlClient.SqlClient, name: string): Statement.Fragment =>
  sql`(select value from fact where name = ${name})`

/** The facts whose names begin with this, by what follows it. */
export const storedFactsOf = Effect.fnUntraced(function* (beginning: string) {
  const sql = yield* SqlClient.SqlClient
  const facts =
    yield* sql`select name, value from fact where starts_with(name, ${beginning}) limit 1000`.pipe(namedRows)
  return new Map(facts.map(({ name, value }) => [name.slice(beginning.length), value]))
})

/** Stores a fact in place of an earlier one. */
export const storeFact = Effect.fnUntraced(function* (name: string, value: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into fact ${sql.insert({ name, value })} on conflict (name) do update set value = excluded.value`
})

/** Stores facts of which there is none yet: of several that store one at once, the first one's stays. */
export const storeFirstFacts = Effect.fnUntraced(function* (facts: ReadonlyMap<string, string>) {
  const sql = yield* SqlClient.SqlClient
  const [first, ...rest] = [...facts].map(([name, value]) => ({ name, value }))
  if (first !== undefined)
    yield* sql`insert into fact ${sql.insert([first, ...rest])} on conflict (name) do nothing`
})

/** Stores numbers, each in place of a smaller one. */
export const raiseFacts = Effect.fnUntraced(function* (levels: Readonly<Record<string, number>>) {
  const sql = yield* SqlClient.SqlClient
  const [first, ...rest] = Object.entries(levels).map(([name, level]) => ({ name, value: String(level) }))
  if (first !== undefined)
    yield* sql`insert into fact ${sql.insert([first, ...rest])}
      on conflict (name) do update set value = excluded.value where fact.value::float8 < excluded.value::float8`
})

/** Forgets facts. */
export const removeFacts = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  if (names.length > 0) yield* sql`delete from fact where ${sql.in("name", names)}`
})

/** Forgets the facts whose names begin with this. */
export const removeFactsOf = Effect.fnUntraced(function* (beginning: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from fact where starts_with(name, ${beginning})`
})

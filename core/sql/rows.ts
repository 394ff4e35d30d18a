/** Rows of a statement, held to their shape: what SQL gives is not what a type says it is. */
import { Effect, type Predicate, Schema } from "effect"

/**
 * Decodes the rows of a statement; for the top of a module, since it builds the decoder. Columns that are not named are
 * left out. A row of another shape is a defect: tables and statements are both ours.
 */
export const rowsOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(fields)))
  return <E, R>(statement: Effect.Effect<ReadonlyArray<object>, E, R>) =>
    Effect.flatMap(statement, (rows) => Effect.orDie(decode(rows)))
}

type Columns = Readonly<Record<string, Predicate.Refinement<unknown, unknown>>>

type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Predicate.Refinement<unknown, infer A> ? A : never
}

/**
 * `rowsOf` for statements of tens of thousands of rows, where decoding would take half as long as the statement itself. It
 * checks the columns in place, which takes a twentieth, and leaves other columns in the rows.
 */
export const manyRowsOf = <const C extends Columns>(columns: C) => {
  const checks = Object.entries(columns)
  const isRow = (row: Readonly<Record<string, unknown>>): row is RowOf<C> =>
    checks.every(([name, is]) => is(row[name]))
  return <E, R>(statement: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, E, R>) =>
    Effect.flatMap(statement, (rows) => {
      if (rows.every(isRow)) return Effect.succeed(rows)
      const wrong = checks.flatMap(([name, is]) => (rows.every((row) => is(row[name])) ? [] : [name]))
      return Effect.die(new Error(`a statement gave rows with another type in: ${wrong.join(", ")}`))
    })
}

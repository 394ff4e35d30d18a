/** Rows of a statement, held to a schema: what SQL gives is not what a type says it is. */
import { Effect, Schema } from "effect"

/**
 * Decodes the rows of a statement; for the top of a module, since it builds the decoder. Columns that are not named are
 * left out. A row of another shape is a defect: tables and statements are both ours.
 */
export const rowsOf = <const Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct(fields)))
  return <E, R>(statement: Effect.Effect<ReadonlyArray<object>, E, R>) =>
    Effect.flatMap(statement, (rows) => Effect.orDie(decode(rows)))
}

/** Rows as text: one JSON array per line, in the order of the rows. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { Observation } from "../../plugin/Value.ts"

/** The rows as JSON lines, in their order. */
export const linesOf = (rows: ReadonlyArray<Observation>): string =>
  rows
    .map(
      ({ as_of, metric, source, symbol, unit, value, value_text, verify_url }) =>
        `${JSON.stringify([symbol, metric, source, as_of, value, value_text ?? null, unit, verify_url])}\n`
    )
    .join("")

/** SHA-256 of such lines, lower-case hex. */
export const linesHash = (lines: string): string => createHash("sha256").update(lines).digest("hex")

/** SHA-256 over the rows as JSON lines, in their order: a repeated derivation must match it. */
export const rowsHash = (rows: ReadonlyArray<Observation>): string => linesHash(linesOf(rows))

const Line = Schema.Tuple([
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.String,
  Schema.Finite,
  Schema.NullOr(Schema.String),
  Schema.String,
  Schema.String
])
const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(Line))
const decodeRow = Schema.decodeUnknownEffect(Observation)

/** The rows that `linesOf` wrote. */
export const observationsOf = (lines: string) =>
  Effect.forEach(lines.trimEnd().split("\n"), (text) =>
    Effect.flatMap(decodeLine(text), ([symbol, metric, source, as_of, value, value_text, unit, verify_url]) =>
      decodeRow({
        symbol,
        metric,
        source,
        as_of,
        value,
        unit,
        verify_url,
        ...(value_text === null ? {} : { value_text })
      })
    )
  )

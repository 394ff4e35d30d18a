/** Rows that put several metrics of one network side by side: market and revenue. */
import { Effect, Record } from "effect"
import { compare, isoTime } from "../../plugin/Value.ts"
import type { FieldSource } from "../../wire/data/figures.ts"
import type { ValueRow } from "../../wire/data/valueRow.ts"
import type { CurrentRow } from "./Current.ts"
import { eachSymbol, type Listing } from "./listing.ts"
import { pickSource } from "./pickSource.ts"
import type { RightsBySource } from "./rights.ts"
import { chosenColumns, chosenOf, chosenSymbols, type Filter } from "./selection.ts"
import { marksOfAll, valueRow } from "./valueRow.ts"

/** The measured fields of one network, and where they come from. */
export interface Figures<Field extends string> {
  readonly symbol: string
  /** Null where it is not measured. */
  readonly value: (field: Field) => number | null
  /** The same with its unit; undefined where it is not measured. */
  readonly row: (field: Field) => ValueRow | undefined
  readonly provenance: {
    readonly verify_url: string
    readonly source: string
    readonly as_of: string
    readonly field_sources?: Record.ReadonlyRecord<string, typeof FieldSource.Type>
    readonly simulated?: true
    readonly unconfirmed?: true
  }
}

/**
 * Makes one entry for each network that has any of the fields, sorted by symbol. Each field is answered by the source that
 * `pickSource` picks; the first measured one gives the row's source, and a field from another source is named with its own.
 */
export const figuresOf = <const Field extends string>(fields: ReadonlyArray<Field>) => {
  const entry = eachSymbol((rows, symbol): ReadonlyArray<Figures<Field>> => {
    const rowsByField = new Map<Field, CurrentRow>()
    for (const field of fields) {
      const candidates = rows
        .filter(({ row }) => row.metric === field)
        .map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
      const answer = pickSource(symbol, field, candidates)
      if (answer !== undefined) rowsByField.set(field, answer.row)
    }
    const [first] = rowsByField.values()
    if (first === undefined) return []
    const others = [...rowsByField].filter(([, { row }]) => row.source !== first.row.source)
    return [
      {
        symbol,
        value: (field) => rowsByField.get(field)?.row.value ?? null,
        row: (field) => {
          const row = rowsByField.get(field)
          return row === undefined ? undefined : valueRow(row)
        },
        provenance: {
          verify_url: first.row.verify_url,
          source: first.row.source,
          as_of: isoTime(Math.min(...[...rowsByField.values()].map(({ asOf }) => asOf))),
          ...(others.length === 0
            ? {}
            : {
                field_sources: Object.fromEntries(
                  others.map(([field, { row }]) => [
                    field,
                    { source: row.source, verify_url: row.verify_url, as_of: row.as_of }
                  ])
                )
              }),
          ...marksOfAll([...rowsByField.values()])
        }
      }
    ]
  })
  return ({ bySymbol }: Pick<Listing, "bySymbol">): ReadonlyArray<Figures<Field>> =>
    [...bySymbol].toSorted(([a], [b]) => compare(a, b)).flatMap(([symbol, rows]) => entry(rows, symbol))
}

/** Where the figures of a row come from, and what may be done with them. */
export const creditedTo = (
  { field_sources, ...provenance }: Figures<string>["provenance"],
  rightsOf: RightsBySource
) => ({
  ...provenance,
  ...(field_sources === undefined
    ? {}
    : {
        field_sources: Record.map(field_sources, (field) => ({ ...field, ...rightsOf(field.source) }))
      }),
  ...rightsOf(provenance.source)
})

/** The entries that a filter leaves: of `metrics`, those in which any is measured. Fails with `BadParameter` and `UnknownSymbol`. */
export const chosenFigures = Effect.fnUntraced(function* <Field extends string>(
  entries: ReadonlyArray<Figures<Field>>,
  fields: ReadonlyArray<Field>,
  filter: Filter
) {
  const symbols = yield* chosenSymbols(filter.symbols)
  const metrics = yield* chosenColumns(filter.metrics, fields)
  const chosen = chosenOf(symbols, metrics, filter.category)
  const fieldsChosen = fields.filter(chosen.hasMetric)
  return chosen.isAll
    ? entries
    : entries.filter(
        ({ symbol, value }) => chosen.hasSymbol(symbol) && fieldsChosen.some((field) => value(field) !== null)
      )
})

/** Rows of `/v1/export` (spec 4.3): those of the GET that stands behind each dataset, page by page, as a table or as lines. */

import { Effect, Option, Stream } from "effect"
import * as Csv from "effect/encoding/Csv"
import { BadParameter } from "../data/errors.ts"
import type { Access } from "../data/read/Access.ts"
import { historyStream } from "../data/read/history.ts"
import { networks } from "../data/read/networks.ts"
import { knownSymbol } from "../data/read/parameters.ts"
import { supplyList } from "../data/read/supply.ts"
import { HistoryPoint } from "../wire/data/history.ts"
import { NetworkRow } from "../wire/data/networks.ts"
import { ValueRow } from "../wire/data/valueRow.ts"
import { Asset } from "../wire/products/bars.ts"
import { ChangeRow, CorrelationRow } from "../wire/products/crossNetwork.ts"
import { IndicatorBar } from "../wire/products/indicators.ts"
import { LeadLagRow } from "../wire/products/leadLag.ts"
import { type View, views } from "./views.ts"

export type Row = Readonly<Record<string, unknown>>

export interface Options {
  readonly access: Access
  readonly symbol?: string | undefined
  readonly days?: number | undefined
}

interface Page {
  readonly rows: ReadonlyArray<Row>
  readonly next_cursor?: string | undefined
}

const pages = <E, R>(of: (cursor: string | undefined) => Effect.Effect<Page, E, R>) =>
  Stream.paginate<string | undefined, Row, E, R>(undefined, (cursor) =>
    Effect.map(of(cursor), ({ next_cursor, rows }) => [rows, Option.fromNullishOr(next_cursor)] as const)
  )

const columnsOf = (...schemas: ReadonlyArray<{ readonly fields: object }>): ReadonlyArray<string> => [
  ...new Set(schemas.flatMap(({ fields }) => Object.keys(fields)))
]

const historyRows = ({ access, days, symbol }: Options) =>
  Stream.unwrap(
    Effect.gen(function* () {
      if (symbol === undefined) {
        const message = "symbol is required with dataset=history: a symbol of /v1/networks, such as FIL."
        return yield* new BadParameter({ field: "symbol", message })
      }
      const network = yield* knownSymbol("symbol", symbol)
      return historyStream({ access, days, network }, (metric, { points, source, tier, unit, verify_url }) =>
        points.map((point): Row => ({ symbol, metric, tier, source, unit, ...point, verify_url }))
      )
    })
  )

/** Rows of a view that a tier opens. */
const ofView = <A, E, R>(
  { capability, make, rest }: View<A, E, R>,
  columns: ReadonlyArray<string> | null,
  rows: (made: A) => ReadonlyArray<Row>
) => ({
  source: rest,
  capability,
  columns,
  rows: () => Stream.fromIterableEffect(Effect.map(make({}), rows))
})

/**
 * What can be exported: the GET that the rows come from, what it asks of a tier, the columns of its table (null: it is
 * none), and the rows.
 */
export const datasets = {
  networks: {
    source: "/v1/networks",
    capability: "exports",
    columns: columnsOf(NetworkRow),
    rows: ({ access }: Options) =>
      pages((cursor) =>
        Effect.map(networks({ access, cursor }), ({ networks: rows, next_cursor }) => ({ rows, next_cursor }))
      )
  },
  supply: {
    source: "/v1/supply",
    capability: "exports",
    columns: columnsOf(ValueRow),
    rows: ({ access }: Options) =>
      pages((cursor) =>
        Effect.map(supplyList({ access, cursor }), ({ next_cursor, supply }) => ({
          rows: supply.map((row) => ({ ...row })),
          next_cursor
        }))
      )
  },
  history: {
    source: "/v1/history",
    capability: "exports",
    columns: [
      "symbol",
      "metric",
      "tier",
      "source",
      "unit",
      ...Object.keys(HistoryPoint.fields),
      "verify_url"
    ],
    rows: historyRows
  },
  changes: ofView(views.changes, columnsOf(ChangeRow), ({ changes }) => changes),
  correlations: ofView(views.correlations, columnsOf(CorrelationRow), ({ correlations }) => correlations),
  "lead-lag": ofView(views["lead-lag"], columnsOf(LeadLagRow), ({ correlations }) => correlations),
  indicators: ofView(views.indicators, columnsOf({ fields: Asset }, IndicatorBar), ({ assets }) =>
    assets.flatMap(({ bars, n_bars: _, n_gaps: __, ...asset }) => bars.map((bar) => ({ ...asset, ...bar })))
  ),
  digest: ofView(views.digest, null, (day) => [{ ...day }])
} as const

/** A text that a spreadsheet would run as a formula; a plain number is none. */
const runs = /^[=+\-@\t\r\n]/
const plain = /^-?\d+(\.\d+)?$/

/** A cell: null and what is absent is empty, 0 is 0, a part with parts of its own is its JSON. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return runs.test(text) && !plain.test(text) ? `'${text}` : text
}

/** RFC 4180 with a header line, one record an element. */
export const csv =
  (columns: ReadonlyArray<string>) =>
  <E, R>(rows: Stream.Stream<Row, E, R>): Stream.Stream<string, E, R> =>
    Stream.make(columns).pipe(
      Stream.concat(Stream.map(rows, (row) => columns.map((column) => cell(row[column])))),
      Stream.pipeThroughChannel(Csv.encodeString())
    )

/** One JSON object a line. */
export const ndjson = <E, R>(rows: Stream.Stream<Row, E, R>): Stream.Stream<string, E, R> =>
  Stream.map(rows, (row) => `${JSON.stringify(row)}\n`)

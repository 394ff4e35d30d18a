/** Rows of `/v1/export`: those of each dataset's GET, page by page. */
import { Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { columnsOf, type Row } from "../readings/csv.ts"
import type { Feeds } from "../readings/Feeds.ts"
import type { Access } from "../readings/read/Access.ts"
import type { Current } from "../readings/read/Current.ts"
import { historyStream, networksWithHistory } from "../readings/read/history.ts"
import { historyColumns, historyRowsOf } from "../readings/read/historyRows.ts"
import { networks } from "../readings/read/networks.ts"
import { knownSymbol } from "../readings/read/parameters.ts"
import type { RecentDays } from "../readings/read/RecentDays.ts"
import { supplyList } from "../readings/read/supply.ts"
import type { Versions } from "../readings/read/Versions.ts"
import { NetworkRow } from "../wire/data/networks.ts"
import { ValueRow } from "../wire/data/valueRow.ts"
import type { BadParameter, UnknownSymbol } from "../wire/problems/request.ts"
import { Asset } from "../wire/products/bars.ts"
import type { ReadableView } from "./build.ts"
import changes from "./changes/build.ts"
import { ChangeRow } from "./changes/definition.ts"
import correlations from "./correlations/build.ts"
import { CorrelationRow } from "./correlations/definition.ts"
import indicators from "./crypto_indicators/build.ts"
import { IndicatorBar } from "./crypto_indicators/definition.ts"
import { type Viewable, viewRest } from "./definition.ts"
import digest from "./digest/build.ts"
import leadLag from "./lead_lag_correlations/build.ts"
import { LeadLagRow } from "./lead_lag_correlations/definition.ts"

export interface Options {
  readonly access: Access
  readonly symbol?: string | undefined
  readonly days?: number | undefined
  readonly as_known_at?: string | undefined
}

interface Page {
  readonly rows: ReadonlyArray<Row>
  readonly next_cursor?: string | undefined
}

const pages = <E, R>(of: (cursor: string | undefined) => Effect.Effect<Page, E, R>) =>
  Stream.paginate<string | undefined, Row, E, R>(undefined, (cursor) =>
    Effect.map(of(cursor), ({ next_cursor, rows }) => [rows, Option.fromNullishOr(next_cursor)] as const)
  )

/** Every day of one network; without `symbol` of every network that has any, one after the other. */
const historyRows = ({ symbol, ...options }: Options) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const networks =
        symbol === undefined ? yield* networksWithHistory : [yield* knownSymbol("symbol", symbol)]
      return Stream.fromIterable(networks).pipe(
        Stream.flatMap((network) => historyStream({ ...options, network }, historyRowsOf))
      )
    })
  )

/** Rows of a gated view. */
const ofView = <A, E, R>(
  { definition: { view }, read }: ReadableView<Viewable, A, E, R>,
  columns: ReadonlyArray<string> | null,
  rows: (document: A) => ReadonlyArray<Row>
) => ({
  source: viewRest(view),
  capability: view.capability,
  columns,
  rows: ({ as_known_at }: Options) => Stream.fromIterableEffect(Effect.map(read({ as_known_at }), rows))
})

interface Origin {
  readonly symbol: string
  readonly source: string
  readonly verify_url: string
  readonly as_of: string
  readonly simulated?: true | undefined
}

/**
 * Rows of pairs, each with the provenance of both series, which the GET lists only once. `sides` are the columns naming the
 * two.
 */
const ofPairs = <Side extends string>(
  sides: readonly [Side, Side],
  row: { readonly fields: object }
): {
  readonly columns: ReadonlyArray<string>
  readonly rows: (
    pairs: ReadonlyArray<Readonly<Record<Side, string>>>,
    origins: ReadonlyArray<Origin>
  ) => ReadonlyArray<Row>
} => ({
  columns: [
    ...columnsOf(row),
    ...sides.flatMap((side) => [`${side}_source`, `${side}_verify_url`, `${side}_as_of`]),
    "simulated"
  ],
  rows: (pairs, origins) => {
    const bySymbol = new Map(origins.map((origin) => [origin.symbol, origin]))
    return pairs.map((pair) => {
      const of = sides.flatMap((side) => {
        const origin = bySymbol.get(pair[side])
        return origin === undefined ? [] : [[side, origin] as const]
      })
      return {
        ...pair,
        ...Object.fromEntries(
          of.flatMap(([side, { as_of, source, verify_url }]) => [
            [`${side}_source`, source],
            [`${side}_verify_url`, verify_url],
            [`${side}_as_of`, as_of]
          ])
        ),
        ...(of.some(([, { simulated }]) => simulated === true) ? { simulated: true } : {})
      }
    })
  }
})

const correlated = ofPairs(["a", "b"], CorrelationRow)
const leading = ofPairs(["leader", "follower"], LeadLagRow)

/** The rows of a dataset, whichever it is. */
export type ExportedRows = Stream.Stream<
  Row,
  BadParameter | SqlError | UnknownSymbol,
  Current | Feeds | RecentDays | SqlClient | Versions
>

/**
 * The exportable datasets: the GET behind each, the capability it requires, its table columns (null: not a table), and
 * its rows.
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
    columns: historyColumns,
    rows: historyRows
  },
  changes: ofView(changes.view, columnsOf(ChangeRow), ({ changes }) => changes),
  correlations: ofView(correlations.view, correlated.columns, ({ correlations, networks }) =>
    correlated.rows(correlations, networks)
  ),
  "lead-lag": ofView(leadLag.view, leading.columns, ({ assets, correlations }) =>
    leading.rows(correlations, assets)
  ),
  indicators: ofView(indicators.view, columnsOf({ fields: Asset }, IndicatorBar), ({ assets }) =>
    assets.flatMap(({ bars, n_bars: _, n_gaps: __, ...asset }) => bars.map((bar) => ({ ...asset, ...bar })))
  ),
  digest: ofView(digest.view, null, (day) => [{ ...day }])
} as const

/** One JSON object per line. */
export const ndjson = <E, R>(rows: Stream.Stream<Row, E, R>): Stream.Stream<string, E, R> =>
  Stream.map(rows, (row) => `${JSON.stringify(row)}\n`)

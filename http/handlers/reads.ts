/** The reads that are also sold by the page: one handler for the keyless path and the paid one. */

import type { Schema } from "effect"
import { Effect, Record } from "effect"
import { HttpServerResponse } from "effect/http"
import { Callers } from "../../core/credits/Callers.ts"
import { readPriceWords } from "../../core/credits/pricing.ts"
import { asksAll, query } from "../../core/log/record/query.ts"
import { columnsOf } from "../../core/readings/csv.ts"
import type { Access } from "../../core/readings/read/Access.ts"
import { everyNetwork, history } from "../../core/readings/read/history.ts"
import { historyColumns, historyRowsOf } from "../../core/readings/read/historyRows.ts"
import { marketPage } from "../../core/readings/read/market.ts"
import { networkPage } from "../../core/readings/read/network.ts"
import { networks } from "../../core/readings/read/networks.ts"
import type { Page } from "../../core/readings/read/parameters.ts"
import { provenance, provenanceBytes, provenanceHoldsUntil } from "../../core/readings/read/provenance.ts"
import { revenuePage } from "../../core/readings/read/revenue.ts"
import { forSale } from "../../core/readings/read/rights.ts"
import { supply, supplyRows } from "../../core/readings/read/supply.ts"
import { HistorySeries } from "../../core/wire/data/history.ts"
import { MarketRow } from "../../core/wire/data/market.ts"
import { NetworkValue } from "../../core/wire/data/network.ts"
import { NetworkRow } from "../../core/wire/data/networks.ts"
import { ProvenanceRecord } from "../../core/wire/data/provenance.ts"
import { type QueryRequest, QueryRow } from "../../core/wire/data/query.ts"
import { RevenueRow } from "../../core/wire/data/revenue.ts"
import type { SupplyResponse } from "../../core/wire/data/supply.ts"
import { ValueRow } from "../../core/wire/data/valueRow.ts"
import type { reads as declared } from "../api/reads.ts"
import { expireWhileDayOpen } from "../delivery/expireWhileDayOpen.ts"
import { type Forms, formatOf, inForm } from "../delivery/forms.ts"
import { linked, nextPage } from "../delivery/nextPage.ts"
import { holdsUntil } from "../delivery/RequestState.ts"
import { access, caller } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"

type Declared = typeof declared

/** The decoded query of a read. */
interface Queried<Name extends Exclude<keyof Declared, "asof">> {
  readonly query: Schema.Struct<Declared[Name]["query"]>["Type"]
}

/** For lists that are plain arrays, which cannot hold `next_cursor`. */
const rowsOf = <A, E, R>(effect: Effect.Effect<Page<A>, E, R>) =>
  Effect.flatMap(effect, ({ items, next }) => Effect.as(nextPage(next), items))

/** Fails unless the caller's tier compares networks. `alone`: what one answer costs where it is sold by itself. */
const crossNetwork = (alone?: string) =>
  Effect.all([Callers, caller]).pipe(
    Effect.flatMap(([callers, identity]) =>
      callers.gate(identity, { capability: "cross_network", ...(alone === undefined ? {} : { alone }) })
    )
  )

/** One metric of all networks is a comparison, which not every tier includes. */
export const mayAskAll = (network: string | undefined) =>
  network === everyNetwork ? crossNetwork() : Effect.void

/** What only a tier that pays reads, such as lists of every network, is sold: of values alone that may be. */
export const asRead = <A, E, R>({ breadth }: Access, isOfAll: boolean, answer: Effect.Effect<A, E, R>) =>
  isOfAll && breadth === "all" ? forSale(answer) : answer

/** What is sent of rows that have the members of a schema, as an array of their own. */
const bare = <Row extends object>(
  name: string,
  row: { readonly fields: object; readonly Type: Row }
): Forms<ReadonlyArray<Row>> => ({
  columns: columnsOf(row),
  table: (rows) => ({ name, rows: rows.map((one) => Object.fromEntries(Object.entries(one))) }),
  cut: (rows, cutRow) => rows.map(cutRow)
})

export const reads = {
  networks: ({ query: { fields, format, ...query } }: Queried<"networks">) =>
    access.pipe(
      Effect.flatMap((access) => linked(networks({ access, ...query }))),
      inForm(
        { fields, format },
        {
          columns: columnsOf(NetworkRow),
          table: ({ access, networks: rows }) => ({
            name: "networks",
            rows: rows.map((row) => ({ ...row })),
            access
          }),
          cut: (answer, cutRow) => ({ ...answer, networks: answer.networks.map(cutRow) })
        }
      )
    ),
  network: ({
    params: { symbol },
    query: { fields, format, ...query }
  }: Queried<"network"> & { readonly params: { readonly symbol: string } }) =>
    rowsOf(networkPage(symbol, query)).pipe(
      inForm({ fields, format }, bare(`network-${symbol}`, NetworkValue))
    ),
  supply: ({ query: { fields, format, ...query } }: Queried<"supply">) =>
    access.pipe(
      Effect.flatMap((access) =>
        linked(asRead(access, query.network === undefined, supply({ access, ...query })))
      ),
      inForm(
        { fields, format },
        {
          columns: columnsOf(ValueRow),
          table: (answer) => ({
            name: "network" in answer ? `supply-${answer.network}` : "supply",
            rows: supplyRows(answer),
            access: answer.access
          }),
          cut: cutSupply
        }
      )
    ),
  market: ({ query: { fields, format, ...query } }: Queried<"market">) =>
    rowsOf(marketPage(query)).pipe(inForm({ fields, format }, bare("market", MarketRow))),
  revenue: ({ query: { fields, format, ...query } }: Queried<"revenue">) =>
    rowsOf(revenuePage(query)).pipe(inForm({ fields, format }, bare("revenue", RevenueRow))),
  provenance: ({ query: { fields, format, ...query } }: Queried<"provenance">) =>
    Effect.flatMap(provenanceHoldsUntil, holdsUntil).pipe(
      Effect.andThen(formatOf(format)),
      Effect.flatMap((format) =>
        fields === undefined && format === "json"
          ? Effect.map(linked(provenanceBytes(query)), ({ bytes }) =>
              HttpServerResponse.uint8Array(bytes, { contentType: "application/json" })
            )
          : linked(provenance(query)).pipe(
              inForm(
                { fields, format },
                {
                  columns: columnsOf(ProvenanceRecord),
                  table: (answer) => ({
                    name: "provenance",
                    rows: answer.provenance.map((row) => ({ ...row }))
                  }),
                  cut: (answer, cutRow) => ({ ...answer, provenance: answer.provenance.map(cutRow) })
                }
              )
            )
      )
    ),
  query: ({ payload, query: { format } }: Queried<"query"> & { readonly payload: QueryRequest }) =>
    (asksAll(payload) ? crossNetwork(readPriceWords("/v1/query")) : Effect.void).pipe(
      Effect.andThen(access),
      Effect.flatMap((access) => asRead(access, asksAll(payload), query(payload, access))),
      orProblem,
      inForm(
        { fields: payload.fields, format },
        {
          columns: columnsOf(QueryRow),
          table: ({ access, next_cursor, rows }) => ({
            name: "query",
            rows: rows.map((row) => ({ ...row })),
            access,
            next_cursor
          })
        }
      )
    ),
  history: ({ query: { fields, format, ...query } }: Queried<"history">) => {
    const named = query.network ?? query.symbols
    return mayAskAll(named).pipe(
      Effect.andThen(expireWhileDayOpen(query.as_known_at)),
      Effect.andThen(access),
      Effect.flatMap((access) =>
        linked(asRead(access, named === everyNetwork, history({ access, ...query })))
      ),
      orProblem,
      inForm(
        { fields, format },
        {
          columns: historyColumns,
          members: columnsOf(HistorySeries),
          table: ({ access, data }) => ({
            name: `history-${named === everyNetwork ? "all" : named}`,
            rows: Object.entries(data).flatMap(([symbol, metrics]) =>
              Object.entries(metrics).flatMap(([metric, series]) => historyRowsOf(symbol, metric, series))
            ),
            access
          }),
          cut: (answer, cutRow) => ({
            ...answer,
            data: Record.map(answer.data, (metrics) => Record.map(metrics, cutRow))
          })
        }
      )
    )
  }
}

/** Either form of the answer with each of its rows cut. */
const cutSupply = (answer: SupplyResponse, cutRow: (row: object) => object) => ({
  ...answer,
  supply: "network" in answer ? Record.map(answer.supply, cutRow) : answer.supply.map(cutRow)
})

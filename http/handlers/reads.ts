/** The reads that are also sold by the page: one handler for the keyless path and the paid one. */

import type { Schema } from "effect"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Callers } from "../../core/credits/Callers.ts"
import { columnsOf } from "../../core/readings/csv.ts"
import { everyNetwork, history } from "../../core/readings/read/history.ts"
import { historyColumns, historyRowsOf } from "../../core/readings/read/historyRows.ts"
import { marketPage } from "../../core/readings/read/market.ts"
import { network } from "../../core/readings/read/network.ts"
import { networks } from "../../core/readings/read/networks.ts"
import type { Page } from "../../core/readings/read/parameters.ts"
import { provenanceBytes, provenanceHoldsUntil } from "../../core/readings/read/provenance.ts"
import { revenuePage } from "../../core/readings/read/revenue.ts"
import { supply, supplyRows } from "../../core/readings/read/supply.ts"
import { MarketRow } from "../../core/wire/data/market.ts"
import { NetworkRow } from "../../core/wire/data/networks.ts"
import { RevenueRow } from "../../core/wire/data/revenue.ts"
import { ValueRow } from "../../core/wire/data/valueRow.ts"
import type { reads as declared } from "../api/reads.ts"
import { inFormat } from "../delivery/csvAnswer.ts"
import { expireWhileDayOpen } from "../delivery/expireWhileDayOpen.ts"
import { linked, nextPage } from "../delivery/nextPage.ts"
import { holdsUntil } from "../delivery/RequestState.ts"
import { access, caller } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"

type Declared = typeof declared

/** The decoded query of a read. */
interface Queried<Name extends Exclude<keyof Declared, "network">> {
  readonly query: Schema.Struct<Declared[Name]["query"]>["Type"]
}

/** For lists that are plain arrays, which cannot hold `next_cursor`. */
const rowsOf = <A, E, R>(effect: Effect.Effect<Page<A>, E, R>) =>
  Effect.flatMap(effect, ({ items, next }) => Effect.as(nextPage(next), items))

/** One metric of all networks is a comparison, which not every tier includes. */
export const mayAskAll = (network: string) =>
  network === everyNetwork
    ? Effect.all([Callers, caller]).pipe(
        Effect.flatMap(([callers, identity]) => callers.gate(identity, { capability: "cross_network" }))
      )
    : Effect.void

export const reads = {
  networks: ({ query: { format, ...query } }: Queried<"networks">) =>
    access.pipe(
      Effect.flatMap((access) => linked(networks({ access, ...query }))),
      inFormat(format, ({ access, networks: rows }) => ({
        name: "networks",
        columns: columnsOf(NetworkRow),
        rows: rows.map((row) => ({ ...row })),
        access
      }))
    ),
  network: ({ params }: { readonly params: { readonly symbol: string } }) => network(params.symbol),
  supply: ({ query: { format, ...query } }: Queried<"supply">) =>
    access.pipe(
      Effect.flatMap((access) => supply({ access, ...query })),
      Effect.tap((response) => nextPage("next_cursor" in response ? response.next_cursor : undefined)),
      inFormat(format, (answer) => ({
        name: "network" in answer ? `supply-${answer.network}` : "supply",
        columns: columnsOf(ValueRow),
        rows: supplyRows(answer),
        access: answer.access
      }))
    ),
  market: ({ query: { format, ...query } }: Queried<"market">) =>
    rowsOf(marketPage(query)).pipe(
      inFormat(format, (rows) => ({
        name: "market",
        columns: columnsOf(MarketRow),
        rows: rows.map((row) => ({ ...row }))
      }))
    ),
  revenue: ({ query: { format, ...query } }: Queried<"revenue">) =>
    rowsOf(revenuePage(query)).pipe(
      inFormat(format, (rows) => ({
        name: "revenue",
        columns: columnsOf(RevenueRow),
        rows: rows.map((row) => ({ ...row }))
      }))
    ),
  provenance: ({ query }: Queried<"provenance">) =>
    Effect.flatMap(provenanceHoldsUntil, holdsUntil).pipe(
      Effect.andThen(linked(provenanceBytes(query))),
      Effect.map(({ bytes }) => HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }))
    ),
  history: ({ query: { format, ...query } }: Queried<"history">) =>
    mayAskAll(query.network).pipe(
      Effect.andThen(expireWhileDayOpen(query.as_known_at)),
      Effect.andThen(access),
      Effect.flatMap((access) => linked(history({ access, ...query }))),
      orProblem,
      inFormat(format, ({ access, data }) => ({
        name: `history-${query.network === everyNetwork ? "all" : query.network}`,
        columns: historyColumns,
        rows: Object.entries(data).flatMap(([symbol, metrics]) =>
          Object.entries(metrics).flatMap(([metric, series]) => historyRowsOf(symbol, metric, series))
        ),
        access
      }))
    )
}

import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Callers } from "../../core/credits/Callers.ts"
import { difference } from "../../core/log/read/difference.ts"
import { incidents } from "../../core/log/read/incidents.ts"
import { corrections } from "../../core/publications/corrections.ts"
import { columnsOf } from "../../core/readings/csv.ts"
import { dataDictionary, searchedDictionary } from "../../core/readings/read/dataDictionary.ts"
import { everyNetwork, history } from "../../core/readings/read/history.ts"
import { historyColumns, historyRowsOf } from "../../core/readings/read/historyRows.ts"
import { marketPage } from "../../core/readings/read/market.ts"
import { network } from "../../core/readings/read/network.ts"
import { networks, showcase } from "../../core/readings/read/networks.ts"
import type { Page } from "../../core/readings/read/parameters.ts"
import { provenanceBytes, provenanceHoldsUntil } from "../../core/readings/read/provenance.ts"
import { revenuePage } from "../../core/readings/read/revenue.ts"
import { revisions } from "../../core/readings/read/revisions.ts"
import { supply, supplyRows } from "../../core/readings/read/supply.ts"
import { symbols } from "../../core/readings/read/symbols.ts"
import { coverage } from "../../core/readings/read/uncovered.ts"
import { world } from "../../core/readings/read/world.ts"
import { rechecks } from "../../core/readings/recheck/agreement.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { MarketRow } from "../../core/wire/data/market.ts"
import { NetworkRow } from "../../core/wire/data/networks.ts"
import { RevenueRow } from "../../core/wire/data/revenue.ts"
import { Revision } from "../../core/wire/data/revisions.ts"
import { ValueRow } from "../../core/wire/data/valueRow.ts"
import { Api } from "../api/Api.ts"
import { inFormat } from "../delivery/csvAnswer.ts"
import { expireWhileDayOpen } from "../delivery/expireWhileDayOpen.ts"
import { linked, nextPage } from "../delivery/nextPage.ts"
import { holdsUntil } from "../delivery/RequestState.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { access, caller } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"

/** For lists that are plain arrays, which cannot hold `next_cursor`. */
const rowsOf = <A, E, R>(effect: Effect.Effect<Page<A>, E, R>) =>
  Effect.flatMap(effect, ({ items, next }) => Effect.as(nextPage(next), items))

/** One metric of all networks is a comparison, which not every tier includes. */
const mayAskAll = (network: string) =>
  network === everyNetwork
    ? Effect.all([Callers, caller]).pipe(
        Effect.flatMap(([callers, identity]) => callers.gate(identity, { capability: "cross_network" }))
      )
    : Effect.void

export const layer = HttpApiBuilder.group(Api, "keyless", (handlers) =>
  handlers.handleAll({
    try: () => showcase,
    networks: ({ query: { format, ...query } }) =>
      access.pipe(
        Effect.flatMap((access) => linked(networks({ access, ...query }))),
        inFormat(format, ({ access, networks: rows }) => ({
          name: "networks",
          columns: columnsOf(NetworkRow),
          rows: rows.map((row) => ({ ...row })),
          access
        }))
      ),
    symbols: () => symbols(),
    coverage: () => coverage(),
    corrections: () => corrections().pipe(orProblem),
    recheck: ({ query }) => Effect.flatMap(Rechecks, ({ ask }) => ask(query)).pipe(orProblem),
    rechecks: () => rechecks().pipe(orProblem),
    network: ({ params }) => network(params.symbol),
    supply: ({ query: { format, ...query } }) =>
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
    market: ({ query: { format, ...query } }) =>
      rowsOf(marketPage(query)).pipe(
        inFormat(format, (rows) => ({
          name: "market",
          columns: columnsOf(MarketRow),
          rows: rows.map((row) => ({ ...row }))
        }))
      ),
    revenue: ({ query: { format, ...query } }) =>
      rowsOf(revenuePage(query)).pipe(
        inFormat(format, (rows) => ({
          name: "revenue",
          columns: columnsOf(RevenueRow),
          rows: rows.map((row) => ({ ...row }))
        }))
      ),
    provenance: ({ query }) =>
      Effect.flatMap(provenanceHoldsUntil, holdsUntil).pipe(
        Effect.andThen(linked(provenanceBytes(query))),
        Effect.map(({ bytes }) => HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }))
      ),
    history: ({ query: { format, ...query } }) =>
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
      ),
    difference: ({ query }) =>
      mayAskAll(query.network).pipe(
        Effect.andThen(expireWhileDayOpen(query.to)),
        Effect.andThen(access),
        Effect.flatMap((access) => linked(difference({ access, ...query }))),
        orProblem
      ),
    world: () => Effect.flatMap(HttpSettings, world),
    dictionary: ({ query: { query = "" } }) =>
      query.trim() === "" ? dataDictionary : searchedDictionary(query),
    revisions: ({ query: { format, ...query } }) =>
      linked(revisions(query)).pipe(
        orProblem,
        inFormat(format, ({ revisions: rows }) => ({
          name: "revisions",
          columns: columnsOf(Revision),
          rows: rows.map((row) => ({ ...row }))
        }))
      ),
    incidents: ({ query }) => linked(incidents(query)).pipe(orProblem)
  })
)

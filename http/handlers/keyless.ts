import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { difference } from "../../core/log/record/difference.ts"
import { incidents } from "../../core/log/record/incidents.ts"
import { corrections } from "../../core/publications/corrections.ts"
import { columnsOf } from "../../core/readings/csv.ts"
import { anomalies } from "../../core/readings/read/anomalies.ts"
import { dataDictionary, searchedDictionary } from "../../core/readings/read/dataDictionary.ts"
import { showcase } from "../../core/readings/read/networks.ts"
import { revisions } from "../../core/readings/read/revisions.ts"
import { symbols, symbolsPage } from "../../core/readings/read/symbols.ts"
import { coverage } from "../../core/readings/read/uncovered.ts"
import { world } from "../../core/readings/read/world.ts"
import { rechecks } from "../../core/readings/recheck/drawnOutcomes.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { Anomaly } from "../../core/wire/data/anomalies.ts"
import { DictionaryMetric } from "../../core/wire/data/dataDictionary.ts"
import { Revision } from "../../core/wire/data/revisions.ts"
import { SymbolRow } from "../../core/wire/data/symbols.ts"
import { Api } from "../api/Api.ts"
import { expireWhileDayOpen } from "../delivery/expireWhileDayOpen.ts"
import { inForm } from "../delivery/forms.ts"
import { linked } from "../delivery/nextPage.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { access } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"
import { networkOfRequest } from "../request/origin.ts"
import { asof } from "./asof.ts"
import { mayAskAll, reads } from "./reads.ts"

/** True for a request that selects nothing: blank words of a search do not either. */
const isEmpty = (query: { readonly query?: string; readonly [name: string]: unknown }): boolean =>
  Object.entries(query).every(([name, value]) => name === "query" && String(value).trim() === "")

export const layer = HttpApiBuilder.group(Api, "keyless", (handlers) =>
  handlers.handleRaw("asof", asof).handleAll({
    ...reads,
    try: () => showcase,
    symbols: ({ query: { fields, ...query } }) =>
      (isEmpty(query) ? symbols() : linked(symbolsPage(query))).pipe(
        inForm(
          { fields },
          {
            columns: columnsOf(SymbolRow),
            table: ({ symbols: rows }) => ({ name: "symbols", rows: rows.map((row) => ({ ...row })) }),
            cut: (answer, cutRow) => ({ ...answer, symbols: answer.symbols.map(cutRow) })
          }
        )
      ),
    coverage: () => coverage(),
    corrections: () => corrections().pipe(orProblem),
    recheck: Effect.fnUntraced(function* ({ query }) {
      const { source } = yield* HttpServerRequest.HttpServerRequest
      const { trustProxy } = yield* HttpSettings
      return yield* (yield* Rechecks).ask(query, networkOfRequest(source, trustProxy)).pipe(orProblem)
    }),
    rechecks: () => rechecks().pipe(orProblem),
    difference: ({ query }) =>
      mayAskAll(query.network).pipe(
        Effect.andThen(expireWhileDayOpen(query.to)),
        Effect.andThen(access),
        Effect.flatMap((access) => linked(difference({ access, ...query }))),
        orProblem
      ),
    world: () => Effect.flatMap(HttpSettings, world),
    dictionary: ({ query: { fields, ...query } }) =>
      (isEmpty(query) ? dataDictionary : linked(searchedDictionary(query))).pipe(
        inForm(
          { fields },
          {
            columns: columnsOf(DictionaryMetric),
            table: ({ metrics }) => ({
              name: "data-dictionary",
              rows: metrics.map((row) => ({ ...row }))
            }),
            cut: (answer, cutRow) => ({ ...answer, metrics: answer.metrics.map(cutRow) })
          }
        )
      ),
    revisions: ({ query: { format, ...query } }) =>
      linked(revisions(query)).pipe(
        orProblem,
        inForm(
          { format },
          {
            columns: columnsOf(Revision),
            table: ({ revisions: rows }) => ({
              name: "revisions",
              rows: rows.map((row) => ({ ...row }))
            })
          }
        )
      ),
    incidents: ({ query }) => linked(incidents(query)).pipe(orProblem),
    anomalies: ({ query: { fields, format, ...query } }) =>
      linked(anomalies(query)).pipe(
        orProblem,
        inForm(
          { fields, format },
          {
            columns: columnsOf(Anomaly),
            table: ({ anomalies: rows }) => ({
              name: "anomalies",
              rows: rows.map((row) => ({ ...row }))
            }),
            cut: (answer, cutRow) => ({ ...answer, anomalies: answer.anomalies.map(cutRow) })
          }
        )
      )
  })
)

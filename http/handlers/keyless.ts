import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { difference } from "../../core/log/read/difference.ts"
import { incidents } from "../../core/log/read/incidents.ts"
import { corrections } from "../../core/publications/corrections.ts"
import { columnsOf } from "../../core/readings/csv.ts"
import { dataDictionary, searchedDictionary } from "../../core/readings/read/dataDictionary.ts"
import { showcase } from "../../core/readings/read/networks.ts"
import { revisions } from "../../core/readings/read/revisions.ts"
import { symbols } from "../../core/readings/read/symbols.ts"
import { coverage } from "../../core/readings/read/uncovered.ts"
import { world } from "../../core/readings/read/world.ts"
import { rechecks } from "../../core/readings/recheck/agreement.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { Revision } from "../../core/wire/data/revisions.ts"
import { Api } from "../api/Api.ts"
import { inFormat } from "../delivery/csvAnswer.ts"
import { expireWhileDayOpen } from "../delivery/expireWhileDayOpen.ts"
import { linked } from "../delivery/nextPage.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { access } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"
import { mayAskAll, reads } from "./reads.ts"

export const layer = HttpApiBuilder.group(Api, "keyless", (handlers) =>
  handlers.handleAll({
    ...reads,
    try: () => showcase,
    symbols: () => symbols(),
    coverage: () => coverage(),
    corrections: () => corrections().pipe(orProblem),
    recheck: ({ query }) => Effect.flatMap(Rechecks, ({ ask }) => ask(query)).pipe(orProblem),
    rechecks: () => rechecks().pipe(orProblem),
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

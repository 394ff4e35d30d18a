import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { dataDictionary } from "../../core/data/read/dataDictionary.ts"
import { history } from "../../core/data/read/history.ts"
import { marketPage } from "../../core/data/read/market.ts"
import { network } from "../../core/data/read/network.ts"
import { networks, showcase } from "../../core/data/read/networks.ts"
import type { Page } from "../../core/data/read/parameters.ts"
import { provenance, provenanceHoldsUntil } from "../../core/data/read/provenance.ts"
import { revenuePage } from "../../core/data/read/revenue.ts"
import { revisions } from "../../core/data/read/revisions.ts"
import { supply } from "../../core/data/read/supply.ts"
import { symbols } from "../../core/data/read/symbols.ts"
import { world } from "../../core/data/read/world.ts"
import { incidents } from "../../core/log/read/incidents.ts"
import { Api } from "../api/Api.ts"
import { access } from "../caller.ts"
import { linked, nextPage } from "../delivery/nextPage.ts"
import { holdsUntil } from "../delivery/RequestState.ts"
import { HttpSettings } from "../HttpSettings.ts"
import { orProblem } from "../orProblem.ts"

/** For lists that are plain arrays, which cannot hold `next_cursor`. */
const rowsOf = <A, E, R>(made: Effect.Effect<Page<A>, E, R>) =>
  Effect.flatMap(made, ({ items, next }) => Effect.as(nextPage(next), items))

export const layer = HttpApiBuilder.group(Api, "keyless", (handlers) =>
  handlers.handleAll({
    try: () => showcase,
    networks: ({ query }) => access.pipe(Effect.flatMap((access) => linked(networks({ access, ...query })))),
    symbols: () => symbols(),
    network: ({ params }) => network(params.symbol),
    supply: ({ query }) =>
      access.pipe(
        Effect.flatMap((access) => supply({ access, ...query })),
        Effect.tap((response) => nextPage("next_cursor" in response ? response.next_cursor : undefined))
      ),
    market: ({ query }) => rowsOf(marketPage(query)),
    revenue: ({ query }) => rowsOf(revenuePage(query)),
    provenance: ({ query }) =>
      Effect.flatMap(provenanceHoldsUntil, holdsUntil).pipe(Effect.andThen(linked(provenance(query)))),
    history: ({ query }) =>
      access.pipe(
        Effect.flatMap((access) => linked(history({ access, ...query }))),
        orProblem
      ),
    world: () => Effect.flatMap(HttpSettings, world),
    dictionary: () => dataDictionary,
    revisions: ({ query }) => linked(revisions(query)).pipe(orProblem),
    incidents: ({ query }) => linked(incidents(query)).pipe(orProblem)
  })
)

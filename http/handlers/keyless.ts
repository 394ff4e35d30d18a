import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { dataDictionary } from "../../core/data/read/dataDictionary.ts"
import { history } from "../../core/data/read/history.ts"
import { market } from "../../core/data/read/market.ts"
import { network } from "../../core/data/read/network.ts"
import { networks, showcase } from "../../core/data/read/networks.ts"
import { provenance, provenanceHoldsUntil } from "../../core/data/read/provenance.ts"
import { revenue } from "../../core/data/read/revenue.ts"
import { revisions } from "../../core/data/read/revisions.ts"
import { supply } from "../../core/data/read/supply.ts"
import { world } from "../../core/data/read/world.ts"
import { Api } from "../api/Api.ts"
import { access } from "../caller.ts"
import { holdsUntil, momentary } from "../delivery/Exchange.ts"
import { orProblem } from "../orProblem.ts"
import { Settings } from "../Settings.ts"

export const layer = HttpApiBuilder.group(Api, "keyless", (handlers) =>
  handlers.handleAll({
    try: () => showcase,
    networks: ({ query }) => access.pipe(Effect.flatMap((access) => networks({ access, ...query }))),
    network: ({ params }) => network(params.symbol),
    supply: ({ query }) =>
      // Ages follow the clock: the keyed form is never sent twice.
      (query.network === undefined ? Effect.void : momentary).pipe(
        Effect.andThen(access),
        Effect.flatMap((access) => supply({ access, ...query }))
      ),
    market: ({ query }) => market(query),
    revenue: ({ query }) => revenue(query),
    provenance: ({ query }) =>
      Effect.flatMap(provenanceHoldsUntil, holdsUntil).pipe(Effect.andThen(provenance(query))),
    history: ({ query }) =>
      access.pipe(
        Effect.flatMap((access) => history({ access, ...query })),
        orProblem
      ),
    world: () => Effect.flatMap(Settings, world),
    dictionary: () => dataDictionary,
    revisions: ({ query }) => revisions(query).pipe(orProblem)
  })
)

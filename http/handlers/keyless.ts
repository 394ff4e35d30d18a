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
import { Settings } from "../Settings.ts"
import { badParameter, refusal } from "../toProblem.ts"

export const layer = HttpApiBuilder.group(Api, "keyless", (handlers) =>
  handlers.handleAll({
    try: () => showcase,
    networks: ({ query }) =>
      access.pipe(
        Effect.flatMap((access) => networks({ access, ...query })),
        Effect.mapError(badParameter)
      ),
    network: ({ params }) => network(params.symbol).pipe(Effect.mapError(refusal)),
    supply: ({ query }) =>
      // Ages follow the clock: the keyed form is never sent twice.
      (query.network === undefined ? Effect.void : momentary).pipe(
        Effect.andThen(access),
        Effect.flatMap((access) => supply({ access, ...query })),
        Effect.mapError(refusal)
      ),
    market: ({ query }) => market(query).pipe(Effect.mapError(badParameter)),
    revenue: ({ query }) => revenue(query).pipe(Effect.mapError(badParameter)),
    provenance: ({ query }) =>
      Effect.flatMap(provenanceHoldsUntil, holdsUntil).pipe(
        Effect.andThen(provenance(query)),
        Effect.mapError(refusal)
      ),
    history: ({ query }) =>
      access.pipe(
        Effect.flatMap((access) => history({ access, ...query })),
        Effect.catchTag("SqlError", Effect.die),
        Effect.mapError(refusal)
      ),
    world: () => Effect.flatMap(Settings, world),
    dictionary: () => dataDictionary,
    revisions: ({ query }) =>
      revisions(query).pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(badParameter))
  })
)

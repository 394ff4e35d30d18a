import { HttpApiBuilder } from "effect/http-api"
import { codeOf, derivation, derivationOf } from "../../core/log/read/derivation.ts"
import { Api } from "../api/Api.ts"
import { linked } from "../delivery/nextPage.ts"
import { orProblem } from "../problems/fromCore.ts"

export const layer = HttpApiBuilder.group(Api, "derivation", (handlers) =>
  handlers.handleAll({
    derivation: ({ query }) => linked(derivation(query)).pipe(orProblem),
    derivationOf: ({ params }) => derivationOf(params.run).pipe(orProblem),
    codeOf: ({ params }) => codeOf(params.code_hash).pipe(orProblem)
  })
)

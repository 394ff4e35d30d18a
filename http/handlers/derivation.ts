import { HttpApiBuilder } from "effect/http-api"
import { codeOf, derivation, inputOf, noteOf, provenDerivationOf } from "../../core/log/record/derivation.ts"
import { Api } from "../api/Api.ts"
import { immutable } from "../delivery/caching.ts"
import { linked } from "../delivery/nextPage.ts"
import { orProblem } from "../problems/fromCore.ts"

export const layer = HttpApiBuilder.group(Api, "derivation", (handlers) =>
  handlers.handleAll({
    derivation: ({ query }) => linked(derivation(query)).pipe(orProblem),
    derivationOf: ({ params }) => provenDerivationOf(params.run).pipe(orProblem),
    inputOf: ({ params }) => inputOf(params.sha256).pipe(orProblem, immutable),
    noteOf: ({ params }) => noteOf(params.sha256).pipe(orProblem, immutable),
    codeOf: ({ params }) => codeOf(params.code_hash).pipe(orProblem)
  })
)

import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { codeOf, derivation, derivationOf, type NotDerived } from "../../core/log/read/derivation.ts"
import { Api } from "../api/Api.ts"
import { NotFound, says } from "../api/problems.ts"
import { linked } from "../delivery/nextPage.ts"
import { badParameter } from "../toProblem.ts"

const absent = ({ message }: NotDerived) => new NotFound(says(`${message}.`))

export const layer = HttpApiBuilder.group(Api, "derivation", (handlers) =>
  handlers.handleAll({
    derivation: ({ query }) =>
      linked(derivation(query)).pipe(
        Effect.catchTag(["SqlError", "BlobsUnavailable"], Effect.die),
        Effect.mapError(badParameter)
      ),
    derivationOf: ({ params }) =>
      derivationOf(params.run).pipe(
        Effect.catchTag(["SqlError", "BlobsUnavailable"], Effect.die),
        Effect.mapError(absent)
      ),
    codeOf: ({ params }) =>
      codeOf(params.code_hash).pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(absent))
  })
)

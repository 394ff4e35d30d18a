import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { BadParameter, UnknownSymbol } from "../../core/data/errors.ts"
import { absence } from "../../core/log/read/absence.ts"
import { attest, type NotAttested } from "../../core/log/read/attest.ts"
import { attestations } from "../../core/log/read/attestations.ts"
import { bundle } from "../../core/log/read/bundle.ts"
import * as Files from "../../core/log/read/files.ts"
import { Api } from "../api/Api.ts"
import { NotFound, says } from "../api/problems.ts"
import { linked } from "../delivery/nextPage.ts"
import { badParameter, refusal } from "../toProblem.ts"

const absent = (error: { readonly message: string }) => new NotFound(says(`${error.message}.`))

const notProved = (error: UnknownSymbol | BadParameter | NotAttested) =>
  error._tag === "NotAttested" ? absent(error) : refusal(error)

export const layer = HttpApiBuilder.group(Api, "log", (handlers) =>
  handlers.handleAll({
    attest: ({ query: { format, ...asked } }) =>
      Effect.gen(function* () {
        if (format === "absence") return yield* absence(asked)
        return yield* format === "bundle" ? bundle(asked) : attest(asked)
      }).pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(notProved)),
    attestations: ({ query }) =>
      linked(attestations(query)).pipe(
        Effect.catchTag("SqlError", Effect.die),
        Effect.mapError(badParameter)
      ),
    checkpoint: () => Effect.mapError(Files.checkpoint, absent),
    checkpointAt: ({ params: { size } }) =>
      Effect.gen(function* () {
        if (!size.endsWith(".ots")) return yield* Files.checkpointAt(size)
        return HttpServerResponse.uint8Array(yield* Files.timestamp(size), {
          contentType: "application/vnd.opentimestamps.ots"
        })
      }).pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(absent)),
    tile: ({ params: { index, level } }) =>
      Files.tile(`${level}/${index}`).pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(absent)),
    partialTile: ({ params: { index, level, width } }) =>
      Files.tile(`${level}/${index}/${width}`).pipe(
        Effect.catchTag("SqlError", Effect.die),
        Effect.mapError(absent)
      ),
    leaves: ({ params, query }) =>
      Files.leaves(params.day, query).pipe(
        Effect.catchTag("SqlError", Effect.die),
        Effect.mapError((error) => (error._tag === "BadParameter" ? badParameter(error) : absent(error)))
      ),
    absent: ({ params }) =>
      Files.absent(params.day).pipe(Effect.catchTag("SqlError", Effect.die), Effect.mapError(absent)),
    document: ({ params }) =>
      Files.document(params.sha256).pipe(
        Effect.catchTag("SqlError", Effect.die),
        Effect.mapError(absent),
        Effect.map(({ body, media_type }) => HttpServerResponse.text(body, { contentType: media_type }))
      )
  })
)
